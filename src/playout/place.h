/* SPDX-License-Identifier: MIT */
/* A new packet of the stream: measures it, sets its play time, and holds it. */
#ifndef LT_PLAYOUT_PLACE_H
#define LT_PLAYOUT_PLACE_H

#include "playout/engine.h"

/* Restarts the media clock with this packet. */
void lt_playout_restart_media(livetcp_playout *playout, const lt_rtp_header *header,
                              livetcp_usec arrival_us);

/* Places a new packet. Takes over `waiting`, which has the bytes or the token; the caller keeps the
 * token of a late packet. `events` are those already known. */
void lt_playout_place(livetcp_playout *playout, const lt_incoming *in, uint64_t extended,
                      unsigned events, lt_waiting *waiting, livetcp_playout_slot *slot);

/* Fills in the times of a slot. */
void lt_playout_describe(const livetcp_playout *playout, const lt_waiting *waiting,
                         livetcp_playout_slot *slot);

#endif
