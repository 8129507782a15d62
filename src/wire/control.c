/* SPDX-License-Identifier: MIT */
/* Conversion between control messages and RTCP APP packets, laid out as in
 * docs/reference/wire-format.md. */
#include "wire/control.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "rtp/rtcp/packet.h"
#include "rtp/rtp.h"
#include "wire/frame.h"

#include <livetcp/config.h>

#include <string.h>

#define RTCP_VERSION     2
#define RTCP_APP         204
#define RTCP_SUBTYPE_MAX 31
#define RTCP_PADDING_BIT 0x20

/* Bytes of version, subtype, packet type and length; SSRC; name. */
#define APP_HEADER 12

static const uint8_t app_name[4] = {'L', 'T', 'C', 'P'};

/* Bytes of one receipt. */
#define RECEIPT_SIZE 8

/* Size of each type's fixed fields in this version, in bytes. */
static const uint8_t body_size[] = {
    [LT_CONTROL_CREATE] = 8 + LT_SESSION_ID_SIZE + LT_NONCE_SIZE + LT_KEY_SIZE,
    [LT_CONTROL_ACCEPT] = 8 + LT_NONCE_SIZE + LT_KEY_SIZE + LT_MAC_SIZE,
    [LT_CONTROL_JOIN] = 4 + LT_SESSION_ID_SIZE + LT_NONCE_SIZE + 4 + LT_MAC_SIZE,
    [LT_CONTROL_CHALLENGE] = 4 + LT_NONCE_SIZE + LT_MAC_SIZE,
    [LT_CONTROL_PROOF] = LT_MAC_SIZE,
    [LT_CONTROL_JOINED] = 0,
    [LT_CONTROL_REJECT] = 4,
    [LT_CONTROL_PING] = 8,
    [LT_CONTROL_PONG] = 8,
    [LT_CONTROL_BYE] = 4,
    [LT_CONTROL_PARITY] = 12,
    [LT_CONTROL_PADDING] = 0,
    [LT_CONTROL_REPORT] = 0,
    [LT_CONTROL_RECEPTION] = 68,
    [LT_CONTROL_TRANSMISSION] = 56,
    [LT_CONTROL_WAIT] = 0,
    [LT_CONTROL_RECEIPT] = RECEIPT_SIZE,
    [LT_CONTROL_RESENT] = 12,
    [LT_CONTROL_ARRIVAL] = 24,
};

/* Size of TRANSMISSION before version 0.2; its missing fields are zero. */
#define TRANSMISSION_FIRST 48

/* Size of JOIN without a ticket. */
#define JOIN_FIRST (4 + LT_SESSION_ID_SIZE + LT_NONCE_SIZE)

#define TYPE_COUNT (sizeof body_size / sizeof *body_size)

_Static_assert(LT_FRAME_HEADER + APP_HEADER + 4 + LT_REJECT_TEXT_MAX <= LT_CONTROL_MAX,
               "and so must the longest REJECT");
_Static_assert(LT_FRAME_HEADER + APP_HEADER + 68 + LT_RECEPTION_RECEIPTS * RECEIPT_SIZE <=
                   LT_CONTROL_MAX,
               "and the longest RECEPTION");
_Static_assert(LT_PADDING_MIN == LT_FRAME_HEADER + APP_HEADER, "PADDING has no fields");
_Static_assert(LT_CREATE_FIXED == APP_HEADER + 8 + LT_SESSION_ID_SIZE + LT_NONCE_SIZE + LT_KEY_SIZE,
               "CREATE's fields");
_Static_assert(LT_FRAME_HEADER + APP_HEADER + 8 + LT_NONCE_SIZE + LT_KEY_SIZE + LT_MAC_SIZE <=
                   LT_CONTROL_MAX,
               "the longest message must fit LT_CONTROL_MAX");

/* ---- description of every body, used for both directions ---- */

/* Copies fields between a message and consecutive bytes of its body. */
typedef struct cursor {
    uint8_t *out;      /* encoding: position of the next field */
    const uint8_t *in; /* decoding: position of the next field; NULL when encoding */
} cursor;

