/* SPDX-License-Identifier: MIT */
/* Control messages of session mode: RTCP APP packets (RFC 3550, section 6.7) named "LTCP", so that
 * the stream remains legal RFC 4571 and readable by any RTP tool. docs/reference/wire-format.md
 * specifies them. */
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
#define LT_KEY_SIZE        32 /* X25519 private and public keys, and the derived key */
#define LT_MAC_SIZE        32 /* HMAC-SHA-256 */

/* Maximum size of an encoded message, RFC 4571 LENGTH included. */
#define LT_CONTROL_MAX 160

/* Size of CREATE's packet without the fields that introduction.h appends. */
#define LT_CREATE_FIXED (12 + 8 + LT_SESSION_ID_SIZE + LT_NONCE_SIZE + LT_KEY_SIZE)

/* Bits of `capabilities`. */
enum {
    /* The MACs of this connection cover CREATE and the capabilities of both sides. CREATE has a
     * role and may have a stream id and a token; REJECT has a code and a text. */
    LT_CAPABILITY_INTRODUCTION = 1,
    /* Sends and accepts receipts. Requires LT_CAPABILITY_INTRODUCTION. */
    LT_CAPABILITY_RECEIPTS = 2,
    /* A connection may JOIN with the index behind those of the session, and prove itself there with
     * a ticket: a number that was not used in the session before, in place of the listener's nonce.
     * Requires LT_CAPABILITY_INTRODUCTION. */
    LT_CAPABILITY_SPARE = 4
};

/* Capabilities of this version. */
#define LT_CAPABILITIES (LT_CAPABILITY_INTRODUCTION | LT_CAPABILITY_RECEIPTS | LT_CAPABILITY_SPARE)

/* Maximum length of REJECT's text, in bytes. */
#define LT_REJECT_TEXT_MAX 120

/* SSRC field of every message; ignored on receipt. Messages concern the transport, not a media
 * source, and session mode removes them from the stream: zero means "none", also to a packet
 * dissector. */
#define LT_CONTROL_SSRC 0

/* The APP subtype (5 bits). Unknown types are ignored on receipt. */
typedef enum lt_control_type {
    LT_CONTROL_CREATE = 0,    /* caller: first frame of the session's first connection */
    LT_CONTROL_ACCEPT = 1,    /* listener: answers CREATE */
    LT_CONTROL_JOIN = 2,      /* caller: first frame of each further connection */
    LT_CONTROL_CHALLENGE = 3, /* listener: answers JOIN */
    LT_CONTROL_PROOF = 4,     /* caller: answers ACCEPT and CHALLENGE */
    LT_CONTROL_JOINED = 5,    /* listener: the PROOF is valid */
    LT_CONTROL_REJECT = 6,    /* either: closes this connection, with a reason */
    LT_CONTROL_PING = 7,
    LT_CONTROL_PONG = 8,
    LT_CONTROL_BYE = 9,           /* either: ends the session, on all connections */
    LT_CONTROL_PARITY = 10,       /* either: announces an RTP stream that is parity of another */
    LT_CONTROL_PADDING = 11,      /* either: ignored; a tail probe, or keeps the window open */
    LT_CONTROL_REPORT = 12,       /* either: last part of an RTCP compound made by LiveTCP */
    LT_CONTROL_RECEPTION = 13,    /* either: statistics of received media */
    LT_CONTROL_TRANSMISSION = 14, /* either: delays of sent media up to the network */
    LT_CONTROL_WAIT = 15,         /* listener: its application has not decided about CREATE yet */
    LT_CONTROL_RECEIPT = 16,      /* either: packets received on an ended connection */
    LT_CONTROL_RESENT = 17,       /* either: answers RECEIPT */
    LT_CONTROL_ARRIVAL = 18       /* either: when a frame of media began to arrive */
} lt_control_type;

/* Value of an unknown duration. */
#define LT_UNKNOWN_US UINT32_MAX

/* Number of packets received completely on a connection since its start; the low 32 bits. */
typedef struct lt_receipt {
    uint32_t number; /* see lt_connection_number(); never 0 */
    uint32_t packets;
} lt_receipt;

/* Fields of RESENT. */
typedef struct lt_resent {
    uint32_t number;
    uint32_t missing; /* packets acknowledged by TCP there, and received nowhere */
    uint32_t again;   /* of these, packets that are sent again; not above `missing` */
} lt_resent;

/* Maximum number of receipts in a RECEPTION. */
#define LT_RECEPTION_RECEIPTS 8

/* Fields of RECEPTION; durations in µs. Plausibility is checked in engine/reports/feedback.c. */
typedef struct lt_reception {
    uint32_t number; /* of these messages, ascending from 1 */
    uint8_t playing; /* 1 = margin_us, playout_us and late_playout are valid */
    uint64_t now_us; /* receiver's clock */
    uint64_t packets;
    uint32_t newest_ssrc; /* of the packet received last */
    uint16_t newest_sequence;
    uint32_t newest_age_us; /* time since its arrival */
    uint32_t echo_number;   /* number of the last TRANSMISSION; 0 = none received */
    uint32_t echo_age_us;   /* time since its arrival */
    uint32_t hold_us;       /* time that delivered packets waited for others here */
    int32_t margin_us;
    uint32_t playout_us;
    uint32_t missing, late_order, late_playout; /* packets */
    uint8_t receipt_count;                      /* of open connections; 0 in earlier versions */
    lt_receipt receipts[LT_RECEPTION_RECEIPTS];
} lt_reception;

