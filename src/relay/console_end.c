/* SPDX-License-Identifier: MIT */
/* file://con: standard input as IN, standard output as OUT. A regular file is read as fast as the
 * sessions accept packets; a pipe is read in real time. */
#include "relay/end.h"
#include "relay/plan/packing.h"
#include "relay/writer.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    DATAGRAM = 7 * LT_RELAY_TS_PACKET, /* usual size for MPEG-TS over UDP */
    INPUT = 16 * DATAGRAM,             /* per read */
    PAUSE_MS = 5,                      /* ms until a full send queue is checked again */
};

typedef struct console_end {
    lt_relay_end end;
    lt_relay_packer packer;
    lt_relay_writer *writer; /* OUT */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    };
    uv_timer_t timer;
    uv_fs_t request;
    bool is_stream, reading, ended, finishing;
    unsigned handles;
    size_t held; /* bytes in input */
    uint8_t input[INPUT];
} console_end;

static void free_if_closed(console_end *c)
{
    if (!c->finishing || c->handles || c->reading)
        return;
    c->end.events->on_finished(&c->end);
    free(c);
}

/* ---- packets of bytes ---- */

static void send_one(console_end *c, const uint8_t *data, size_t size)
{
    lt_relay_end *end = &c->end;
    lt_relay_packet packet = {.arrival_us = lt_relay_now()};

    if (lt_relay_pack(&c->packer, data, size, packet.arrival_us, end->world->packet_buffer,
                      &packet.data, &packet.size) != LT_RELAY_FITS)
        return;
    end->counts.packets_in++;
    end->counts.bytes_in += size;
    end->events->on_packet(end, &packet);
}

/* Number of bytes before the next MPEG-TS packet. */
static size_t garbage(const uint8_t *data, size_t size)
{
    size_t i = 0;

    while (i < size && (data[i] != 0x47 ||
                        (i + LT_RELAY_TS_PACKET < size && data[i + LT_RELAY_TS_PACKET] != 0x47)))
        i++;
    return i;
}

/* Sends whole packets, and keeps the rest. */
static void cut(console_end *c)
{
    const bool ts = c->packer.encap == LT_RELAY_ENCAP_TS;
    size_t at = 0;

    while (at < c->held) {
        size_t size = c->held - at < DATAGRAM ? c->held - at : DATAGRAM;
        size_t bad = ts ? garbage(c->input + at, c->held - at) : 0;
        if (bad) {
            if (lt_relay_lose(&c->end, LT_RELAY_INVALID))
                lt_relay_log(c->end.world->journal, LIVETCP_LOG_WARNING, c->end.route,
                             "standard input has bytes that are no MPEG-TS; other data is "
                             "file://con?encap=raw");
            at += bad;
            continue;
        }
        size_t whole = ts ? size / LT_RELAY_TS_PACKET : 1;
        for (size_t i = 1; ts && i < whole; i++)
            if (c->input[at + i * LT_RELAY_TS_PACKET] != 0x47)
                whole = i;
        if (!whole)
            break;
        size = ts ? whole * LT_RELAY_TS_PACKET : size;
        send_one(c, c->input + at, size);
        at += size;
    }
    c->held -= at;
    memmove(c->input, c->input + at, c->held);
}

static void input_ended(console_end *c, int status)
{
    if (c->ended || c->finishing)
        return;
    c->ended = true;
    if (c->is_stream)
        uv_read_stop(&c->stream);
    if (status != 0 && status != UV_EOF)
        lt_relay_log(c->end.world->journal, LIVETCP_LOG_ERROR, c->end.route,
                     "cannot read standard input: %s", uv_strerror(status));
    c->end.events->on_input_ended(&c->end);
}

/* ---- pipes and terminals ---- */

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    console_end *c = handle->data;

    (void)suggested;
    *buffer = uv_buf_init((char *)c->input + c->held, (unsigned)(INPUT - c->held));
}

static void on_bytes(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    console_end *c = stream->data;

    (void)buffer;
    if (size > 0) {
        c->held += (size_t)size;
        cut(c);
    } else if (size < 0) {
        input_ended(c, (int)size);
    }
}

/* ---- files ---- */

static void read_file(console_end *c);

static void on_pause_over(uv_timer_t *timer)
{
    read_file(timer->data);
}

static void on_file(uv_fs_t *request)
{
    console_end *c = request->data;
    ssize_t size = request->result;

    uv_fs_req_cleanup(request);
    c->reading = false;
    if (c->finishing) {
        free_if_closed(c);
        return;
    }
    if (size <= 0) {
        input_ended(c, (int)size);
        return;
    }
    c->held += (size_t)size;
    cut(c);
    uv_timer_start(&c->timer, on_pause_over, 0, 0);
}

