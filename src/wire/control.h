/* SPDX-License-Identifier: MIT */
/* Control messages of session mode: RTCP APP packets (RFC 3550 section 6.7) named "LTCP", so the
 * stream stays legal RFC 4571 and any RTP tool can read it.
 * docs/reference/wire-format.md specifies them. */
#ifndef LT_WIRE_CONTROL_H
#define LT_WIRE_CONTROL_H

#include "wire/reason.h"

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_WIRE_VERSION 1

#define LT_SESSION_ID_SIZE 16
#define LT_NONCE_SIZE      16
#define LT_KEY_SIZE        32 /* X25519 private and public keys, and the key derived from them */
#define LT_MAC_SIZE        32 /* HMAC-SHA-256 */

/* Largest encoded message, RFC 4571 LENGTH included. */
#define LT_CONTROL_MAX 160

/* Size of CREATE's packet without what introduction.h appends. */
#define LT_CREATE_FIXED (12 + 8 + LT_SESSION_ID_SIZE + LT_NONCE_SIZE + LT_KEY_SIZE)

/* Bits of `capabilities`. */
enum {
    /* The MACs of this connection cover CREATE and the capabilities of both sides; CREATE has a
     * role and may have a stream id and a token, REJECT a code and a text. */
    LT_CAPABILITY_INTRODUCTION = 1,
    /* It sends and takes receipts. Only together with the other. */
    LT_CAPABILITY_RECEIPTS = 2,
    /* A connection may JOIN with the index behind those of the session, and prove itself there with
     * a ticket: a number that was not used before in the session, and stands for the listener's
     * nonce. Only together with LT_CAPABILITY_INTRODUCTION. */
    LT_CAPABILITY_SPARE = 4
};

/* What this version can do. */
#define LT_CAPABILITIES (LT_CAPABILITY_INTRODUCTION | LT_CAPABILITY_RECEIPTS | LT_CAPABILITY_SPARE)

/* Longest text of a REJECT, in bytes. */
#define LT_REJECT_TEXT_MAX 120

/* The SSRC field of every message. They are about the transport, not about a media source, and
 * session mode takes them out of the stream before anyone looks for sources: zero means "none",
 * also in a packet dissector. Ignored on receipt. */
#define LT_CONTROL_SSRC 0

/* The APP subtype (5 bits). A receiver skips types it does not know. */
typedef enum lt_control_type {
    LT_CONTROL_CREATE = 0,    /* caller: first frame of a session's first connection */
    LT_CONTROL_ACCEPT = 1,    /* listener: answers CREATE */
    LT_CONTROL_JOIN = 2,      /* caller: first frame of every further connection */
    LT_CONTROL_CHALLENGE = 3, /* listener: answers JOIN */
    LT_CONTROL_PROOF = 4,     /* caller: answers ACCEPT and CHALLENGE */
    LT_CONTROL_JOINED = 5,    /* listener: the PROOF is valid */
    LT_CONTROL_REJECT = 6,    /* either: closes this connection, with the reason */
    LT_CONTROL_PING = 7,
    LT_CONTROL_PONG = 8,
    LT_CONTROL_BYE = 9,      /* either: the session ends, on all connections */
    LT_CONTROL_PARITY = 10,  /* either: an RTP stream that follows here is parity of another */
    LT_CONTROL_PADDING = 11, /* either: ignored; it follows a packet, or keeps a connection warm */
    LT_CONTROL_REPORT = 12, /* either: last in an RTCP compound that LiveTCP made; alone, ignored */
    LT_CONTROL_RECEPTION = 13,    /* either: statistics of the media it receives */
    LT_CONTROL_TRANSMISSION = 14, /* either: delays of the media it sends, so far */
    LT_CONTROL_WAIT = 15,         /* listener: its application has not decided about CREATE yet */
    LT_CONTROL_RECEIPT = 16,      /* either: packets that came on a connection that has ended */
    LT_CONTROL_RESENT = 17        /* either: answers RECEIPT */
} lt_control_type;

/* A duration that its sender does not know. */
#define LT_UNKNOWN_US UINT32_MAX

/* Packets that came whole on a connection, from its first: the low 32 bits of how many. */
typedef struct lt_receipt {
    uint32_t number; /* see lt_connection_number(); never 0 */
    uint32_t packets;
} lt_receipt;

/* Fields of RESENT. */
typedef struct lt_resent {
    uint32_t number;
    uint32_t missing; /* packets that TCP acknowledged there, and that came nowhere, */
    uint32_t again;   /*   and of these, packets that are sent again; no more than those */
} lt_resent;

/* In a RECEPTION, at most. */
#define LT_RECEPTION_RECEIPTS 8