static void field_bytes(cursor *c, uint8_t *field, size_t size)
{
    if (c->in) {
        memcpy(field, c->in, size);
        c->in += size;
    } else {
        memcpy(c->out, field, size);
        c->out += size;
    }
}

static void field_u16(cursor *c, uint16_t *field)
{
    uint8_t bytes[2];

    lt_write_be16(bytes, *field);
    field_bytes(c, bytes, sizeof bytes);
    *field = lt_read_be16(bytes);
}

static void field_u32(cursor *c, uint32_t *field)
{
    uint8_t bytes[4];

    lt_write_be32(bytes, *field);
    field_bytes(c, bytes, sizeof bytes);
    *field = lt_read_be32(bytes);
}

static void field_u64(cursor *c, uint64_t *field)
{
    uint8_t bytes[8];

    lt_write_be64(bytes, *field);
    field_bytes(c, bytes, sizeof bytes);
    *field = lt_read_be64(bytes);
}

/* Sent as zero, ignored on receipt. */
static void field_reserved(cursor *c, size_t size)
{
    uint8_t zeros[4] = {0};

    field_bytes(c, zeros, size);
}

static void walk_receipt(cursor *c, lt_receipt *receipt)
{
    field_u32(c, &receipt->number);
    field_u32(c, &receipt->packets);
}

static void walk_reception(cursor *c, lt_reception *reception)
{
    uint32_t margin = (uint32_t)reception->margin_us;

    field_u32(c, &reception->number);
    field_bytes(c, &reception->playing, 1);
    field_bytes(c, &reception->receipt_count, 1);
    field_reserved(c, 2);
    field_u64(c, &reception->now_us);
    field_u64(c, &reception->packets);
    field_u32(c, &reception->newest_ssrc);
    field_u16(c, &reception->newest_sequence);
    field_reserved(c, 2);
    field_u32(c, &reception->newest_age_us);
    field_u32(c, &reception->echo_number);
    field_u32(c, &reception->echo_age_us);
    field_u32(c, &reception->hold_us);
    field_u32(c, &margin);
    field_u32(c, &reception->playout_us);
    field_u32(c, &reception->missing);
    field_u32(c, &reception->late_order);
    field_u32(c, &reception->late_playout);
    reception->margin_us = margin < 0x80000000 ? (int32_t)margin : -(int32_t)~margin - 1;
}

static void walk_transmission(cursor *c, lt_transmission *transmission)
{
    field_u32(c, &transmission->number);
    field_bytes(c, &transmission->protection, 1);
    field_bytes(c, &transmission->copies, 1);
    field_bytes(c, &transmission->parity_group, 1);
    field_bytes(c, &transmission->connections, 1);
    field_u64(c, &transmission->now_us);
    field_u32(c, &transmission->rtt_us);
    field_u32(c, &transmission->min_rtt_us);
    field_u32(c, &transmission->rtt_variation_us);
    field_u32(c, &transmission->send_queue_us);
    field_u32(c, &transmission->send_buffer_us);
    field_u32(c, &transmission->network_us);
    field_u32(c, &transmission->head_of_line_us);
    field_u32(c, &transmission->hedge_delay_us);
    field_bytes(c, transmission->shares, sizeof transmission->shares);
    field_u32(c, &transmission->copy_spacing_us);
}

