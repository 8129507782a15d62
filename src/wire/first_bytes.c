/* SPDX-License-Identifier: MIT */
/* The third byte decides most cases. In an RFC 4571 stream it is the first of an RTP or RTCP packet
 * and begins with the bits 10, which neither text nor a TLS record has there. */
#include "wire/first_bytes.h"

#include "base/bytes.h"
#include "wire/control.h"
#include "wire/frame.h"

#include <stdbool.h>
#include <string.h>

/* RFC 3550, section 5.1; RFC 5761, section 4. */
#define RTP_HEADER     12
#define RTCP_HEADER    4
#define RTCP_TYPE_MIN  192
#define RTCP_TYPE_MAX  223
#define RTCP_TYPE_APP  204
#define RTCP_APP_BYTES 12 /* with the name */

/* RFC 5389, section 6: type, length (a multiple of 4), magic cookie. */
#define STUN_HEADER  20
#define STUN_PREFIX  8 /* up to the end of the cookie */
#define STUN_COOKIE  UINT32_C(0x2112a442)
#define STUN_TYPE_HI 0x3f

/* RFC 8446, section 5.1. */
#define TLS_TYPE_MIN  20
#define TLS_TYPE_MAX  24
#define TLS_MAJOR     3
#define TLS_MINOR_MAX 4

const char *lt_peer_kind_name(lt_peer_kind kind)
{
    switch (kind) {
    case LT_PEER_HTTP:
        return "HTTP";
    case LT_PEER_RTSP:
        return "RTSP";
    case LT_PEER_TLS:
        return "TLS";
    case LT_PEER_STUN:
        return "STUN";
    case LT_PEER_SSH:
        return "SSH";
    case LT_PEER_PROXY_HEADER:
        return "the PROXY protocol";
    default:
        return NULL;
    }
}

size_t lt_first_bytes_skip(const uint8_t *data, size_t size)
{
    size_t skipped = 0;

    while (size - skipped >= LT_FRAME_HEADER && !data[skipped] && !data[skipped + 1])
        skipped += LT_FRAME_HEADER;
    return skipped;
}

/* ---- RFC 4571 ---- */

/* Classifies a frame, LENGTH included, by the beginning of its packet. */
static lt_peer_kind classify_frame(const uint8_t *data, size_t size)
{
    size_t length = lt_read_be16(data);
    const uint8_t *packet = data + LT_FRAME_HEADER;
    size_t held = size - LT_FRAME_HEADER;

    if (held < 2)
        return LT_PEER_UNDECIDED;
    if (packet[1] < RTCP_TYPE_MIN || packet[1] > RTCP_TYPE_MAX)
        return length < RTP_HEADER ? LT_PEER_OTHER : LT_PEER_PLAIN;
    if (length < RTCP_HEADER)
        return LT_PEER_OTHER;
    if (packet[1] != RTCP_TYPE_APP || length < RTCP_APP_BYTES)
        return LT_PEER_PLAIN;
    if (held < RTCP_APP_BYTES)
        return LT_PEER_UNDECIDED;
    return lt_control_is(packet, RTCP_APP_BYTES) ? LT_PEER_SESSION : LT_PEER_PLAIN;
}

/* ---- STUN ---- */

/* Classifies a packet without LENGTH. */
static lt_peer_kind classify_stun(const uint8_t *data, size_t size)
{
    uint8_t cookie[4];

    lt_write_be32(cookie, STUN_COOKIE);
    for (size_t i = 4; i < size && i < STUN_PREFIX; i++)
        if (data[i] != cookie[i - 4])
            return LT_PEER_OTHER;
    if ((size > 0 && data[0] > STUN_TYPE_HI) || (size > 3 && data[3] % 4 != 0))
        return LT_PEER_OTHER;
    return size < STUN_PREFIX ? LT_PEER_UNDECIDED : LT_PEER_STUN;
}

static lt_peer_kind classify_framed_stun(const uint8_t *data, size_t size)
{
    return lt_read_be16(data) < STUN_HEADER
               ? LT_PEER_OTHER
               : classify_stun(data + LT_FRAME_HEADER, size - LT_FRAME_HEADER);
}

/* ---- text ---- */