/* Fields of RECEPTION; durations in µs. Nothing is checked here: see engine/reports/feedback.h. */
typedef struct lt_reception {
    uint32_t number; /* of these messages, ascending from 1 */
    uint8_t playing; /* 1: a playout has reported margin, playout_us and late_playout */
    uint64_t now_us; /* of the receiver's clock */
    uint64_t packets;
    uint32_t newest_ssrc; /* the packet that came last */
    uint16_t newest_sequence;
    uint32_t newest_age_us; /* since it came */
    uint32_t echo_number;   /* of the last TRANSMISSION; 0 = none has come */
    uint32_t echo_age_us;   /* since that came */
    uint32_t hold_us;       /* wait of delivered packets for others here */
    int32_t margin_us;
    uint32_t playout_us;
    uint32_t missing, late_order, late_playout; /* packets */
    uint8_t receipt_count; /* of connections that go on; 0 in earlier versions */
    lt_receipt receipts[LT_RECEPTION_RECEIPTS];
} lt_reception;

#define LT_TRANSMISSION_SHARES 4

/* Fields of TRANSMISSION; durations in µs or LT_UNKNOWN_US. */
typedef struct lt_transmission {
    uint32_t number;
    uint8_t protection; /* LIVETCP_PROTECTION_* */
    uint8_t copies, parity_group, connections;
    uint64_t now_us; /* of the sender's clock */
    uint32_t rtt_us, min_rtt_us, rtt_variation_us;
    uint32_t send_queue_us, send_buffer_us, network_us, head_of_line_us;
    uint32_t hedge_delay_us;
    /* Later versions have these; all zero = not known. */
    uint8_t shares[LT_TRANSMISSION_SHARES]; /* of 255: packets lately without protection, hedged,
                                               with copies, with parity */
    uint32_t copy_spacing_us;
} lt_transmission;

/* Fields beyond `type` are used by the types named. */
typedef struct lt_control {
    lt_control_type type;
    uint8_t version;                        /* CREATE ACCEPT JOIN CHALLENGE */
    uint8_t index;                          /* CREATE JOIN: this connection, from 0 */
    uint8_t count;                          /* CREATE JOIN: connections of the session, 1..32 */
    uint8_t role;                           /* CREATE: a livetcp_role; 0 without the capability */
    uint32_t capabilities;                  /* CREATE ACCEPT: LT_CAPABILITY_... */
    uint8_t session_id[LT_SESSION_ID_SIZE]; /* CREATE JOIN */
    uint8_t nonce[LT_NONCE_SIZE];           /* CREATE ACCEPT JOIN CHALLENGE: the sender's */
    uint8_t public_key[LT_KEY_SIZE];        /* CREATE ACCEPT */
    uint32_t ticket;                        /* JOIN: with a MAC like that of a PROOF; 0 = without */
    uint8_t mac[LT_MAC_SIZE];               /* ACCEPT CHALLENGE PROOF, JOIN with a ticket */
    uint64_t timestamp;                     /* PING: anything; PONG: echoed */
    uint8_t reason; /* REJECT BYE: an lt_reason; read it with lt_control_reason() */
    uint16_t code;  /* REJECT: of the application; 0 = none */
    char text[LT_REJECT_TEXT_MAX + 1]; /* REJECT: its words, UTF-8 without control characters */
    uint32_t parity_ssrc;              /* PARITY: of the parity packets */
    uint32_t media_ssrc;               /* PARITY: of the packets they protect; another one */
    uint8_t payload_type;              /* PARITY: of the parity packets, 0..63 or 96..127 */
    union {
        lt_reception reception;
        lt_transmission transmission;
        lt_receipt receipt;
        lt_resent resent;
    };
} lt_control;

/* By which the two ends of a connection name it: the first bytes of its caller's nonce. 0, which is
 * unlikely, names none. */
uint32_t lt_connection_number(const uint8_t nonce[LT_NONCE_SIZE]);

/* Writes the message, of a type named above, with its RFC 4571 LENGTH to `frame`, which has
 * LT_CONTROL_MAX bytes. Returns the bytes written. */
size_t lt_control_encode(const lt_control *message, uint8_t *frame);

/* Writes a PADDING message that makes a frame of `size` bytes, LENGTH included, or up to three
 * less, to `frame`. At least LT_PADDING_MIN. Returns the bytes written. */
#define LT_PADDING_MIN 14
size_t lt_control_encode_padding(uint8_t *frame, size_t size);

/* True if an RTCP packet is a control message of LiveTCP, of known type or not. */
bool lt_control_is(const uint8_t *packet, size_t size);

/* True if an RTCP compound is a report of LiveTCP: one of its parts is a REPORT message. */
bool lt_control_marks_report(const uint8_t *compound, size_t size);

/* Reads a message from an RTCP packet that lt_control_is(). Errors: LIVETCP_ERR_PROTOCOL (cut
 * short, part of a compound, or a field out of range), LIVETCP_ERR_NOT_SUPPORTED (a type we do not
 * know: skip it), LIVETCP_ERR_VERSION. Longer than expected is fine: later versions may append
 * fields. Fields that a type does not have are zero. */
livetcp_result lt_control_decode(const uint8_t *packet, size_t size, lt_control *message);

/* Why the peer sent REJECT or BYE; never LIVETCP_OK, and LIVETCP_ERR_PROTOCOL for a number that is
 * no reason we know. A BYE without one is LIVETCP_ERR_CLOSED. */
livetcp_result lt_control_reason(const lt_control *message);

#endif
