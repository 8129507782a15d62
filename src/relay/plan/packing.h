/* SPDX-License-Identifier: MIT */
/* Datagrams of programs as RTP packets, and back: RTP stays as it is, MPEG-TS is RFC 2250, anything
 * else is the payload of a dynamic payload type. One datagram is one packet, so that it comes out
 * as it went in. */
#ifndef LT_RELAY_PACKING_H
#define LT_RELAY_PACKING_H

#include "relay/plan/location.h"

enum {
    LT_RELAY_PACKET_MAX = 65535,
    LT_RELAY_TS_PACKET = 188,
    LT_RELAY_TS_TYPE = 33, /* MP2T, RFC 3551 */
    LT_RELAY_SEED = 10,    /* bytes */
};

/* One direction of an end. */
typedef struct lt_relay_packer {
    lt_relay_encap encap;
    unsigned payload_type;
    uint32_t ssrc, first_timestamp;
    uint16_t sequence;
} lt_relay_packer;

typedef enum lt_relay_fit {
    LT_RELAY_FITS,
    LT_RELAY_NOT_RTP,       /* neither RTP nor RTCP */
    LT_RELAY_NOT_TS,        /* no whole number of MPEG-TS packets */
    LT_RELAY_TOO_LONG,      /* no room for the header */
    LT_RELAY_ANOTHER_TYPE,  /* a payload type that this end does not unpack */
    LT_RELAY_NOT_FOR_OUTPUT /* RTCP, where programs do not speak RTP */
} lt_relay_fit;

/* `seed` is random: SSRC, first sequence number and timestamp (RFC 3550, 5.1). */
void lt_relay_packer_init(lt_relay_packer *packer, lt_relay_encap encap, unsigned payload_type,
                          const uint8_t seed[LT_RELAY_SEED]);

/* True for what RFC 5761 takes for RTCP. */
bool lt_relay_is_rtcp(const uint8_t *packet, size_t size);

/* Makes a packet of a datagram that came at `now`. *packet is the datagram itself, or within `room`
 * of LT_RELAY_PACKET_MAX bytes. Only FITS sets it. */
lt_relay_fit lt_relay_pack(lt_relay_packer *packer, const uint8_t *datagram, size_t size,
                           livetcp_usec now, uint8_t *room, const uint8_t **packet,
                           size_t *packet_size);

/* The datagram of a packet, within it. */
lt_relay_fit lt_relay_unpack(const lt_relay_packer *packer, const uint8_t *packet, size_t size,
                             const uint8_t **datagram, size_t *datagram_size);

/* For messages: the cause and the remedy. */
const char *lt_relay_fit_text(lt_relay_fit fit);

#endif