static void walk_body(cursor *c, lt_control *message)
{
    switch (message->type) {
    case LT_CONTROL_CREATE:
        field_bytes(c, &message->version, 1);
        field_bytes(c, &message->index, 1);
        field_bytes(c, &message->count, 1);
        field_bytes(c, &message->role, 1);
        field_u32(c, &message->capabilities);
        field_bytes(c, message->session_id, LT_SESSION_ID_SIZE);
        field_bytes(c, message->nonce, LT_NONCE_SIZE);
        field_bytes(c, message->public_key, LT_KEY_SIZE);
        break;
    case LT_CONTROL_ACCEPT:
        field_bytes(c, &message->version, 1);
        field_reserved(c, 3);
        field_u32(c, &message->capabilities);
        field_bytes(c, message->nonce, LT_NONCE_SIZE);
        field_bytes(c, message->public_key, LT_KEY_SIZE);
        field_bytes(c, message->mac, LT_MAC_SIZE);
        break;
    case LT_CONTROL_JOIN:
        field_bytes(c, &message->version, 1);
        field_bytes(c, &message->index, 1);
        field_bytes(c, &message->count, 1);
        field_reserved(c, 1);
        field_bytes(c, message->session_id, LT_SESSION_ID_SIZE);
        field_bytes(c, message->nonce, LT_NONCE_SIZE);
        field_u32(c, &message->ticket);
        field_bytes(c, message->mac, LT_MAC_SIZE);
        break;
    case LT_CONTROL_CHALLENGE:
        field_bytes(c, &message->version, 1);
        field_reserved(c, 3);
        field_bytes(c, message->nonce, LT_NONCE_SIZE);
        field_bytes(c, message->mac, LT_MAC_SIZE);
        break;
    case LT_CONTROL_PROOF:
        field_bytes(c, message->mac, LT_MAC_SIZE);
        break;
    case LT_CONTROL_JOINED:
    case LT_CONTROL_PADDING:
    case LT_CONTROL_REPORT:
    case LT_CONTROL_WAIT:
        break;
    case LT_CONTROL_PING:
    case LT_CONTROL_PONG:
        field_u64(c, &message->timestamp);
        break;
    case LT_CONTROL_REJECT:
        field_bytes(c, &message->reason, 1);
        field_reserved(c, 1); /* size of the text, see append_text() */
        field_u16(c, &message->code);
        break;
    case LT_CONTROL_BYE:
        field_bytes(c, &message->reason, 1);
        field_reserved(c, 3);
        break;
    case LT_CONTROL_RECEPTION:
        walk_reception(c, &message->reception);
        break;
    case LT_CONTROL_TRANSMISSION:
        walk_transmission(c, &message->transmission);
        break;
    case LT_CONTROL_RECEIPT:
        walk_receipt(c, &message->receipt);
        break;
    case LT_CONTROL_RESENT:
        field_u32(c, &message->resent.number);
        field_u32(c, &message->resent.missing);
        field_u32(c, &message->resent.again);
        break;
    case LT_CONTROL_ARRIVAL:
        field_u32(c, &message->arrival.ssrc);
        field_u32(c, &message->arrival.timestamp);
        field_u64(c, &message->arrival.at_us);
        field_u32(c, &message->arrival.train_us);
        field_u32(c, &message->arrival.train_bytes);
        break;
    case LT_CONTROL_PARITY:
        field_u32(c, &message->parity_ssrc);
        field_u32(c, &message->media_ssrc);
        field_bytes(c, &message->payload_type, 1);
        field_reserved(c, 3);
        break;
    }
}

/* ---- text of REJECT: its size in the second byte, the text after the fields ---- */

/* Returns the number of bytes appended, padded to a multiple of four. */
static size_t append_text(const lt_control *message, uint8_t *body)
{
    size_t size = message->type == LT_CONTROL_REJECT ? strlen(message->text) : 0;
    size_t padded = (size + 3) / 4 * 4;

    if (!size)
        return 0;
    body[1] = (uint8_t)size;
    memset(body + body_size[LT_CONTROL_REJECT], 0, padded);
    memcpy(body + body_size[LT_CONTROL_REJECT], message->text, size);
    return padded;
}

/* Text that is not printable is dropped; the reason remains. */
static void read_text(lt_control *message, const uint8_t *body, size_t size)
{
    size_t text = body[1];
    const char *from = (const char *)body + body_size[LT_CONTROL_REJECT];

    if (text <= LT_REJECT_TEXT_MAX && text <= size - body_size[LT_CONTROL_REJECT] &&
        lt_utf8_is_text(from, text))
        memcpy(message->text, from, text);
}

