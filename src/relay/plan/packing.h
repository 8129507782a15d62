/* SPDX-License-Identifier: MIT */
/* Converts datagrams of programs to RTP packets and back: RTP is unchanged, MPEG-TS is packed as in
 * RFC 2250, any other content becomes the payload of a dynamic payload type. One datagram is one
 * packet, so that boundaries are kept. */
#ifndef LT_RELAY_PACKING_H
#define LT_RELAY_PACKING_H

#include "relay/plan/location.h"

enum {
    LT_RELAY_PACKET_MAX = 65535,
    LT_RELAY_TS_PACKET = 188,
    LT_RELAY_TS_TYPE = 33, /* MP2T (RFC 3551) */
    LT_RELAY_SEED = 10,    /* bytes */
};

/* State of one direction of an end. */
typedef struct lt_relay_packer {
    lt_relay_encap encap;
    unsigned payload_type;
    uint32_t ssrc, first_timestamp;
    uint16_t sequence;
} lt_relay_packer;

typedef enum lt_relay_fit {
    LT_RELAY_FITS,
    LT_RELAY_NOT_RTP,       /* neither RTP nor RTCP */
    LT_RELAY_NOT_TS,        /* not a whole number of MPEG-TS packets */
    LT_RELAY_TOO_LONG,      /* no space for the header */
    LT_RELAY_ANOTHER_TYPE,  /* payload type of another end */
    LT_RELAY_NOT_FOR_OUTPUT /* RTCP, for a program that does not use RTP */
} lt_relay_fit;

/* `seed` is random: SSRC, first sequence number and first timestamp (RFC 3550 section 5.1). */
void lt_relay_packer_init(lt_relay_packer *packer, lt_relay_encap encap, unsigned payload_type,
                          const uint8_t seed[LT_RELAY_SEED]);

/* True for RTCP, by payload type (RFC 5761). */
bool lt_relay_is_rtcp(const uint8_t *packet, size_t size);

/* Packs a datagram that arrived at `now`. *packet points to the datagram, or into `packet_buffer`
 * of LT_RELAY_PACKET_MAX bytes. It is set only for FITS. */
lt_relay_fit lt_relay_pack(lt_relay_packer *packer, const uint8_t *datagram, size_t size,
                           livetcp_usec now, uint8_t *packet_buffer, const uint8_t **packet,
                           size_t *packet_size);

/* The datagram within a packet. */
lt_relay_fit lt_relay_unpack(const lt_relay_packer *packer, const uint8_t *packet, size_t size,
                             const uint8_t **datagram, size_t *datagram_size);

/* Cause and remedy, for messages. */
const char *lt_relay_fit_text(lt_relay_fit fit);

#endif
