/* SPDX-License-Identifier: MIT */
/* Detects a peer's protocol from its first bytes: for a listener that takes sessions and plain RTP,
 * and to report two ends that do not belong together. */
#ifndef LT_WIRE_FIRST_BYTES_H
#define LT_WIRE_FIRST_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* So many bytes after the null packets are always enough. */
#define LT_FIRST_BYTES 16

typedef enum lt_peer_kind {
    LT_PEER_UNDECIDED = 0, /* too few bytes to decide */
    LT_PEER_SESSION,       /* a control message of LiveTCP's, framed by RFC 4571 */
    LT_PEER_PLAIN,         /* another RTP or RTCP packet, framed by RFC 4571 */
    LT_PEER_HTTP,
    LT_PEER_RTSP,
    LT_PEER_TLS,
    LT_PEER_STUN, /* with RFC 4571's LENGTH (ICE) or without */
    LT_PEER_SSH,
    LT_PEER_PROXY_HEADER, /* the PROXY protocol, version 1 or 2 */
    LT_PEER_OTHER
} lt_peer_kind;

/* "HTTP", for those that are neither LiveTCP nor RTP nor OTHER; else NULL. */
const char *lt_peer_kind_name(lt_peer_kind kind);

/* Bytes of null packets (LENGTH 0) that the stream begins with: they decide nothing. */
size_t lt_first_bytes_skip(const uint8_t *data, size_t size);

/* Classifies the beginning of a stream, null packets included. Once decided, the result stays the
 * same however many bytes follow. It is a guess: input taken for RTP may still turn out as garbage.
 */
lt_peer_kind lt_first_bytes_classify(const uint8_t *data, size_t size);

/* The same of a stream that comes in pieces; zeroed at its beginning. */
typedef struct lt_first_bytes {
    lt_peer_kind kind;
    uint8_t held[LT_FIRST_BYTES];
    size_t size; /* bytes held */
} lt_first_bytes;

/* Takes the next piece; returns `kind`. */
lt_peer_kind lt_first_bytes_add(lt_first_bytes *first, const uint8_t *data, size_t size);

#endif
