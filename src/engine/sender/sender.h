/* SPDX-License-Identifier: MIT */
/*
 * From the application's packet to the next write: send queue, policy, outbox. A packet stays in
 * the send queue, where it can still be dropped or go anywhere, until the policy gives it to
 * connections that take it now; the budget pays for every copy beyond the first.
 *
 * The sender reads the links' paths, and fills in `ready` and `send_limit_bytes` there.
 */
#ifndef LT_ENGINE_SENDER_SENDER_H
#define LT_ENGINE_SENDER_SENDER_H

#include "engine/events.h"
#include "engine/links/links.h"
#include "engine/packet.h"

typedef struct lt_sender lt_sender;

/* The settings that matter are copied. `policy` must outlive the sender. NULL if memory is out. */
lt_sender *lt_sender_create(const livetcp_config *config, const livetcp_policy *policy,
                            lt_events *events);
void lt_sender_destroy(lt_sender **sender);

/* ---- into the send queue ---- */

/* A packet of the application's; *rtcp is its kind on success. Errors: as livetcp_engine_send(). */
livetcp_result lt_sender_accept(lt_sender *sender, const uint8_t *data, size_t size,
                                const livetcp_packet_info *info, livetcp_usec now, bool *rtcp);

/* A packet that `slot` did not write whole, or whose acknowledgement did not come before the
 * connection was lost: back to the front of the send queue, unless another connection carries a
 * copy. Takes over the reference; NULL is fine. */
void lt_sender_take_back(lt_sender *sender, lt_packet *packet, unsigned slot);

/* A packet that was acknowledged and has not arrived, and that no connection carries: back to the
 * front of the send queue, which drops it there if it is late. Takes over the reference. False: it
 * is lost for good, and counted. */
bool lt_sender_send_again(lt_sender *sender, lt_packet *packet);

/* The rate component's limits of a link. */
typedef struct lt_link_limit {
    uint64_t window;    /* bytes that its connections may have in flight; UINT64_MAX = no limit */
    uint64_t rate;      /* bytes per second that get through; 0 = not known */
    bool extra_allowed; /* copies and parity, beyond the media */
    double headroom;    /* extra bytes for a byte of media, for policies that ask for what the link
                           carries; HUGE_VAL = not known */
} lt_link_limit;

void lt_sender_limit(lt_sender *sender, unsigned link, const lt_link_limit *limit);

/* How far apart copies of a packet are sent from now on; 0 = at once. `joint_loss` as in
 * livetcp_policy_view. */
void lt_sender_space_copies(lt_sender *sender, livetcp_usec spacing_us, double joint_loss);

/* Copies that wait are due now: nothing follows that they could be spread over. */
void lt_sender_flush_copies(lt_sender *sender);

/* Forgets all that waits, when nobody will read it; from take_back() on, too, if `ended`. */
void lt_sender_clear(lt_sender *sender, bool ended);

/* ---- out of it ---- */

/* Before placing: drops packets that would be late, and asks for key frames. */
void lt_sender_begin_round(lt_sender *sender, const lt_links *links, livetcp_usec now);

/* A packet that was given to connections. */
typedef struct lt_placed {
    lt_packet *packet; /* the reference is the caller's */
    unsigned copies;
    bool protect; /* the policy wants it in a parity group */
} lt_placed;

/* Asks the policy where the oldest packet goes. False if it waits, or there is none. */
bool lt_sender_place(lt_sender *sender, const lt_links *links, livetcp_usec now, lt_placed *placed);

typedef enum lt_parity_placed {
    LT_PARITY_WAITS,   /* for a connection */
    LT_PARITY_DROPPED, /* the budget is spent, or the peer would take it for media there */
    LT_PARITY_PLACED
} lt_parity_placed;

/* Asks the policy where a parity packet goes; `known`: slots (bit i) where the peer knows it. */
lt_parity_placed lt_sender_place_parity(lt_sender *sender, const lt_links *links, lt_packet *parity,
                                        uint32_t known, livetcp_usec now);

/* A copy that waited for its time goes out. False if none is due, or no connection takes it. */
bool lt_sender_place_later_copy(lt_sender *sender, const lt_links *links, livetcp_usec now);

/* Asks the policy about a packet that is under way and not acknowledged, and sets its review_us.
 * True if a further copy was given to a connection. */
bool lt_sender_review(lt_sender *sender, const lt_links *links, lt_packet *packet,
                      livetcp_usec now);

/* ---- outboxes ---- */

/* The next bytes to write in one go; `finishing` is the packet whose last byte they end with, or
 * NULL. */
bool lt_sender_next_write(lt_sender *sender, const lt_links *links, livetcp_engine_write *write,
                          const lt_packet **finishing);

/* The kernel took `size` of these bytes. Returns the packet that is complete now, with its
 * reference, or NULL; *first: no connection had it before, and it is the application's. */
lt_packet *lt_sender_wrote(lt_sender *sender, unsigned slot, size_t size, bool *first);

bool lt_sender_add_control(lt_sender *sender, unsigned slot, const uint8_t *frame, size_t size);

/* The packet that the slot was writing or about to, with its reference, or NULL; the outbox is
 * empty then. */
lt_packet *lt_sender_empty_outbox(lt_sender *sender, unsigned slot);

/* Nothing waits to be written in that slot; the next byte begins a frame. */
bool lt_sender_idle(const lt_sender *sender, unsigned slot);
bool lt_sender_at_boundary(const lt_sender *sender, unsigned slot);

/* ---- the kernel's send buffers ---- */

/* See livetcp_engine_wants_writable() and _unsent_limit(). */
uint32_t lt_sender_wants_writable(const lt_sender *sender, const lt_links *links);
uint32_t lt_sender_unsent_limit(const lt_sender *sender, const livetcp_path *path);

/* The platform is asked about connections at all: the policy may want to know, and send buffers
 * are limited whatever it wants. */
bool lt_sender_uses_path_info(const lt_sender *sender);

/* ---- time, settings, statistics ---- */

livetcp_usec lt_sender_deadline(const lt_sender *sender);
void lt_sender_expire(lt_sender *sender, const lt_links *links, livetcp_usec now);

/* Another policy, with fresh state, or other settings, from the next decision on. Errors:
 * LIVETCP_ERR_NO_MEMORY; nothing is changed then. */
livetcp_result lt_sender_configure(lt_sender *sender, const livetcp_config *config,
                                   const livetcp_policy *policy);

/* The send queue is empty after packets had to wait; true once. */
bool lt_sender_drained(lt_sender *sender);

size_t lt_sender_queued(const lt_sender *sender);       /* packets */
size_t lt_sender_later_copies(const lt_sender *sender); /* copies that wait for their time */
bool lt_sender_copy_due(const lt_sender *sender, livetcp_usec now); /* one of these is due */
livetcp_usec lt_sender_queue_delay(const lt_sender *sender, livetcp_usec now);

/* Media bytes per second over the last second. */
uint64_t lt_sender_media_rate(lt_sender *sender, livetcp_usec now);

void lt_sender_gather(const lt_sender *sender, const lt_links *links, livetcp_usec now,
                      livetcp_session_stats *stats);
void lt_sender_gather_slot(const lt_sender *sender, unsigned slot, livetcp_connection_stats *stats);

#endif
