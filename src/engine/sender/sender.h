/* SPDX-License-Identifier: MIT */
/*
 * From the application's packet to the next write: send queue, policy, outbox. A packet stays in
 * the send queue, where it can still be dropped or take any connection, until the policy gives it
 * to connections that can write it now. The budget pays for every copy beyond the first.
 *
 * The sender reads the links' paths, and fills in `ready`, `send_limit_bytes` and `link_room`
 * there.
 */
#ifndef LT_ENGINE_SENDER_SENDER_H
#define LT_ENGINE_SENDER_SENDER_H

#include "engine/events.h"
#include "engine/links/links.h"
#include "engine/packet.h"

typedef struct lt_sender lt_sender;

/* Copies the settings; `policy` must outlive the sender. NULL without memory. */
lt_sender *lt_sender_create(const livetcp_config *config, const livetcp_policy *policy,
                            lt_events *events);
void lt_sender_destroy(lt_sender **sender);

/* ---- into the send queue ---- */

/* Queues a packet of the application; sets *rtcp on success. Errors: as livetcp_engine_send(). */
livetcp_result lt_sender_accept(lt_sender *sender, const uint8_t *data, size_t size,
                                const livetcp_packet_info *info, livetcp_usec now, bool *rtcp);

/* Returns a packet to the front of the send queue, unless it is acknowledged or another connection
 * carries a copy: `slot` has not written it completely, or was lost before its acknowledgement.
 * Takes over the reference; NULL is allowed. */
void lt_sender_take_back(lt_sender *sender, lt_packet *packet, unsigned slot);

/* Returns a packet that TCP acknowledged, but that has not arrived and that no connection carries,
 * to the front of the send queue, where it is dropped if it is late. Takes over the reference.
 * False: it is lost for good, and counted. */
bool lt_sender_send_again(lt_sender *sender, lt_packet *packet);

/* Limits of a link, from the rate component. */
typedef struct lt_link_limit {
    uint64_t window;    /* bytes that its connections may have in flight; UINT64_MAX = no limit */
    uint64_t rate;      /* bytes per second that the link carries; 0 = unknown */
    bool extra_allowed; /* for copies and parity, beyond the media */
    bool overrun;       /* other senders make it lose many packets, whatever is sent */
    bool filled;        /* by an encoder that follows, and it loses nothing */
    double headroom; /* extra bytes per byte of media that the link carries, for policies that want
                        them limited; HUGE_VAL = unknown */
} lt_link_limit;

void lt_sender_limit(lt_sender *sender, unsigned link, const lt_link_limit *limit);

/* Sets the spacing of a packet's copies; 0 = all at once. `joint_loss` as in livetcp_policy_view.
 */
void lt_sender_space_copies(lt_sender *sender, livetcp_usec spacing_us, livetcp_usec burst_us,
                            double joint_loss);

/* Makes delayed copies due now: no media follows among which they could be spread. */
void lt_sender_flush_copies(lt_sender *sender);

/* Drops everything that waits, since the peer does not read it; if `ended`, also packets that are
 * taken back later. */
void lt_sender_clear(lt_sender *sender, bool ended);

/* ---- out of the send queue ---- */

/* Call it before placing: drops packets that would be late, and requests key frames. */
void lt_sender_begin_round(lt_sender *sender, const lt_links *links, livetcp_usec now);

/* A packet that was placed on connections. */
typedef struct lt_placed {
    lt_packet *packet; /* with a reference for the caller */
    unsigned copies;
    bool protect; /* the policy wants it in a parity group */
} lt_placed;

/* Asks the policy for the connections of the oldest packet. False if it waits, or there is none. */
bool lt_sender_place(lt_sender *sender, const lt_links *links, livetcp_usec now, lt_placed *placed);

typedef enum lt_parity_placed {
    LT_PARITY_WAITS,   /* for a connection */
    LT_PARITY_DROPPED, /* the budget is spent, or the peer does not know the parity on the chosen
                          slot */
    LT_PARITY_PLACED
} lt_parity_placed;

