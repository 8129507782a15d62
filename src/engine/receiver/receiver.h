/* SPDX-License-Identifier: MIT */
/*
 * The receiving end of the engine: bytes of all connections in, the application's packets out. It
 * deframes, separates media, RTCP and control messages, rebuilds packets from parity, removes
 * duplicates and restores order. It does not know the session: a connection is a slot number, and
 * the output goes to the functions of lt_receiver_sink. Not thread-safe.
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

/* Input that is accepted from a slot's peer; anything else is LIVETCP_ERR_PROTOCOL. */
typedef enum lt_receive_permission {
    LT_RECEIVE_NOTHING, /* the slot is closing or closed; the rest of its input is discarded */
    LT_RECEIVE_CONTROL, /* control messages only: the connection has not joined */
    LT_RECEIVE_ALL
} lt_receive_permission;

/* Functions that receive() and expire() call. They may call parity_announced(), deadline() and the
 * getters of this header. */
typedef struct lt_receiver_sink {
    /* Called before each frame, since the previous one may have changed the result. */
    lt_receive_permission (*permission)(void *user, unsigned slot);

    /* An RTP packet that is due; its header is arrival->header. */
    void (*on_media)(void *user, const lt_arrival *arrival);

    /* RTCP that is not a control message; never held back. */
    void (*on_rtcp)(void *user, const lt_arrival *arrival);

    /* Session mode: a packet for which lt_control_is() is true. An error ends receive(), which
     * returns it. */
    livetcp_result (*on_control)(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                 livetcp_usec now);
    void *user;
} lt_receiver_sink;

/* Received by a slot, over all its connections. */
typedef struct lt_receiver_slot_counts {
    uint64_t packets; /* media, duplicates included, and the application's RTCP */
    uint64_t bytes;   /* all input, framing included */
} lt_receiver_slot_counts;

/* Copies the sink, and max_receive, order, order_wait_us and wire of the config. On a plain wire
 * all RTCP is the application's. NULL without memory. */
lt_receiver *lt_receiver_create(const livetcp_config *config, const lt_receiver_sink *sink);
void lt_receiver_destroy(lt_receiver **receiver);

/* Shares memory for the data that the peer causes beyond the session's own bound; call it before
 * the first input. */
void lt_receiver_share_memory(lt_receiver *receiver, lt_memory *memory);

/* A new connection in this slot (0..LIVETCP_MAX_CONNECTIONS - 1): its input begins with a frame. */
void lt_receiver_start(lt_receiver *receiver, unsigned slot);

/* The slot's connection has ended; its incomplete frame is discarded. */
void lt_receiver_reset(lt_receiver *receiver, unsigned slot);

/* Packets received completely on the slot's current connection, without control messages and
 * LiveTCP's own reports. The peer counts the same packets as sent. */
uint64_t lt_receiver_arrived(const lt_receiver *receiver, unsigned slot);

/* Takes input of a slot that was started, and delivers packets that are due. After an error, which
 * is caused by the peer or is the result of on_control, the connection cannot be read further:
 * LIVETCP_ERR_FRAME_TOO_LARGE, LIVETCP_ERR_GARBAGE (neither RTP nor RTCP), LIVETCP_ERR_PROTOCOL
 * (not permitted yet), LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_receiver_receive(lt_receiver *receiver, unsigned slot, const uint8_t *data,
                                   size_t size, livetcp_usec now);

/* PARITY was received: packets of its parity_ssrc rebuild packets of its media_ssrc from now on,
 * and are not media. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_receiver_parity_announced(lt_receiver *receiver, const lt_control *message);

/* Sets the order of the packets that follow; see lt_reassembly_set_order(). */
void lt_receiver_set_order(lt_receiver *receiver, livetcp_order order);

/* Time of the next lt_receiver_expire(); LIVETCP_NEVER if no packet is held. */
livetcp_usec lt_receiver_deadline(const lt_receiver *receiver);

/* Abandons gaps whose wait is over; with LIVETCP_NEVER, all of them. */
void lt_receiver_expire(lt_receiver *receiver, livetcp_usec now);

/* Counters of reassembly, and of a slot. Valid as long as the receiver. */
const lt_reassembly_stats *lt_receiver_get_media(const lt_receiver *receiver);
const lt_receiver_slot_counts *lt_receiver_get_slot(const lt_receiver *receiver, unsigned slot);

/* Fills in packets_received, bytes_received, bytes_read, duplicates, late_discarded, sequence_gaps,
 * null_frames, parity_received, _rebuilt, _useful and _invalid of `stats`. */
void lt_receiver_gather(const lt_receiver *receiver, livetcp_session_stats *stats);

#endif
