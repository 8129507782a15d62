/* SPDX-License-Identifier: MIT */
/* A new packet of the stream: measures it, sets its play time, and holds it. */
#ifndef LT_PLAYOUT_PLACE_H
#define LT_PLAYOUT_PLACE_H

#include "playout/engine.h"

/* The media clock continues with this packet, whatever its former value. */
void lt_playout_restart_media(livetcp_playout *playout, const lt_rtp_header *header,
                              livetcp_usec arrival_us);

/* Places a new packet. Takes over `waiting`, which has its bytes or its token; the token of a late
 * packet stays the caller's. `events` are those known at the start. */
void lt_playout_place(livetcp_playout *playout, const lt_incoming *in, uint64_t extended,
                      unsigned events, lt_waiting *waiting, livetcp_playout_slot *slot);

/* Fills in the times of a slot. */
void lt_playout_describe(const livetcp_playout *playout, const lt_waiting *waiting,
                         livetcp_playout_slot *slot);

#endif
