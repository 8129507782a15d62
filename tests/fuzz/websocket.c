/* SPDX-License-Identifier: MIT */
/* A stranger and either end of a WebSocket. The first byte says which end, whether the opening
 * handshake is done already, and whether TLS is below; the second how the stream is cut; the rest
 * is the stream. However it is cut, it ends alike, gives the same payload and is answered alike. */
#include "fuzz.h"

#include "websocket/filter.h"

#include <string.h>

/* The same at each run. */
static livetcp_result count_up(void *user, uint8_t *bytes, size_t size)
{
    uint8_t *next = user;

    for (size_t i = 0; i < size; i++)
        bytes[i] = (*next)++;
    return LIVETCP_OK;
}

typedef struct result {
    lt_ws_state state;
    bool bound;
    size_t taken, payload_size, output_size;
    uint32_t payload, output; /* sums that depend on the order */
    char error[sizeof((livetcp_error *)0)->message];
} result;

static void sum(uint32_t *digest, size_t *total, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *digest = *digest * 16777619 ^ data[i];
    *total += size;
}

static void take_output(lt_ws *ws, result *got)
{
    const uint8_t *output;
    size_t size = lt_ws_output(ws, &output);

    sum(&got->output, &got->output_size, output, size);
    lt_ws_written(ws, size);
}

/* Whatever the other end may say in the opening handshake. */
static void open_it(lt_ws *ws, bool listener)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n"
                                  "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    static const char answer[] = "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                                 "Sec-WebSocket-Accept: Bz3qJYTGdOe8gUSpLosEdiLKDrk=\r\n\r\n";
    const char *text = listener ? request : answer;

    lt_ws_receive(ws, (const uint8_t *)text, strlen(text));
    FUZZ_REQUIRE(lt_ws_state_of(ws) == LT_WS_OPEN);
}

static void feed(lt_ws *ws, const uint8_t *data, size_t size, size_t piece, result *got)
{
    for (size_t at = 0; at < size; at += piece) {
        uint8_t payload[LT_WS_READ_MIN + 100];
        size_t offered = size - at < piece ? size - at : piece, n;
        uint8_t *copy = malloc(offered);
        FUZZ_REQUIRE(copy);
        memcpy(copy, data + at, offered);
        lt_ws_receive(ws, copy, offered);
        free(copy);
        while ((n = lt_ws_read(ws, payload, sizeof payload)) > 0)
            sum(&got->payload, &got->payload_size, payload, n);
        take_output(ws, got);
    }
}

static void run(unsigned first, size_t piece, const uint8_t *data, size_t size, result *got)
{
    lt_ws_setup setup = {.listener = first & 1,
                         .tls = first & 4,
                         .host = "h",
                         .port = 80,
                         .path = first & 8 ? "/live" : "",
                         .origins = first & 16 ? "https://a.example" : "",
                         .fields = first & 32 ? "Authorization: x\nX-A: b" : NULL};
    uint8_t next = 0;
    lt_ws *ws;

    memset(got, 0, sizeof *got);
    if (first & 2)
        setup.path = setup.origins = "";
    FUZZ_REQUIRE(lt_ws_create(&setup, count_up, &next, &ws) == LIVETCP_OK);
    take_output(ws, got);
    if (first & 2)
        open_it(ws, setup.listener);
    take_output(ws, got);
    feed(ws, data, size, piece, got);
    if (first & 64) {
        lt_ws_time_out(ws);
        FUZZ_REQUIRE(!setup.listener || lt_ws_state_of(ws) != LT_WS_UPGRADE);
    }
    FUZZ_REQUIRE(strlen(lt_ws_forwarded(ws)) < LT_WS_FORWARDED_MAX);
    got->state = lt_ws_state_of(ws);
    got->bound = lt_ws_is_bound(ws);
    if (got->state == LT_WS_FAILED) {
        memcpy(got->error, lt_ws_error(ws)->message, sizeof got->error);
        FUZZ_REQUIRE(got->error[0]);
    }
    FUZZ_REQUIRE(!got->bound || setup.tls);
    FUZZ_REQUIRE((lt_ws_write(ws, "media", 5) == LIVETCP_OK) == (got->state == LT_WS_OPEN));
    lt_ws_end(ws, LIVETCP_ERR_PROTOCOL);
    take_output(ws, got);
    lt_ws_destroy(&ws);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned first = size ? data[0] : 0;
    size_t piece = 1 + (size_t)(size > 1 ? data[1] : 0);
    result whole, cut;

    if (size < 2)
        return 0;
    run(first, SIZE_MAX / 2, data + 2, size - 2, &whole);
    run(first, piece, data + 2, size - 2, &cut);
    FUZZ_REQUIRE(whole.state == cut.state && whole.bound == cut.bound);
    FUZZ_REQUIRE(whole.payload_size == cut.payload_size && whole.payload == cut.payload);
    FUZZ_REQUIRE(!strcmp(whole.error, cut.error));
    if (whole.state != LT_WS_FAILED)
        FUZZ_REQUIRE(whole.output_size == cut.output_size && whole.output == cut.output);
    return 0;
}
