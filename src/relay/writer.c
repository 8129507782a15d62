/* SPDX-License-Identifier: MIT */
#include "relay/writer.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 300 }; /* ms for the reader of a pipe to take the rest at the end */

struct lt_relay_writer {
    uv_loop_t *loop;
    uv_file file;
    bool owned;     /* the file is closed at the end */
    bool is_stream; /* pipe or terminal */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    };
    uv_timer_t limit; /* at the end of a stream */
    bool limited, closing;
    uv_fs_t request;
    uv_write_t stream_request;
    char *held, *flying; /* waiting bytes, and bytes being written */
    size_t held_size, capacity, flying_size, written;
    bool busy, ending;
    int status;
};

static void start(lt_relay_writer *w);

static void release(lt_relay_writer *w)
{
    free(w->held);
    free(w->flying);
    free(w);
}

static void on_stream_closed(uv_handle_t *handle)
{
    release(handle->data);
}

static void on_limit_closed(uv_handle_t *handle)
{
    lt_relay_writer *w = handle->data;

    uv_close(&w->handle, on_stream_closed);
}

static void close_now(lt_relay_writer *w)
{
    uv_fs_t request;

    if (w->closing)
        return;
    w->closing = true;
    if (w->limited)
        uv_close((uv_handle_t *)&w->limit, on_limit_closed);
    else if (w->is_stream)
        uv_close(&w->handle, on_stream_closed);
    if (w->is_stream)
        return;
    if (w->owned)
        uv_fs_close(NULL, &request, w->file, NULL);
    release(w);
}

static void on_limit(uv_timer_t *timer)
{
    close_now(timer->data);
}

/* `status`: bytes written, or a libuv error. */
static void on_done(lt_relay_writer *w, ssize_t status)
{
    w->busy = false;
    if (status < 0)
        w->status = (int)status;
    else
        w->written += (size_t)status;
    if (w->status == 0)
        start(w);
    if (!w->busy && w->ending)
        close_now(w);
}

static void on_file_written(uv_fs_t *request)
{
    ssize_t status = request->result;

    uv_fs_req_cleanup(request);
    on_done(request->data, status);
}

static void on_stream_written(uv_write_t *request, int status)
{
    lt_relay_writer *w = request->data;

    if (status == UV_ECANCELED)
        return; /* cancelled at the end */
    on_done(w, status ? status : (ssize_t)(w->flying_size - w->written));
}

/* Writes the next bytes; a file may have accepted only a part of the previous ones. */
static void start(lt_relay_writer *w)
{
    int status;

    if (w->written == w->flying_size) {
        if (!w->held_size)
            return;
        char *empty = w->flying;
        w->flying = w->held;
        w->flying_size = w->held_size;
        w->held = empty;
        w->held_size = w->written = 0;
        w->capacity = 0; /* a swapped buffer of unknown capacity: allocated anew */
        free(w->held);
        w->held = NULL;
    }
    uv_buf_t buffer = uv_buf_init(w->flying + w->written, (unsigned)(w->flying_size - w->written));
    if (w->is_stream) {
        w->stream_request.data = w;
        status = uv_write(&w->stream_request, &w->stream, &buffer, 1, on_stream_written);
    } else {
        w->request.data = w;
        status = uv_fs_write(w->loop, &w->request, w->file, &buffer, 1, -1, on_file_written);
    }
    w->busy = status == 0;
    if (status != 0)
        w->status = status;
}

lt_relay_writer *lt_relay_writer_create(uv_loop_t *loop, uv_file file)
{
    lt_relay_writer *w = calloc(1, sizeof *w);
    int status = -1;

    if (!w)
        return NULL;
    w->loop = loop;
    w->file = file;
    switch (uv_guess_handle(file)) {
    case UV_TTY:
        status = uv_tty_init(loop, &w->tty, file, 0);
        break;
    case UV_NAMED_PIPE:
        if ((status = uv_pipe_init(loop, &w->pipe, 0)) == 0 &&
            (status = uv_pipe_open(&w->pipe, file)) != 0) {
            w->handle.data = w;
            uv_close(&w->handle, on_stream_closed);
            return NULL;
        }
        break;
    default:
        return w;
    }
    if (status != 0) {
        free(w);
        return NULL;
    }
    w->is_stream = true;
    w->handle.data = w;
    return w;
}

lt_relay_writer *lt_relay_writer_open(uv_loop_t *loop, const char *path, livetcp_error *error)
{
    uv_fs_t request;
    lt_relay_writer *w = calloc(1, sizeof *w);

    if (!w) {
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    int file = uv_fs_open(NULL, &request, path, UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_TRUNC,
                          0600, NULL);
    uv_fs_req_cleanup(&request);
    if (file < 0) {
        lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot write %.100s: %s", path, uv_strerror(file));
        free(w);
        return NULL;
    }
    w->loop = loop;
    w->file = file;
    w->owned = true;
    return w;
}

static bool reserve(lt_relay_writer *w, size_t size)
{
    size_t capacity = w->capacity ? w->capacity : 4096;

    if (w->held_size + size > LT_RELAY_WRITER_MAX)
        return false;
    while (capacity < w->held_size + size)
        capacity *= 2;
    if (capacity == w->capacity)
        return true;
    char *larger = realloc(w->held, capacity);
    if (!larger)
        return false;
    w->held = larger;
    w->capacity = capacity;
    return true;
}

bool lt_relay_writer_put(lt_relay_writer *writer, const void *head, size_t head_size,
                         const void *body, size_t body_size)
{
    if (writer->status != 0 || !reserve(writer, head_size + body_size))
        return false;
    if (head_size)
        memcpy(writer->held + writer->held_size, head, head_size);
    if (body_size)
        memcpy(writer->held + writer->held_size + head_size, body, body_size);
    writer->held_size += head_size + body_size;
    if (!writer->busy)
        start(writer);
    return true;
}

int lt_relay_writer_status(const lt_relay_writer *writer)
{
    return writer->status;
}

void lt_relay_writer_destroy(lt_relay_writer **writer)
{
    lt_relay_writer *w = *writer;

    *writer = NULL;
    if (!w)
        return;
    w->ending = true;
    if (!w->busy) {
        close_now(w);
    } else if (w->is_stream && uv_timer_init(w->loop, &w->limit) == 0) {
        w->limit.data = w;
        w->limited = true;
        uv_timer_start(&w->limit, on_limit, LIMIT_MS, 0);
    }
}
