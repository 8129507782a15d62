/* SPDX-License-Identifier: MIT */
#include "io/filter.h"

#include "io/process.h"

#include <stdlib.h>
#include <string.h>

#define HTTP_PORT  80
#define HTTPS_PORT 443

/* Bytes that TLS decrypts per step into the WebSocket. */
#define PIECE_SIZE 4096

struct lt_io_filter {
    lt_tls_filter *tls; /* lower layer; NULL = none */
    bool end_to_end;
    lt_ws *websocket; /* upper layer; NULL = none */
    bool undrained;   /* the last read() filled its buffer: more may follow */
};

/* ---- life ---- */

lt_io_filter *lt_io_filter_create(lt_tls_filter *tls, bool end_to_end)
{
    lt_io_filter *filter = calloc(1, sizeof *filter);

    if (!filter)
        return NULL;
    filter->tls = tls;
    filter->end_to_end = tls && end_to_end;
    return filter;
}

void lt_io_filter_destroy(lt_io_filter **owner)
{
    lt_io_filter *filter = *owner;

    if (!filter)
        return;
    *owner = NULL;
    lt_ws_destroy(&filter->websocket);
    lt_tls_filter_destroy(&filter->tls);
    free(filter);
}

/* ---- between the layers ---- */

static bool tls_is_open(const lt_io_filter *filter)
{
    return !filter->tls || lt_tls_filter_state(filter->tls) == LT_TLS_OPEN;
}

/* Passes the WebSocket's output to TLS. */
static void push(lt_io_filter *filter)
{
    const uint8_t *data;
    size_t size;

    if (!filter->websocket || !filter->tls || !tls_is_open(filter))
        return;
    size = lt_ws_output(filter->websocket, &data);
    if (!size)
        return;
    (void)lt_tls_filter_write(filter->tls, data, size); /* a failure is in the filter's state */
    lt_ws_written(filter->websocket, size);
}

/* Passes plaintext from TLS to the WebSocket. */
static void pull(lt_io_filter *filter)
{
    uint8_t piece[PIECE_SIZE];
    size_t size;

    if (!filter->websocket || !filter->tls)
        return;
    while ((size = lt_tls_filter_read(filter->tls, piece, sizeof piece)) > 0)
        lt_ws_receive(filter->websocket, piece, size);
}

livetcp_result lt_io_filter_add_websocket(lt_io_filter *filter, const livetcp_config *config,
                                          const char *host, const char *fields, const uint8_t *data,
                                          size_t size)
{
    uint16_t default_port = lt_io_filter_tls(filter) ? HTTPS_PORT : HTTP_PORT;
    lt_ws_setup setup = {.listener = config->mode == LIVETCP_MODE_LISTENER,
                         .tls = filter->end_to_end,
                         .host = host,
                         .port = config->port == default_port ? 0 : config->port,
                         .path = config->websocket_path,
                         .origins = config->websocket_origin,
                         .fields = fields};
    livetcp_result result = lt_ws_create(&setup, lt_io_random, NULL, &filter->websocket);

    if (result != LIVETCP_OK)
        return result;
    lt_ws_receive(filter->websocket, data, size);
    pull(filter);
    push(filter);
    return LIVETCP_OK;
}

/* ---- state ---- */

static lt_io_filter_state state_of_tls(const lt_io_filter *filter)
{
    switch (filter->tls ? lt_tls_filter_state(filter->tls) : LT_TLS_OPEN) {
    case LT_TLS_HANDSHAKE:
        return LT_IO_FILTER_HANDSHAKE;
    case LT_TLS_ENDED:
        return LT_IO_FILTER_ENDED;
    case LT_TLS_FAILED:
        return LT_IO_FILTER_FAILED;
    default:
        return LT_IO_FILTER_OPEN;
    }
}

lt_io_filter_state lt_io_filter_state_of(const lt_io_filter *filter)
{
    lt_io_filter_state below = state_of_tls(filter);

    switch (filter->websocket ? lt_ws_state_of(filter->websocket) : LT_WS_OPEN) {
    case LT_WS_UPGRADE:
        return below == LT_IO_FILTER_OPEN ? LT_IO_FILTER_HANDSHAKE : below;
    case LT_WS_ENDED:
        return LT_IO_FILTER_ENDED;
    case LT_WS_FAILED:
        return LT_IO_FILTER_FAILED;
    default: /* the WebSocket may hold more than TLS has to give */
        return filter->websocket && filter->undrained ? LT_IO_FILTER_OPEN : below;
    }
}

const livetcp_error *lt_io_filter_error(const lt_io_filter *filter)
{
    if (filter->websocket && lt_ws_state_of(filter->websocket) == LT_WS_FAILED)
        return lt_ws_error(filter->websocket);
    return lt_tls_filter_error(filter->tls);
}

bool lt_io_filter_is_cut(const lt_io_filter *filter)
{
    return filter->end_to_end && lt_tls_filter_state(filter->tls) == LT_TLS_OPEN &&
           lt_io_filter_state_of(filter) == LT_IO_FILTER_OPEN;
}

const lt_tls_filter *lt_io_filter_tls(const lt_io_filter *filter)
{
    return filter->end_to_end ? filter->tls : NULL;
}

const lt_ws *lt_io_filter_websocket(const lt_io_filter *filter)
{
    return filter->websocket;
}

bool lt_io_filter_is_bound(const lt_io_filter *filter)
{
    return filter->end_to_end && (!filter->websocket || lt_ws_is_bound(filter->websocket));
}

bool lt_io_filter_binding(lt_io_filter *filter, uint8_t binding[LT_TLS_BINDING_SIZE])
{
    return lt_tls_filter_binding(filter->tls, binding);
}

/* ---- bytes ---- */

void lt_io_filter_receive(lt_io_filter *filter, const uint8_t *data, size_t size)
{
    if (filter->tls)
        lt_tls_filter_receive(filter->tls, data, size);
    else
        lt_ws_receive(filter->websocket, data, size);
    pull(filter);
    push(filter);
}

size_t lt_io_filter_read(lt_io_filter *filter, uint8_t *data, size_t size)
{
    size_t taken;

    if (!filter->websocket)
        return lt_tls_filter_read(filter->tls, data, size);
    taken = lt_ws_read(filter->websocket, data, size);
    filter->undrained = size - taken < LT_WS_READ_MIN;
    push(filter);
    return taken;
}

livetcp_result lt_io_filter_write(lt_io_filter *filter, const void *data, size_t size)
{
    livetcp_result result;

    if (!filter->websocket)
        return lt_tls_filter_write(filter->tls, data, size);
    result = lt_ws_write(filter->websocket, data, size);
    push(filter);
    if (result == LIVETCP_OK && state_of_tls(filter) == LT_IO_FILTER_FAILED)
        result = LIVETCP_ERR_TLS;
    return result;
}

size_t lt_io_filter_output(const lt_io_filter *filter, const uint8_t **data)
{
    if (filter->tls)
        return lt_tls_filter_output(filter->tls, data);
    return lt_ws_output(filter->websocket, data);
}

void lt_io_filter_written(lt_io_filter *filter, size_t size)
{
    if (filter->tls)
        lt_tls_filter_written(filter->tls, size);
    else
        lt_ws_written(filter->websocket, size);
}

void lt_io_filter_end(lt_io_filter *filter, livetcp_result reason)
{
    if (filter->websocket)
        lt_ws_end(filter->websocket, reason);
    push(filter);
    if (filter->tls)
        lt_tls_filter_end(filter->tls);
}

void lt_io_filter_time_out(lt_io_filter *filter)
{
    lt_ws_time_out(filter->websocket);
    push(filter);
}
