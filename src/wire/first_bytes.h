/* SPDX-License-Identifier: MIT */
/* Detects a peer's protocol from its first bytes: for listeners that accept sessions and plain RTP,
 * and to report two ends that do not match. */
#ifndef LT_WIRE_FIRST_BYTES_H
#define LT_WIRE_FIRST_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Number of bytes after null packets that always suffices. */
#define LT_FIRST_BYTES 16

typedef enum lt_peer_kind {
    LT_PEER_UNDECIDED = 0, /* too few bytes to decide */
    LT_PEER_SESSION,       /* a control message of LiveTCP, framed by RFC 4571 */
    LT_PEER_PLAIN,         /* another RTP or RTCP packet, framed by RFC 4571 */
    LT_PEER_HTTP,
    LT_PEER_RTSP,
    LT_PEER_TLS,
    LT_PEER_STUN, /* with RFC 4571's LENGTH (ICE-TCP), or without */
    LT_PEER_SSH,
    LT_PEER_PROXY_HEADER, /* PROXY protocol, version 1 or 2 */
    LT_PEER_OTHER
} lt_peer_kind;

/* Name such as "HTTP"; NULL for LiveTCP, RTP and OTHER. */
const char *lt_peer_kind_name(lt_peer_kind kind);

/* Bytes of null packets (LENGTH 0) at the beginning of the stream; they decide nothing. */
size_t lt_first_bytes_skip(const uint8_t *data, size_t size);

/* Classifies the beginning of a stream, null packets included. Once it is decided, more bytes do
 * not change the result. It is a guess: a stream classified as RTP may still turn out to be
 * garbage. */
lt_peer_kind lt_first_bytes_classify(const uint8_t *data, size_t size);

/* State of lt_first_bytes_add(); begins zeroed. */
typedef struct lt_first_bytes {
    lt_peer_kind kind;
    uint8_t held[LT_FIRST_BYTES];
    size_t size; /* bytes in `held` */
} lt_first_bytes;

/* Classifies a stream that arrives in pieces; returns `kind`. */
lt_peer_kind lt_first_bytes_add(lt_first_bytes *first, const uint8_t *data, size_t size);

#endif