static const struct {
    const char *begin;
    lt_peer_kind kind;
} texts[] = {
    {"HTTP/", LT_PEER_HTTP},
    {"GET ", LT_PEER_HTTP},
    {"POST ", LT_PEER_HTTP},
    {"HEAD ", LT_PEER_HTTP},
    {"PUT ", LT_PEER_HTTP},
    {"DELETE ", LT_PEER_HTTP},
    {"CONNECT ", LT_PEER_HTTP},
    {"PATCH ", LT_PEER_HTTP},
    {"TRACE ", LT_PEER_HTTP},
    {"PRI * HTTP/2", LT_PEER_HTTP},
    {"OPTIONS /", LT_PEER_HTTP},
    {"OPTIONS * HTTP", LT_PEER_HTTP},
    {"OPTIONS http", LT_PEER_HTTP},
    {"RTSP/", LT_PEER_RTSP},
    {"OPTIONS rtsp", LT_PEER_RTSP},
    {"OPTIONS * RTSP", LT_PEER_RTSP},
    {"DESCRIBE ", LT_PEER_RTSP},
    {"SETUP ", LT_PEER_RTSP},
    {"PLAY ", LT_PEER_RTSP},
    {"PAUSE ", LT_PEER_RTSP},
    {"ANNOUNCE ", LT_PEER_RTSP},
    {"RECORD ", LT_PEER_RTSP},
    {"TEARDOWN ", LT_PEER_RTSP},
    {"GET_PARAMETER ", LT_PEER_RTSP},
    {"SET_PARAMETER ", LT_PEER_RTSP},
    {"SSH-", LT_PEER_SSH},
    {"PROXY ", LT_PEER_PROXY_HEADER},
    /* HTTP 0.9: answer of a server to a request that it cannot parse. */
    {"<!DOCTYPE ", LT_PEER_HTTP},
    {"<!doctype ", LT_PEER_HTTP},
    {"<html", LT_PEER_HTTP},
    {"<HTML", LT_PEER_HTTP},
};

/* No entry is a prefix of another, so at most one matches. */
static lt_peer_kind classify_text(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i].begin);
        if (!memcmp(data, texts[i].begin, size < length ? size : length))
            return size < length ? LT_PEER_UNDECIDED : texts[i].kind;
    }
    return LT_PEER_OTHER;
}

/* ---- version 2 of the PROXY protocol ---- */

static lt_peer_kind classify_proxy_header(const uint8_t *data, size_t size)
{
    static const uint8_t begin[] = {'\r', '\n', '\r', '\n', 0,   '\r',
                                    '\n', 'Q',  'U',  'I',  'T', '\n'};

    if (memcmp(data, begin, size < sizeof begin ? size : sizeof begin) != 0)
        return LT_PEER_OTHER;
    return size < sizeof begin ? LT_PEER_UNDECIDED : LT_PEER_PROXY_HEADER;
}

/* ---- all protocols ---- */

static lt_peer_kind classify_tls(const uint8_t *data, size_t size)
{
    bool may_be = data[0] >= TLS_TYPE_MIN && data[0] <= TLS_TYPE_MAX && data[1] == TLS_MAJOR &&
                  data[2] <= TLS_MINOR_MAX;

    (void)size;
    return may_be ? LT_PEER_TLS : LT_PEER_OTHER;
}

lt_peer_kind lt_first_bytes_classify(const uint8_t *data, size_t size)
{
    static lt_peer_kind (*const others[])(const uint8_t *, size_t) = {
        classify_tls, classify_text, classify_proxy_header, classify_stun, classify_framed_stun};
    size_t skipped = lt_first_bytes_skip(data, size);

    data += skipped;
    size -= skipped;
    if (size <= LT_FRAME_HEADER)
        return LT_PEER_UNDECIDED;
    if (data[LT_FRAME_HEADER] >> 6 == 2)
        return classify_frame(data, size);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        lt_peer_kind kind = others[i](data, size);
        if (kind != LT_PEER_OTHER)
            return kind;
    }
    return LT_PEER_OTHER;
}

lt_peer_kind lt_first_bytes_add(lt_first_bytes *first, const uint8_t *data, size_t size)
{
    while (first->kind == LT_PEER_UNDECIDED && size) {
        size_t room = sizeof first->held - first->size;
        size_t taken = size < room ? size : room;
        memcpy(first->held + first->size, data, taken);
        first->size += taken;
        data += taken;
        size -= taken;
        first->kind = lt_first_bytes_classify(first->held, first->size);
        if (first->kind == LT_PEER_UNDECIDED) { /* drop null packets */
            size_t skipped = lt_first_bytes_skip(first->held, first->size);
            first->size -= skipped;
            memmove(first->held, first->held + skipped, first->size);
        }
    }
    return first->kind;
}
