/* SPDX-License-Identifier: MIT */
/* Sender of parity: collects the packets of one SSRC into groups and makes one parity packet per
 * group, as an RTP stream of its own (RFC 8627). It has no clock and no queue: the caller decides
 * when a group ends, and where its parity packet goes. */
#ifndef LT_ENGINE_REPAIR_PARITY_ENCODER_H
#define LT_ENGINE_REPAIR_PARITY_ENCODER_H

#include "engine/packet.h"
#include "wire/control.h"

/* Size of a group, in packets. Below two, parity is a copy; beyond sixteen, two packets of a group
 * are lost together too often. */
#define LT_PARITY_GROUP_MIN 2
#define LT_PARITY_GROUP_MAX 16

/* Number of groups in progress at a time. */
#define LT_PARITY_LANES 8

typedef struct lt_parity_encoder lt_parity_encoder;

typedef enum lt_parity_added {
    LT_PARITY_MORE,    /* added; the group can take more */
    LT_PARITY_FULL,    /* added; the group is complete: call finish() */
    LT_PARITY_CLOSED,  /* not added: the group is complete, or its numbers are too far away. Call
                          finish() and add the packet again, which cannot fail in this way a second
                          time */
    LT_PARITY_LEFT_OUT /* not added, and cannot be: see lt_parity_encoder_unprotected(); or the
                          group has a packet with this number */
} lt_parity_added;

/* `group_size` is LT_PARITY_GROUP_MIN..MAX. `max_packet` bounds the parity packet, in bytes.
 * `seed`, from the system's randomness, determines the parity stream's SSRC (neither 0 nor the
 * media's), first sequence number and timestamp. NULL without memory. */
lt_parity_encoder *lt_parity_encoder_create(unsigned group_size, uint32_t media_ssrc,
                                            size_t max_packet, uint64_t seed);
void lt_parity_encoder_destroy(lt_parity_encoder **encoder);

/* SSRC of the parity packets. */
uint32_t lt_parity_encoder_ssrc(const lt_parity_encoder *encoder);

/* Fills in the PARITY message that must precede the first parity packet on every connection.
 * Packets received before it cannot help to rebuild others, so send it on every connection as soon
 * as the encoder exists. */
void lt_parity_encoder_announce(const lt_parity_encoder *encoder, lt_control *message);

/* Selects the lane (0..LT_PARITY_LANES - 1) whose group add(), count() and finish() use; initially
 * 0. */
void lt_parity_encoder_use(lt_parity_encoder *encoder, unsigned lane);

/* Adds an RTP packet of the media SSRC, by its `ssrc` and `sequence`; keeps no reference. Add
 * packets as they are written: one that is dropped before would be missing from its group. */
lt_parity_added lt_parity_encoder_add(lt_parity_encoder *encoder, const lt_packet *packet);

/* Number of packets in the group: 0..group_size. */
unsigned lt_parity_encoder_count(const lt_parity_encoder *encoder);

/* Ends the group and begins the next. Returns its parity packet with one reference, with ssrc,
 * sequence and enqueued_us set; NULL if the group is empty, or unprotected for lack of memory. */
lt_packet *lt_parity_encoder_finish(lt_parity_encoder *encoder, livetcp_usec now);

/* Number of packets without parity: a parity packet for them would exceed max_packet (they must be
 * LT_PARITY_OVERHEAD smaller), or there was no memory. */
uint64_t lt_parity_encoder_unprotected(const lt_parity_encoder *encoder);

#endif