uint32_t lt_connection_number(const uint8_t nonce[LT_NONCE_SIZE])
{
    return lt_read_be32(nonce);
}

/* ---- receipts after the fields of RECEPTION ---- */

static size_t append_receipts(const lt_control *message, uint8_t *body)
{
    cursor c = {.out = body + body_size[LT_CONTROL_RECEPTION]};
    unsigned count = message->type == LT_CONTROL_RECEPTION ? message->reception.receipt_count : 0;

    for (unsigned i = 0; i < count; i++) {
        lt_receipt receipt = message->reception.receipts[i];
        walk_receipt(&c, &receipt);
    }
    return (size_t)count * RECEIPT_SIZE;
}

/* False if there are fewer receipts than announced, or one has no connection number. */
static bool read_receipts(lt_reception *reception, const uint8_t *body, size_t size)
{
    cursor c = {.in = body + body_size[LT_CONTROL_RECEPTION]};

    if (reception->receipt_count > LT_RECEPTION_RECEIPTS ||
        size < body_size[LT_CONTROL_RECEPTION] + (size_t)reception->receipt_count * RECEIPT_SIZE)
        return false;
    for (unsigned i = 0; i < reception->receipt_count; i++) {
        walk_receipt(&c, &reception->receipts[i]);
        if (!reception->receipts[i].number)
            return false;
    }
    return true;
}

/* ---- encode ---- */

/* Writes LENGTH and the header of a message; returns the size of the frame. */
static size_t write_header(uint8_t *frame, lt_control_type type, size_t packet_size)
{
    uint8_t *packet = frame + LT_FRAME_HEADER;

    lt_write_be16(frame, (uint16_t)packet_size);
    packet[0] = (uint8_t)(RTCP_VERSION << 6 | (int)type);
    packet[1] = RTCP_APP;
    lt_write_be16(packet + 2, (uint16_t)(packet_size / 4 - 1));
    lt_write_be32(packet + 4, LT_CONTROL_SSRC);
    memcpy(packet + 8, app_name, sizeof app_name);
    return LT_FRAME_HEADER + packet_size;
}

size_t lt_control_encode(const lt_control *message, uint8_t *frame)
{
    size_t packet_size = APP_HEADER + body_size[message->type];
    uint8_t *packet = frame + LT_FRAME_HEADER;
    lt_control copy = *message;
    cursor c = {.out = packet + APP_HEADER};

    walk_body(&c, &copy);
    if (message->type == LT_CONTROL_JOIN && !message->ticket)
        packet_size = APP_HEADER + JOIN_FIRST;
    packet_size += append_text(message, packet + APP_HEADER);
    packet_size += append_receipts(message, packet + APP_HEADER);
    return write_header(frame, message->type, packet_size);
}

size_t lt_control_encode_padding(uint8_t *frame, size_t size)
{
    size_t packet_size = (size - LT_FRAME_HEADER) / 4 * 4;

    memset(frame, 0, LT_FRAME_HEADER + packet_size);
    return write_header(frame, LT_CONTROL_PADDING, packet_size);
}

/* ---- decode ---- */

bool lt_control_is(const uint8_t *packet, size_t size)
{
    return size >= APP_HEADER && packet[0] >> 6 == RTCP_VERSION && packet[1] == RTCP_APP &&
           !memcmp(packet + 8, app_name, sizeof app_name);
}

