/* SPDX-License-Identifier: MIT */
/* Sender of parity: collects the packets of one SSRC into groups and makes one parity packet for
 * each, a packet of an RTP stream of its own (RFC 8627). No clock, no queue: the caller decides
 * when a group ends and where its parity goes. */
#ifndef LT_ENGINE_REPAIR_PARITY_ENCODER_H
#define LT_ENGINE_REPAIR_PARITY_ENCODER_H

#include "engine/packet.h"
#include "wire/control.h"

/* Packets a group may have. Below two, parity is a copy; beyond sixteen, two of a group are lost
 * together too often for it to be worth anything. */
#define LT_PARITY_GROUP_MIN 2
#define LT_PARITY_GROUP_MAX 16

/* Groups that are open side by side. */
#define LT_PARITY_LANES 8

typedef struct lt_parity_encoder lt_parity_encoder;

typedef enum lt_parity_added {
    LT_PARITY_MORE,   /* it is in the group, which can take more */
    LT_PARITY_FULL,   /* it is in the group, which is complete: finish() */
    LT_PARITY_CLOSED, /* not taken, the group is complete or its numbers are too far away: finish(),
                         then add it again, which cannot be answered so a second time */
    LT_PARITY_LEFT_OUT /* not taken and never will be: see lt_parity_encoder_unprotected(), or the
                          group has a packet of that number */
} lt_parity_added;

/* `group_size` is LT_PARITY_GROUP_MIN..MAX. `max_packet` bounds the packet that finish() makes, in
 * bytes. `seed`, from the system's randomness, gives the parity stream its SSRC (neither 0 nor the
 * media's), first sequence number and timestamp. NULL if memory is out. */
lt_parity_encoder *lt_parity_encoder_create(unsigned group_size, uint32_t media_ssrc,
                                            size_t max_packet, uint64_t seed);
void lt_parity_encoder_destroy(lt_parity_encoder **encoder);

/* SSRC of the parity packets. */
uint32_t lt_parity_encoder_ssrc(const lt_parity_encoder *encoder);

/* Fills the PARITY message that must precede the first parity packet on every connection. Packets
 * that the peer gets before it cannot help to rebuild others, so announce early: on every
 * connection, as soon as there is an encoder. */
void lt_parity_encoder_announce(const lt_parity_encoder *encoder, lt_control *message);

/* The lane (0..LT_PARITY_LANES - 1) whose group add(), count() and finish() are about, until the
 * next call; at first 0. */
void lt_parity_encoder_use(lt_parity_encoder *encoder, unsigned lane);

/* Takes in an RTP packet of the media SSRC, by its `ssrc` and `sequence`; no reference is kept. Add
 * packets as they go on the wire: a packet that is dropped before would be missed by every group it
 * is in. */
lt_parity_added lt_parity_encoder_add(lt_parity_encoder *encoder, const lt_packet *packet);

/* Packets in the group that was begun: 0..group. */
unsigned lt_parity_encoder_count(const lt_parity_encoder *encoder);

/* Ends the group and begins the next. Returns its parity packet with one reference, complete with
 * ssrc, sequence and enqueued_us; NULL if the group is empty, or unprotected for lack of memory. */
lt_packet *lt_parity_encoder_finish(lt_parity_encoder *encoder, livetcp_usec now);

/* Packets that no parity protects: a parity packet for them would have been larger than max_packet
 * (they must be LT_PARITY_OVERHEAD smaller), or memory was out. */
uint64_t lt_parity_encoder_unprotected(const lt_parity_encoder *encoder);

#endif
