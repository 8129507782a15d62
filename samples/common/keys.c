/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 80 /* of a terminal that does not say */

static void give_buffer(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    static char bytes[64];
    (void)handle, (void)size;
    *buffer = uv_buf_init(bytes, sizeof bytes);
}

static void on_input(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    keys *k = stream->data;

    if (count < 0)
        uv_read_stop(stream); /* the end of input does not end the program */
    for (ssize_t i = 0; i < count && k->open; i++)
        k->on_key(k->user, buffer->base[i]);
}

void keys_start(keys *k, uv_loop_t *loop, key_fn *on_key, void *user)
{
    k->on_key = on_key;
    k->user = user;
    k->on_terminal = uv_guess_handle(1) == UV_TTY && uv_tty_init(loop, &k->out, 1, 0) == 0;
    if (k->on_terminal && uv_guess_handle(0) == UV_TTY)
        k->open = uv_tty_init(loop, &k->in.tty, 0, 0) == 0 &&
                  uv_tty_set_mode(&k->in.tty, UV_TTY_MODE_RAW) == 0;
    else if (uv_guess_handle(0) == UV_NAMED_PIPE)
        k->open = uv_pipe_init(loop, &k->in.pipe, 0) == 0 && uv_pipe_open(&k->in.pipe, 0) == 0;
    if (!k->open)
        return;
    k->in.handle.data = k;
    uv_read_start(&k->in.stream, give_buffer, on_input);
}

void keys_stop(keys *k)
{
    keys_clear(k);
    if (k->open)
        uv_close(&k->in.handle, NULL);
    if (k->on_terminal)
        uv_close((uv_handle_t *)&k->out, NULL);
    k->open = k->on_terminal = false;
}

/* ---- the status ---- */

/* It may be longer than a row, and the cursor is in its last one. */
void keys_clear(keys *k)
{
    int columns = 0, rows = 0;

    if (k->shown == 0)
        return;
    if (uv_tty_get_winsize(&k->out, &columns, &rows) != 0 || columns < 1)
        columns = COLUMNS;
    if ((k->shown - 1) / (size_t)columns > 0)
        printf("\033[%zuA", (k->shown - 1) / (size_t)columns);
    fputs("\r\033[J", stdout);
    fflush(stdout);
    k->shown = 0;
}

void keys_show(keys *k, const char *text)
{
    keys_clear(k);
    printf(k->on_terminal ? "%s" : "%s\n", text);
    fflush(stdout);
    k->shown = k->on_terminal ? strlen(text) : 0;
}