bool lt_control_marks_report(const uint8_t *compound, size_t size)
{
    lt_rtcp_reader reader = {compound, size};
    lt_rtcp_part part;

    while (lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        if (part.type == LT_RTCP_APP && part.count == LT_CONTROL_REPORT &&
            lt_control_is(part.body - LT_RTCP_MIN_SIZE, part.size + LT_RTCP_MIN_SIZE))
            return true;
    return false;
}

static bool has_version(lt_control_type type)
{
    return type == LT_CONTROL_CREATE || type == LT_CONTROL_ACCEPT || type == LT_CONTROL_JOIN ||
           type == LT_CONTROL_CHALLENGE;
}

static bool has_index(lt_control_type type)
{
    return type == LT_CONTROL_CREATE || type == LT_CONTROL_JOIN;
}

static bool index_in_range(const lt_control *message)
{
    return message->count >= 1 && message->count <= LIVETCP_MAX_CONNECTIONS &&
           message->index < message->count;
}

/* RTP with a payload type of 64..95 and the marker bit looks like RTCP (RFC 5761, section 4). */
static bool parity_makes_sense(const lt_control *message)
{
    return message->parity_ssrc != message->media_ssrc && message->payload_type < 128 &&
           (message->payload_type < 64 || message->payload_type > 95);
}

/* False if fields contradict each other, or have undefined values. */
static bool in_range(const lt_control *message)
{
    if (has_index(message->type))
        return index_in_range(message) && message->role <= LIVETCP_ROLE_SUBSCRIBE;
    if (message->type == LT_CONTROL_RECEIPT)
        return message->receipt.number != 0;
    if (message->type == LT_CONTROL_RESENT)
        return message->resent.number && message->resent.again <= message->resent.missing;
    return message->type != LT_CONTROL_PARITY || parity_makes_sense(message);
}

/* Size of the body in the first version that had the type. */
static size_t first_size(lt_control_type type)
{
    if (type == LT_CONTROL_JOIN)
        return JOIN_FIRST;
    return type == LT_CONTROL_TRANSMISSION ? TRANSMISSION_FIRST : body_size[type];
}

livetcp_result lt_control_decode(const uint8_t *packet, size_t size, lt_control *message)
{
    unsigned subtype = packet[0] & RTCP_SUBTYPE_MAX;
    uint8_t padded[LT_CONTROL_MAX] = {0};
    cursor c = {.in = packet + APP_HEADER};

    /* A message is a frame of its own: no compound packet, no RTCP padding. */
    if (packet[0] & RTCP_PADDING_BIT || (lt_read_be16(packet + 2) + (size_t)1) * 4 != size)
        return LIVETCP_ERR_PROTOCOL;
    if (subtype >= TYPE_COUNT)
        return LIVETCP_ERR_NOT_SUPPORTED;

    memset(message, 0, sizeof *message);
    message->type = (lt_control_type)subtype;
    /* The version is checked first, since it defines the layout of the rest, the length included.
     */
    if (has_version(message->type) && size > APP_HEADER && packet[APP_HEADER] != LT_WIRE_VERSION)
        return LIVETCP_ERR_VERSION;
    if (size < APP_HEADER + first_size(message->type))
        return LIVETCP_ERR_PROTOCOL;
    if (size < APP_HEADER + (size_t)body_size[subtype]) {
        memcpy(padded, packet, size);
        c.in = padded + APP_HEADER;
    }
    walk_body(&c, message);
    bool whole = size >= APP_HEADER + (size_t)body_size[message->type];
    if (message->type == LT_CONTROL_JOIN && !(whole && message->ticket)) {
        message->ticket = 0; /* a ticket requires a MAC, and the reverse */
        memset(message->mac, 0, sizeof message->mac);
    }
    if (message->type == LT_CONTROL_REJECT)
        read_text(message, packet + APP_HEADER, size - APP_HEADER);
    if (message->type == LT_CONTROL_RECEPTION &&
        !read_receipts(&message->reception, packet + APP_HEADER, size - APP_HEADER))
        return LIVETCP_ERR_PROTOCOL;
    if (!(message->capabilities & LT_CAPABILITY_INTRODUCTION))
        message->role = LIVETCP_ROLE_BOTH; /* the byte is reserved then */
    return in_range(message) ? LIVETCP_OK : LIVETCP_ERR_PROTOCOL;
}

livetcp_result lt_control_reason(const lt_control *message)
{
    if (message->reason == LT_REASON_NONE && message->type == LT_CONTROL_BYE)
        return LIVETCP_ERR_CLOSED;
    return lt_reason_result(message->reason);
}
