/* SPDX-License-Identifier: MIT */
/* Shared by the encoder and the decoder of RFC 2198. */
#ifndef LT_RTP_REDUNDANCY_RED_H
#define LT_RTP_REDUNDANCY_RED_H

#include "rtp/rtp.h"

#include <livetcp/rtp.h>

/* RFC 2198, section 3: a block's header has F, payload type, 14 bits of timestamp offset and 10
 * bits of length. The header of the primary, which is the last block, has F = 0 and the payload
 * type. */
#define LT_RED_FOLLOWS     0x80
#define LT_RED_HEADER      4
#define LT_RED_LAST_HEADER 1
#define LT_RED_OFFSET_MAX  0x3fff
#define LT_RED_LENGTH_MAX  0x3ff

/* An RTP packet without its padding. */
typedef struct lt_red_packet {
    lt_rtp_header header;
    const uint8_t *data;
    const uint8_t *payload;
    size_t payload_size;
} lt_red_packet;

/* Reads a packet of at most `max_packet` bytes. */
livetcp_result lt_red_read(lt_red_packet *packet, const void *data, size_t size, size_t max_packet,
                           livetcp_error *error);

/* Reads and checks a config that may be older or newer; *whole has all fields. */
livetcp_result lt_red_read_config(const livetcp_redundancy_config *config,
                                  livetcp_redundancy_config *whole, livetcp_error *error);

/* With the marker bit set, the excluded types would look like RTCP (RFC 5761, section 4). */
static inline bool lt_red_type_possible(unsigned payload_type)
{
    return payload_type <= 127 && !(payload_type >= 64 && payload_type <= 95);
}

/* Writes the packet's header without padding, with another payload type. */
void lt_red_copy_header(uint8_t *to, const lt_red_packet *packet, unsigned payload_type);

/* ---- sequence numbers of repeated frames ---- */

enum { LT_RED_HISTORY = 64 };

/* The last primaries, indexed by the low bits of their sequence numbers. */
typedef struct lt_red_history {
    bool started;
    uint32_t ssrc;
    uint16_t newest;
    struct {
        bool known;
        uint32_t timestamp;
    } entries[LT_RED_HISTORY];
} lt_red_history;

/* Adds a primary. One that is too old is ignored. */
void lt_red_history_add(lt_red_history *history, const lt_rtp_header *header);

/* Finds the sequence number of the frame with `timestamp` that `primary`, which was added, repeats
 * at least `back` frames later. False if it is unknown. *seen: its own packet was added before. */
bool lt_red_history_place(const lt_red_history *history, const lt_rtp_header *primary,
                          uint32_t timestamp, unsigned back, uint16_t *sequence, bool *seen);

#endif
