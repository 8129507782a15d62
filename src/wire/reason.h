/* SPDX-License-Identifier: MIT */
/*
 * Reasons of REJECT and BYE, as numbers specified in docs/reference/wire-format.md. They belong to
 * the wire format: a new result of the library has no number here until the format gets one.
 */
#ifndef LT_WIRE_REASON_H
#define LT_WIRE_REASON_H

#include <livetcp/base.h>

typedef enum lt_reason {
    LT_REASON_NONE = 0, /* BYE: the session has ended regularly */
    LT_REASON_INVALID_ARGUMENT = 1,
    LT_REASON_NO_MEMORY = 2,
    LT_REASON_NOT_SUPPORTED = 3,
    LT_REASON_SYSTEM = 4,
    LT_REASON_BAD_STATE = 5,
    LT_REASON_CLOSED = 6,
    LT_REASON_CANCELLED = 7,
    LT_REASON_PACKET_TOO_LARGE = 8,
    LT_REASON_NOT_RTP = 9,
    LT_REASON_FRAME_TOO_LARGE = 10,
    LT_REASON_GARBAGE = 11,
    LT_REASON_PROTOCOL = 12,
    LT_REASON_VERSION = 13,
    LT_REASON_UNKNOWN_SESSION = 14,
    LT_REASON_SESSION_EXISTS = 15,
    LT_REASON_BAD_PROOF = 16,
    LT_REASON_INDEX_IN_USE = 17,
    LT_REASON_INDEX_RANGE = 18,
    LT_REASON_TOO_MANY_SESSIONS = 19,
    LT_REASON_HANDSHAKE_TIMEOUT = 20,
    LT_REASON_PEER_TIMEOUT = 21,
    LT_REASON_RESOLVE = 22,
    LT_REASON_REFUSED = 23,
    LT_REASON_UNREACHABLE = 24,
    LT_REASON_ADDRESS_IN_USE = 25,
    LT_REASON_ADDRESS_INVALID = 26,
    LT_REASON_PERMISSION = 27,
    LT_REASON_CONNECTION_LOST = 28,
    LT_REASON_UNKNOWN_POLICY = 29,
    LT_REASON_UNKNOWN_SETTING = 30,
    LT_REASON_BAD_URI = 31,
    LT_REASON_EXISTS = 32,
    LT_REASON_BAD_DECISION = 33,
    LT_REASON_KEYFRAME_DROPPED = 34
} lt_reason;

/* Maximum reason that lt_reason_result() knows. */
#define LT_REASON_MAX LT_REASON_KEYFRAME_DROPPED

/* The number to send: LT_REASON_NONE for LIVETCP_OK, LT_REASON_PROTOCOL for a result without a
 * number. */
lt_reason lt_reason_of(livetcp_result result);

/* The result for a number from the peer. Never LIVETCP_OK; LIVETCP_ERR_PROTOCOL for LT_REASON_NONE
 * and unknown numbers. */
livetcp_result lt_reason_result(unsigned reason);

#endif
