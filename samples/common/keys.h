/* SPDX-License-Identifier: MIT */
/* A person's end of a program: keys of the terminal one by one, or of a pipe (a test's), and a
 * status that is written over and over. */
#ifndef COMMON_KEYS_H
#define COMMON_KEYS_H

#include <stdbool.h>
#include <uv.h>

typedef void key_fn(void *user, char key);

/* Zero it before keys_start(). */
typedef struct keys {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tty_t tty;
        uv_pipe_t pipe;
    } in;
    uv_tty_t out;
    bool open, on_terminal; /* on_terminal: the output */
    size_t shown;           /* characters of the status that is there now */
    key_fn *on_key;
    void *user;
} keys;

/* Without a terminal or pipe as standard input there are no keys. In raw mode Ctrl-C is key 3. */
void keys_start(keys *k, uv_loop_t *loop, key_fn *on_key, void *user);

/* Legal within on_key(); closes the handles on the loop. */
void keys_stop(keys *k);

/* A text of one line: on a terminal it takes the place of the one before, however many rows that
 * had; else each has a line of its own. */
void keys_show(keys *k, const char *text);

/* Takes the status away; to be called before anything else is printed. */
void keys_clear(keys *k);

#endif
