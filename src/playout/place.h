/* SPDX-License-Identifier: MIT */
/* A new packet of the stream: measured, given its play time, and held. */
#ifndef LT_PLAYOUT_PLACE_H
#define LT_PLAYOUT_PLACE_H

#include "playout/engine.h"

/* The media clock goes on with this packet, whatever was before. */
void lt_playout_restart_media(livetcp_playout *playout, const lt_rtp_header *header,
                              livetcp_usec arrival_us);

/* Places a packet that is new. Takes over `waiting`, which has its bytes or its token; the token of
 * a packet that is late stays the caller's. `events` are those that it is known to begin with. */
void lt_playout_place(livetcp_playout *playout, const lt_incoming *in, uint64_t extended,
                      unsigned events, lt_waiting *waiting, livetcp_playout_slot *slot);

/* Fills in what a slot says about times. */
void lt_playout_describe(const livetcp_playout *playout, const lt_waiting *waiting,
                         livetcp_playout_slot *slot);

#endif
