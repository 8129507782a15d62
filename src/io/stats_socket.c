/* SPDX-License-Identifier: MIT */
#include "io/stats_socket.h"

#include "io/clock.h"
#include "platform/socket.h"

#include <errno.h>
#include <jansson.h>
#include <livetcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* File names tried: for contexts of this process, and for files left behind by an earlier process
 * with the same id. */
#define NAMES 64

/* Shortest maximum of a UNIX socket's name over all systems (macOS). libuv truncates longer
 * ones. */
#define NAME_SIZE 104

/* For a reader that does not take its answer: retry interval, and time limit. */
#define RETRY_MS 50
#define RETRIES  100

typedef struct stats_socket {
    lt_io_member member; /* of the context's list */
    livetcp_context *context;
    uv_pipe_t pipe;
    uv_timer_t retry; /* active while an answer is partly written */
    lt_list readers;
    unsigned reader_count;
    unsigned references; /* open handles */
    bool ended;
    char name[NAME_SIZE];
} stats_socket;

typedef struct reader {
    lt_list in_socket;
    stats_socket *socket; /* referenced until the handle has closed */
    uv_pipe_t pipe;
    bool asks; /* another answer was requested meanwhile */
    bool closing;
    char *answer; /* being written; NULL = none */
    size_t size, done;
    unsigned retries;
    char ignored[256];
} reader;

/* ---- references ---- */

static void reference(stats_socket *self)
{
    self->references++;
    lt_io_context_reference(self->context);
}

static void release(stats_socket *self)
{
    livetcp_context *context = self->context;

    if (--self->references == 0)
        free(self);
    lt_io_context_release(context);
}

static void on_closed(uv_handle_t *handle)
{
    release(handle->data);
}

/* ---- readers ---- */

static void on_reader_closed(uv_handle_t *handle)
{
    reader *from = handle->data;
    stats_socket *self = from->socket;

    free(from->answer);
    free(from);
    release(self);
}

static void close_reader(reader *from)
{
    if (from->closing)
        return;
    from->closing = true;
    lt_list_remove(&from->in_socket);
    from->socket->reader_count--;
    uv_close((uv_handle_t *)&from->pipe, on_reader_closed);
}

