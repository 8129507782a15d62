/* SPDX-License-Identifier: MIT */
/* Keys of the terminal one by one, or of a pipe: a test's. */
#ifndef COMMON_KEYS_H
#define COMMON_KEYS_H

#include <stdbool.h>
#include <uv.h>

typedef void key_fn(void *user, char key);

/* Zeroed before keys_start(). */
typedef struct keys {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tty_t tty;
        uv_pipe_t pipe;
    } in;
    bool open, on_terminal; /* on_terminal: the output, which a status line may write over */
    key_fn *on_key;
    void *user;
} keys;

/* Without a terminal or a pipe at the input there are no keys. A raw terminal gives Ctrl-C as 3. */
void keys_start(keys *k, uv_loop_t *loop, key_fn *on_key, void *user);

/* Legal within on_key(); closes the handle on the loop. */
void keys_stop(keys *k);

#endif