static void read_file(console_end *c)
{
    uv_buf_t buffer = uv_buf_init((char *)c->input + c->held, (unsigned)(INPUT - c->held));

    if (c->end.events->is_full(&c->end)) {
        uv_timer_start(&c->timer, on_pause_over, PAUSE_MS, 0);
        return;
    }
    c->request.data = c;
    int status = uv_fs_read(c->end.world->loop, &c->request, 0, &buffer, 1, -1, on_file);
    c->reading = status == 0;
    if (status != 0)
        input_ended(c, status);
}

/* ---- start and end ---- */

static int open_input(console_end *c)
{
    uv_loop_t *loop = c->end.world->loop;
    int status;

    uv_timer_init(loop, &c->timer);
    c->timer.data = c;
    c->handles = 1;
    switch (uv_guess_handle(0)) {
    case UV_TTY:
        status = uv_tty_init(loop, &c->tty, 0, 1);
        break;
    case UV_NAMED_PIPE:
        if ((status = uv_pipe_init(loop, &c->pipe, 0)) == 0)
            status = uv_pipe_open(&c->pipe, 0);
        break;
    case UV_FILE:
        uv_timer_start(&c->timer, on_pause_over, 0, 0);
        return 0;
    default:
        return UV_ENOTSUP;
    }
    c->handle.data = c;
    c->is_stream = true;
    c->handles++;
    return status == 0 ? uv_read_start(&c->stream, on_room, on_bytes) : status;
}

static livetcp_result console_start(lt_relay_end *end, livetcp_error *error)
{
    console_end *c = (console_end *)end;
    uint8_t seed[LT_RELAY_SEED];
    int status = 0;

    if (uv_random(NULL, NULL, seed, sizeof seed, 0, NULL) != 0)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "the system has no random numbers");
    lt_relay_packer_init(&c->packer, end->location.encap, end->location.payload_type, seed);
    if (end->index == 0)
        status = open_input(c);
    else if (!(c->writer = lt_relay_writer_create(end->world->loop, 1)))
        status = UV_ENOTSUP;
    if (status != 0)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "%s: %s", end->location.text,
                       uv_strerror(status));
    return LIVETCP_OK;
}

static void console_deliver(lt_relay_end *end, const lt_relay_packet *packet)
{
    console_end *c = (console_end *)end;
    const uint8_t *bytes;
    size_t size;

    if (!c->writer)
        return; /* standard input has no output */
    lt_relay_fit fit = lt_relay_unpack(&c->packer, packet->data, packet->size, &bytes, &size);
    if (fit == LT_RELAY_NOT_FOR_OUTPUT)
        return;
    if (fit != LT_RELAY_FITS) {
        if (lt_relay_lose(end, LT_RELAY_UNWANTED))
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "a packet for standard output is dropped: it is %s",
                         lt_relay_fit_text(fit));
    } else if (lt_relay_writer_put(c->writer, bytes, size, NULL, 0)) {
        end->counts.packets_out++;
        end->counts.bytes_out += size;
    } else if (lt_relay_writer_status(c->writer) != 0) {
        if (lt_relay_lose(end, LT_RELAY_FAILED))
            lt_relay_log(end->world->journal, LIVETCP_LOG_ERROR, end->route,
                         "cannot write to standard output: %s",
                         uv_strerror(lt_relay_writer_status(c->writer)));
    } else if (lt_relay_lose(end, LT_RELAY_BLOCKED)) {
        lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                     "standard output is not read: packets are dropped");
    }
}

static void on_handle_closed(uv_handle_t *handle)
{
    console_end *c = handle->data;

    c->handles--;
    free_if_closed(c);
}

static void console_finish(lt_relay_end *end, livetcp_usec drain_us)
{
    console_end *c = (console_end *)end;

    (void)drain_us;
    if (c->finishing)
        return;
    c->finishing = true;
    lt_relay_writer_destroy(&c->writer);
    if (c->handles) {
        uv_close((uv_handle_t *)&c->timer, on_handle_closed);
        if (c->is_stream)
            uv_close(&c->handle, on_handle_closed);
    }
    free_if_closed(c);
}

static const lt_relay_end_kind console_kind = {
    .start = console_start, .deliver = console_deliver, .finish = console_finish};

lt_relay_end *lt_relay_console_create(void)
{
    console_end *c = calloc(1, sizeof *c);

    if (c)
        c->end.kind = &console_kind;
    return c ? &c->end : NULL;
}
