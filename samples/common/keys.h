/* SPDX-License-Identifier: MIT */
/* Single keys from the terminal, or from a pipe in tests. */
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
    bool open,
        on_terminal; /* on_terminal: output is a terminal, whose status line may be overwritten */
    key_fn *on_key;
    void *user;
} keys;

/* Without a terminal or pipe as standard input there are no keys. In raw mode Ctrl-C is key 3. */
void keys_start(keys *k, uv_loop_t *loop, key_fn *on_key, void *user);

/* Allowed within on_key(); closes the handle on the loop. */
void keys_stop(keys *k);

#endif