#define LT_TRANSMISSION_SHARES 4

/* Fields of TRANSMISSION; durations in µs, or LT_UNKNOWN_US. */
typedef struct lt_transmission {
    uint32_t number;
    uint8_t protection; /* LIVETCP_PROTECTION_* */
    uint8_t copies, parity_group, connections;
    uint64_t now_us; /* sender's clock */
    uint32_t rtt_us, min_rtt_us, rtt_variation_us;
    uint32_t send_queue_us, send_buffer_us, network_us, head_of_line_us;
    uint32_t hedge_delay_us;
    /* Fields of later versions; all zero = unknown. */
    uint8_t shares[LT_TRANSMISSION_SHARES]; /* in units of 1/255: recent packets without protection,
                                               hedged, with copies, with parity */
    uint32_t copy_spacing_us;
} lt_transmission;

/* Fields of ARRIVAL: the frame of media with that SSRC and timestamp. */
typedef struct lt_frame_arrival {
    uint32_t ssrc, timestamp;
    uint64_t at_us;       /* receiver's clock */
    uint32_t train_us;    /* of the frame before it: time from its first packet to its last, */
    uint32_t train_bytes; /*   and what arrived in it; both 0 = none */
} lt_frame_arrival;

/* Each field beyond `type` belongs to the message types named. */
typedef struct lt_control {
    lt_control_type type;
    uint8_t version;       /* CREATE ACCEPT JOIN CHALLENGE */
    uint8_t index;         /* CREATE JOIN: of this connection, from 0 */
    uint8_t count;         /* CREATE JOIN: connections of the session, 1..32 */
    uint8_t role;          /* CREATE: a livetcp_role; 0 without LT_CAPABILITY_INTRODUCTION */
    uint32_t capabilities; /* CREATE ACCEPT: LT_CAPABILITY_... */
    uint8_t session_id[LT_SESSION_ID_SIZE]; /* CREATE JOIN */
    uint8_t nonce[LT_NONCE_SIZE];           /* CREATE ACCEPT JOIN CHALLENGE: the sender's */
    uint8_t public_key[LT_KEY_SIZE];        /* CREATE ACCEPT */
    uint32_t ticket;                   /* JOIN: proves itself by `mac`, as PROOF does; 0 = none */
    uint8_t mac[LT_MAC_SIZE];          /* ACCEPT CHALLENGE PROOF, JOIN with a ticket */
    uint64_t timestamp;                /* PING: any value; PONG: echoed */
    uint8_t reason;                    /* REJECT BYE: an lt_reason; see lt_control_reason() */
    uint16_t code;                     /* REJECT: of the application; 0 = none */
    char text[LT_REJECT_TEXT_MAX + 1]; /* REJECT: UTF-8 without control characters */
    uint32_t parity_ssrc;              /* PARITY: of the parity packets */
    uint32_t media_ssrc;  /* PARITY: of the packets they protect; differs from parity_ssrc */
    uint8_t payload_type; /* PARITY: of the parity packets, 0..63 or 96..127 */
    union {
        lt_reception reception;
        lt_transmission transmission;
        lt_receipt receipt;
        lt_resent resent;
        lt_frame_arrival arrival; /* ARRIVAL */
    };
} lt_control;

/* Number by which both ends identify a connection: the first four bytes of the caller's nonce. 0,
 * which is improbable, identifies none. */
uint32_t lt_connection_number(const uint8_t nonce[LT_NONCE_SIZE]);

/* Writes a message of one of the types above, with its RFC 4571 LENGTH, to `frame`, which has
 * LT_CONTROL_MAX bytes. Returns the bytes written. */
size_t lt_control_encode(const lt_control *message, uint8_t *frame);

/* Writes a PADDING message so that the frame has `size` bytes, LENGTH included, or up to three
 * fewer. `size` is at least LT_PADDING_MIN. Returns the bytes written. */
#define LT_PADDING_MIN 14
size_t lt_control_encode_padding(uint8_t *frame, size_t size);

/* True if an RTCP packet is a control message of LiveTCP, of a known type or not. */
bool lt_control_is(const uint8_t *packet, size_t size);

/* True if an RTCP compound is a report of LiveTCP: one of its parts is a REPORT message. */
bool lt_control_marks_report(const uint8_t *compound, size_t size);

/* Reads a message from an RTCP packet for which lt_control_is() is true. Errors:
 * LIVETCP_ERR_PROTOCOL (truncated, part of a compound, or a field out of range),
 * LIVETCP_ERR_NOT_SUPPORTED (an unknown type; ignore it), LIVETCP_ERR_VERSION. Bytes after the
 * known fields are ignored, since later versions may append fields. Fields that the type does not
 * have are zero. */
livetcp_result lt_control_decode(const uint8_t *packet, size_t size, lt_control *message);

/* The peer's reason in REJECT or BYE. Never LIVETCP_OK; LIVETCP_ERR_PROTOCOL for an unknown number;
 * LIVETCP_ERR_CLOSED for a BYE without a reason. */
livetcp_result lt_control_reason(const lt_control *message);

#endif
