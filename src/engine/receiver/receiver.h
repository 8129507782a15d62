/* SPDX-License-Identifier: MIT */
/*
 * The engine's receiving end: bytes of all connections in, the application's packets out. It
 * deframes, separates media, RTCP and control messages, rebuilds packets from parity, removes
 * duplicates and restores order. It knows no session: a connection is a slot number here, and its
 * output goes to the functions of lt_receiver_sink. Not thread-safe.
 */
#ifndef LT_ENGINE_RECEIVER_RECEIVER_H
#define LT_ENGINE_RECEIVER_RECEIVER_H

#include "engine/arrival.h"
#include "engine/memory.h"
#include "engine/receiver/reassembly.h"
#include "wire/control.h"

#include <livetcp/config.h>
#include <livetcp/engine.h>

typedef struct lt_receiver lt_receiver;

/* Input that a slot's peer may send at present; anything else is LIVETCP_ERR_PROTOCOL. */
typedef enum lt_receive_permission {
    LT_RECEIVE_NOTHING, /* the slot is closing or closed: the rest of the input is discarded */
    LT_RECEIVE_CONTROL, /* control messages, since it has not joined */
    LT_RECEIVE_ALL
} lt_receive_permission;

/* The functions that receive() and expire() call. Of this header's functions, they may
 * call parity_announced(), deadline() and the getters. */
typedef struct lt_receiver_sink {
    /* Asked before each frame, since the one before may have changed it. */
    lt_receive_permission (*permission)(void *user, unsigned slot);

    /* An RTP packet that is due; arrival->header is its header. */
    void (*on_media)(void *user, const lt_arrival *arrival);

    /* RTCP that is not a control message; never held back. */
    void (*on_rtcp)(void *user, const lt_arrival *arrival);

    /* Session mode: an RTCP packet that lt_control_is(). An error ends receive(), which returns
     * it. */
    livetcp_result (*on_control)(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                 livetcp_usec now);
    void *user;
} lt_receiver_sink;

/* Received by a slot, over all its connections. */
typedef struct lt_receiver_slot_counts {
    uint64_t packets; /* of media, duplicates included, and of the application's RTCP */
    uint64_t bytes;   /* everything, framing included */
} lt_receiver_slot_counts;

/* Copies the sink; of the config, it uses max_receive, order, order_wait_us and wire. On a plain
 * wire no RTCP is a control message or a report of LiveTCP's. NULL if memory is out. */
lt_receiver *lt_receiver_create(const livetcp_config *config, const lt_receiver_sink *sink);
void lt_receiver_destroy(lt_receiver **receiver);

/* What the peer makes it hold beyond its own share is taken from there; before the first input. */
void lt_receiver_share_memory(lt_receiver *receiver, lt_memory *memory);

/* A new connection in this slot (0..LIVETCP_MAX_CONNECTIONS - 1): its input begins with a frame. */
void lt_receiver_start(lt_receiver *receiver, unsigned slot);

/* The slot's connection is gone, and with it the frame that had not come whole. */
void lt_receiver_reset(lt_receiver *receiver, unsigned slot);

/* Packets that the slot's connection has brought whole, from its first: everything but control
 * messages and reports of LiveTCP's own. Its peer counts the same. */
uint64_t lt_receiver_arrived(const lt_receiver *receiver, unsigned slot);

/* Takes bytes of a slot that was started and hands out packets that are due. An error is the peer's
 * doing, or on_control's result, and the connection cannot be read any further:
 * LIVETCP_ERR_FRAME_TOO_LARGE, LIVETCP_ERR_GARBAGE (neither RTP nor RTCP), LIVETCP_ERR_PROTOCOL
 * (not permitted yet), LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_receiver_receive(lt_receiver *receiver, unsigned slot, const uint8_t *data,
                                   size_t size, livetcp_usec now);

/* A PARITY message came: packets of its parity_ssrc are no media from now on; they rebuild packets
 * of its media_ssrc. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_receiver_parity_announced(lt_receiver *receiver, const lt_control *message);

/* Another order for the packets that follow; see lt_reassembly_set_order(). */
void lt_receiver_set_order(lt_receiver *receiver, livetcp_order order);

/* When expire() has something to do; LIVETCP_NEVER if no packet is held back. */
livetcp_usec lt_receiver_deadline(const lt_receiver *receiver);

/* Stops waiting for packets missing for too long; with LIVETCP_NEVER, for any. */
void lt_receiver_expire(lt_receiver *receiver, livetcp_usec now);

/* Media that passed, or did not pass, reassembly. Valid as long as the receiver. */
const lt_reassembly_stats *lt_receiver_get_media(const lt_receiver *receiver);
const lt_receiver_slot_counts *lt_receiver_get_slot(const lt_receiver *receiver, unsigned slot);

/* Fills in the fields of `stats` that are about receiving: packets_received, bytes_received,
 * bytes_read, duplicates, late_discarded, sequence_gaps, null_frames, parity_received, _rebuilt,
 * _useful and _invalid. */
void lt_receiver_gather(const lt_receiver *receiver, livetcp_session_stats *stats);

#endif