/* Asks the policy for the connection of a parity packet; `known`: slots (bit i) on which the peer
 * recognizes parity. */
lt_parity_placed lt_sender_place_parity(lt_sender *sender, const lt_links *links, lt_packet *parity,
                                        uint32_t known, livetcp_usec now);

/* Places a delayed copy that is due. False if there is none, or no connection takes it. */
bool lt_sender_place_delayed_copy(lt_sender *sender, const lt_links *links, livetcp_usec now);

/* Asks the policy about an unacknowledged packet, and sets its review_us. True if another copy was
 * placed. */
bool lt_sender_review(lt_sender *sender, const lt_links *links, lt_packet *packet,
                      livetcp_usec now);

/* ---- outboxes ---- */

/* Bytes for the next write call. *finishing is the packet that ends with them, or NULL. */
bool lt_sender_next_write(lt_sender *sender, const lt_links *links, livetcp_engine_write *write,
                          const lt_packet **finishing);

/* The kernel took `size` of these bytes. Returns the packet that is now complete, with its
 * reference, or NULL. *first: it is media, and its first complete copy. */
lt_packet *lt_sender_wrote(lt_sender *sender, unsigned slot, size_t size, bool *first);

bool lt_sender_add_control(lt_sender *sender, unsigned slot, const uint8_t *frame, size_t size);

/* Empties the slot's outbox. Returns the packet in it, with its reference, or NULL. */
lt_packet *lt_sender_empty_outbox(lt_sender *sender, unsigned slot);

/* The slot has nothing to write; and its next byte begins a frame. */
bool lt_sender_idle(const lt_sender *sender, unsigned slot);
bool lt_sender_at_boundary(const lt_sender *sender, unsigned slot);

/* ---- the kernel's send buffers ---- */

/* See livetcp_engine_wants_writable() and _unsent_limit(). */
uint32_t lt_sender_wants_writable(const lt_sender *sender, const lt_links *links);
uint32_t lt_sender_unsent_limit(const lt_sender *sender, const livetcp_path *path);

/* Path info is needed: for the policy, or to limit send buffers. */
bool lt_sender_uses_path_info(const lt_sender *sender);

/* ---- time, settings, statistics ---- */

livetcp_usec lt_sender_deadline(const lt_sender *sender);
void lt_sender_expire(lt_sender *sender, const lt_links *links, livetcp_usec now);

/* Applies other settings, or another policy with fresh state, from the next decision on. Errors:
 * LIVETCP_ERR_NO_MEMORY; nothing is changed then. */
livetcp_result lt_sender_configure(lt_sender *sender, const livetcp_config *config,
                                   const livetcp_policy *policy);

/* True once when the send queue has become empty after packets had to wait. */
bool lt_sender_drained(lt_sender *sender);

size_t lt_sender_queued(const lt_sender *sender); /* packets */
size_t lt_sender_queued_bytes(const lt_sender *sender);
/* The send queue takes so many packets back, and half of it stays free for new ones. */
bool lt_sender_has_space(const lt_sender *sender, size_t packets, size_t bytes);
size_t lt_sender_delayed_copies(const lt_sender *sender);           /* copies to be sent later */
bool lt_sender_copy_due(const lt_sender *sender, livetcp_usec now); /* one of these is due */
livetcp_usec lt_sender_queue_delay(const lt_sender *sender, livetcp_usec now);

/* Bytes of media that the application has sent so far, without key frames. */
uint64_t lt_sender_offered(const lt_sender *sender);

/* Media bytes per second over the last second. */
uint64_t lt_sender_media_rate(lt_sender *sender, livetcp_usec now);

void lt_sender_gather(const lt_sender *sender, const lt_links *links, livetcp_usec now,
                      livetcp_session_stats *stats);
void lt_sender_gather_slot(const lt_sender *sender, unsigned slot, livetcp_connection_stats *stats);

#endif