static const char *program_name(char *path, size_t size)
{
    size_t length = size;
    char *slash;

    if (uv_exepath(path, &length) != 0)
        return "";
    slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *make_answer(const livetcp_context *context, size_t *size)
{
    char path[512];
    json_t *document = json_pack("{s:s, s:s, s:i, s:s, s:I, s:[], s:[]}", "schema",
                                 "livetcp/stats/1", "livetcp", LIVETCP_VERSION, "pid",
                                 (int)uv_os_getpid(), "program", program_name(path, sizeof path),
                                 "time_us", (json_int_t)lt_io_now(), "listeners", "sessions");
    char *text = NULL;

    for (lt_list *link = lt_list_first(&context->members); link;
         link = lt_list_next(&context->members, link)) {
        lt_io_member *member = LT_LIST_ELEMENT(link, lt_io_member, in_context);
        if (document && member->describe)
            member->describe(member, document);
    }
    if (document)
        text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    *size = text ? strlen(text) + 1 : 0;
    if (text)
        text[*size - 1] = '\n'; /* replaces the terminating NUL */
    return text;
}

/* By send() rather than uv_write(), which raises SIGPIPE when the reader has left and would end the
 * program. Returns bytes, -EAGAIN or -errno. */
static long write_some(const reader *to, const void *data, size_t size)
{
    uv_os_fd_t fd;

    if (uv_fileno((const uv_handle_t *)&to->pipe, &fd) != 0)
        return -EBADF;
    return lt_socket_write((uv_os_sock_t)fd, data, size);
}

static void on_retry(uv_timer_t *timer);

static void write_answer(reader *to)
{
    while (to->done < to->size) {
        long n = write_some(to, to->answer + to->done, to->size - to->done);
        if (n == -EAGAIN) {
            if (!uv_is_active((uv_handle_t *)&to->socket->retry))
                uv_timer_start(&to->socket->retry, on_retry, RETRY_MS, RETRY_MS);
            return;
        }
        if (n < 0) {
            close_reader(to);
            return;
        }
        to->done += (size_t)n;
    }
    free(to->answer);
    to->answer = NULL;
}

/* Sends the requested answer, once the previous one has been taken. */
static void serve(reader *to)
{
    if (!to->asks || to->answer || to->closing)
        return;
    to->asks = false;
    to->done = 0;
    to->retries = 0;
    to->answer = make_answer(to->socket->context, &to->size);
    if (to->answer)
        write_answer(to);
    else
        close_reader(to);
}

static void retry(reader *to)
{
    if (++to->retries > RETRIES) {
        LT_IO_LOG(&to->socket->context->log, LIVETCP_LOG_INFO, "statistics",
                  "a reader of %s does not read: disconnected", to->socket->name);
        close_reader(to);
        return;
    }
    write_answer(to);
    serve(to);
}

static void on_retry(uv_timer_t *timer)
{
    stats_socket *self = timer->data;
    bool waits = false;
    lt_list *next;

    for (lt_list *link = lt_list_first(&self->readers); link; link = next) {
        reader *to = LT_LIST_ELEMENT(link, reader, in_socket);
        next = lt_list_next(&self->readers, link);
        if (to->answer)
            retry(to);
        waits = waits || (!to->closing && to->answer);
    }
    if (!waits)
        uv_timer_stop(timer);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    reader *from = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(from->ignored, sizeof from->ignored);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    reader *from = stream->data;

    if (count < 0) {
        close_reader(from);
        return;
    }
    if (count == 0 || !memchr(buffer->base, '\n', (size_t)count))
        return;
    from->asks = true;
    serve(from);
}

/* Sends an error to a reader beyond the limit, and disconnects it. */
static void refuse(const reader *from)
{
    static const char text[] = "{\"error\":\"too many readers of these statistics\"}\n";

    (void)write_some(from, text, sizeof text - 1);
}

static void on_connection(uv_stream_t *pipe, int status)
{
    stats_socket *self = pipe->data;
    reader *from = status < 0 ? NULL : calloc(1, sizeof *from);

    if (!from)
        return;
    from->socket = self;
    from->pipe.data = from;
    uv_pipe_init(self->context->loop, &from->pipe, 0);
    reference(self);
    lt_list_insert_last(&self->readers, &from->in_socket);
    self->reader_count++;
    if (uv_accept(pipe, (uv_stream_t *)&from->pipe) != 0) {
        close_reader(from);
    } else if (self->reader_count > LT_IO_STATS_READERS) {
        refuse(from);
        close_reader(from);
    } else if (uv_read_start((uv_stream_t *)&from->pipe, on_alloc, on_read) != 0) {
        close_reader(from);
    }
}

/* ---- the socket ---- */

static void end(stats_socket *self)
{
    lt_list *first;

    if (self->ended)
        return;
    self->ended = true;
    lt_list_remove(&self->member.in_context);
    while ((first = lt_list_first(&self->readers)) != NULL)
        close_reader(LT_LIST_ELEMENT(first, reader, in_socket));
    uv_close((uv_handle_t *)&self->retry, on_closed);
    uv_close((uv_handle_t *)&self->pipe, on_closed); /* also removes the file */
}

static void end_member(lt_io_member *member)
{
    end(LT_LIST_ELEMENT(member, stats_socket, member));
}

/* Restricts access to this user, before anybody can connect. */
static int restrict_mode(const char *name)
{
    uv_fs_t request;
    int status = uv_fs_chmod(NULL, &request, name, 0600, NULL);

    uv_fs_req_cleanup(&request);
    return status;
}

static int check_directory(const char *directory)
{
    uv_fs_t request;
    int status = uv_fs_stat(NULL, &request, directory, NULL);

    if (status == 0 && (request.statbuf.st_mode & 0170000) != 0040000)
        status = UV_ENOTDIR;
    uv_fs_req_cleanup(&request);
    return status;
}

/* Binds to the first free name; others belong to contexts of this process, or were left behind. */
static int bind_name(stats_socket *self, const char *directory)
{
    int status = UV_EADDRINUSE;

    for (unsigned i = 1; i <= NAMES && status == UV_EADDRINUSE; i++) {
        int length = snprintf(self->name, sizeof self->name, "%s/%d-%u.sock", directory,
                              (int)uv_os_getpid(), i);
        if (length < 0 || (size_t)length >= sizeof self->name)
            return UV_ENAMETOOLONG;
        status = uv_pipe_bind(&self->pipe, self->name);
    }
    return status;
}

static int listen_in(stats_socket *self, const char *directory)
{
    int status = check_directory(directory);

    if (status == 0)
        status = bind_name(self, directory);
    if (status == 0)
        status = restrict_mode(self->name);
    if (status == 0)
        status = uv_listen((uv_stream_t *)&self->pipe, LT_IO_STATS_READERS, on_connection);
    return status;
}

static int open_in(livetcp_context *context, const char *directory)
{
    stats_socket *self = calloc(1, sizeof *self);

    if (!self)
        return UV_ENOMEM;
    self->context = context;
    self->member.end = end_member;
    lt_list_init(&self->readers);
    uv_pipe_init(context->loop, &self->pipe, 0);
    uv_timer_init(context->loop, &self->retry);
    self->pipe.data = self->retry.data = self;
    reference(self);
    reference(self);
    lt_list_insert_first(&context->members, &self->member.in_context);
    int status = listen_in(self, directory);
    if (status == 0)
        LT_IO_LOG(&context->log, LIVETCP_LOG_INFO, "statistics", "'livetcp stat' reads them at %s",
                  self->name);
    else
        end(self);
    return status;
}

void lt_io_stats_open(livetcp_context *context)
{
    char directory[512] = "";
    size_t size = sizeof directory;
    int status;

    if (context->stats_opened)
        return;
    context->stats_opened = true;
    status = uv_os_getenv("LIVETCP_STATS_DIR", directory, &size);
    if (status == UV_ENOENT || (status == 0 && !directory[0]))
        return;
    if (status == 0)
        status = open_in(context, directory);
    if (status != 0)
        LT_IO_LOG(&context->log, LIVETCP_LOG_WARNING, "statistics",
                  "no statistics for 'livetcp stat': LIVETCP_STATS_DIR=%.100s: %s", directory,
                  status == UV_ENOBUFS ? uv_strerror(UV_ENAMETOOLONG) : uv_strerror(status));
}
