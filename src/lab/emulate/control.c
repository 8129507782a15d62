/* SPDX-License-Identifier: MIT */
#include "lab/emulate/control.h"

#include "base/error.h"
#include "lab/emulate/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_CLIENTS = 16, MAX_REQUEST = 4096 };

typedef struct peer {
    uv_pipe_t pipe; /* data: the client */
    lt_control *control;
    size_t used;
    char request[MAX_REQUEST];
} peer;

struct lt_control {
    uv_pipe_t listener; /* data: the control */
    lt_path *path;
    peer *clients[MAX_CLIENTS];
};

typedef struct answer {
    uv_write_t write;
    char *text;
} answer;

static void on_client_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void close_client(peer *client)
{
    lt_control *control = client->control;
    for (int i = 0; control && i < MAX_CLIENTS; i++)
        if (control->clients[i] == client)
            control->clients[i] = NULL;
    client->control = NULL;
    if (!uv_is_closing((uv_handle_t *)&client->pipe))
        uv_close((uv_handle_t *)&client->pipe, on_client_closed);
}

static void on_written(uv_write_t *write, int status)
{
    answer *done = (answer *)write;
    peer *to = write->handle->data;
    free(done->text);
    free(done);
    if (status < 0)
        close_client(to);
}

static json_t *set(lt_path *path, const json_t *request)
{
    const char *direction = json_string_value(json_object_get(request, "direction"));
    const char *params = json_string_value(json_object_get(request, "params"));
    unsigned mask = direction ? lt_directions_parse(direction, lt_path_links(path)) : 0;
    livetcp_error error;
    if (!mask || !params)
        return json_pack(
            "{s:s}", "error",
            "set needs a direction (forward, backward or both; 2:both of a second link) "
            "and params");
    if (lt_path_apply(path, mask, params, &error))
        return json_pack("{s:s}", "error", error.message);
    return json_object();
}

/* NULL: out of memory. */
static json_t *counters(lt_path *path)
{
    bool failed = false;
    json_t *report = lt_emulate_report(path, &failed);
    if (!failed)
        return report;
    json_decref(report);
    return NULL;
}

static json_t *serve(lt_path *path, const char *line, size_t size)
{
    json_error_t why;
    json_t *request = json_loadb(line, size, 0, &why);
    const char *command = json_string_value(json_object_get(request, "command"));
    json_t *out;
    if (!request)
        out = json_pack("{s:s}", "error", "a request is one line with one JSON object");
    else if (command && !strcmp(command, "counters"))
        out = counters(path);
    else if (command && !strcmp(command, "set"))
        out = set(path, request);
    else
        out = json_pack("{s:s}", "error", "unknown command; there are set and counters");
    json_decref(request);
    return out;
}

static bool send_answer(peer *to, json_t *json)
{
    answer *sent = calloc(1, sizeof *sent);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    size_t size = text ? strlen(text) : 0;
    json_decref(json);
    if (sent && text) {
        sent->text = text;
        text[size] = '\n'; /* replaces the terminating NUL */
        uv_buf_t buffer = uv_buf_init(text, (unsigned)size + 1);
        if (!uv_write(&sent->write, (uv_stream_t *)&to->pipe, &buffer, 1, on_written))
            return true;
    }
    free(text);
    free(sent);
    return false;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    peer *from = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(from->request + from->used, (unsigned)(MAX_REQUEST - from->used));
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    peer *from = stream->data;
    (void)buffer;
    if (count < 0) {
        close_client(from);
        return;
    }
    from->used += (size_t)count;
    for (char *end; from->used && (end = memchr(from->request, '\n', from->used));) {
        size_t line = (size_t)(end - from->request) + 1;
        if (!send_answer(from, serve(from->control->path, from->request, line))) {
            close_client(from);
            return;
        }
        from->used -= line;
        memmove(from->request, end + 1, from->used);
    }
    if (from->used == MAX_REQUEST)
        close_client(from); /* the request is too long */
}

static void on_connection(uv_stream_t *listener, int status)
{
    lt_control *control = listener->data;
    int slot = 0;
    peer *created = status < 0 ? NULL : calloc(1, sizeof *created);
    if (!created)
        return;
    while (slot < MAX_CLIENTS && control->clients[slot])
        slot++;
    created->pipe.data = created;
    uv_pipe_init(listener->loop, &created->pipe, 0);
    if (uv_accept(listener, (uv_stream_t *)&created->pipe) || slot == MAX_CLIENTS ||
        uv_read_start((uv_stream_t *)&created->pipe, on_alloc, on_read)) {
        close_client(created);
        return;
    }
    created->control = control;
    control->clients[slot] = created;
}

/* Removes a socket file without a listener. */
static void remove_stale(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    if (strlen(name) >= sizeof address.sun_path || lstat(name, &status) ||
        !S_ISSOCK(status.st_mode))
        return;
    strcpy(address.sun_path, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) && errno == ECONNREFUSED)
        unlink(name);
    close(fd);
}

static void on_listener_closed(uv_handle_t *handle)
{
    free(handle->data);
}

lt_control *lt_control_create(uv_loop_t *loop, const char *name, lt_path *path,
                              livetcp_error *error)
{
    lt_control *control = calloc(1, sizeof *control);
    if (!control || uv_pipe_init(loop, &control->listener, 0)) {
        free(control);
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the control socket");
        return NULL;
    }
    control->listener.data = control;
    control->path = path;
    remove_stale(name);
    mode_t before = umask(0077);
    int failed = uv_pipe_bind(&control->listener, name);
    umask(before);
    if (!failed)
        failed = uv_listen((uv_stream_t *)&control->listener, 4, on_connection);
    if (failed) {
        uv_close((uv_handle_t *)&control->listener, on_listener_closed);
        lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot open the control socket %s: %s", name,
                uv_strerror(failed));
        return NULL;
    }
    return control;
}

void lt_control_destroy(lt_control **control)
{
    if (!*control)
        return;
    for (int i = 0; i < MAX_CLIENTS; i++)
        if ((*control)->clients[i])
            close_client((*control)->clients[i]);
    /* closing a bound pipe removes its socket file */
    uv_close((uv_handle_t *)&(*control)->listener, on_listener_closed);
    *control = NULL;
}
