/* SPDX-License-Identifier: MIT */
/*
 * State of the sender component, shared by its files:
 *
 *   readiness.c    which connections take a packet now
 *   policy_view.c  what the policy is shown
 *   copies.c       copies: budget, outboxes, spacing in time
 *   placing.c      the policy's decisions
 *   accept.c       packets that enter the send queue
 *   sender.c       creation, settings, outboxes, deadlines, statistics
 *
 * Each calls only those before it.
 */
#ifndef LT_ENGINE_SENDER_SENDER_PRIVATE_H
#define LT_ENGINE_SENDER_SENDER_PRIVATE_H

#include "engine/sender/sender.h"

#include "engine/sender/budget.h"
#include "engine/sender/delayed_copies.h"
#include "engine/sender/live_queue.h"
#include "engine/sender/outbox.h"
#include "engine/sender/policy_run.h"
#include "engine/sender/repeats.h"
#include "rtp/importance/importance.h"

/* Media with a budget of its own for copies and parity. Audio is few bytes, and every gap in it is
 * heard: it has its copies whatever video has spent. */
typedef enum lt_paid_kind { LT_PAID_AUDIO, LT_PAID_REST, LT_PAID_KINDS } lt_paid_kind;

static inline lt_paid_kind lt_paid_kind_of(const lt_packet *packet)
{
    return lt_packet_class(packet) == LIVETCP_IMPORTANCE_AUDIO ? LT_PAID_AUDIO : LT_PAID_REST;
}

struct lt_sender {
    livetcp_config config;
    lt_policy_run policy;
    double cost; /* bytes that the policy always sends beyond each byte of media */
    lt_events *events;

    lt_live_queue queue;
    lt_importance_state importance; /* of packets with a parsed payload */
    lt_repeats repeats;
    lt_budget budgets[LT_PAID_KINDS];          /* of copies and parity, for the session, */
    lt_budget link_budgets[LIVETCP_MAX_LINKS]; /*   and for each link, of all kinds */
    lt_delayed_copies delayed;
    livetcp_usec spacing_us; /* between copies of a packet; 0 = all at once */
    livetcp_usec burst_us;   /* mean length of a burst of losses; 0 = none */
    double joint_loss;       /* as in livetcp_policy_view */
    livetcp_usec retry_us;   /* when to ask the policy again; LIVETCP_NEVER = not */
    bool backlogged;         /* packets had to wait since the last lt_sender_drained() */
    bool ended;              /* packets taken back are dropped */

    lt_link_limit limits[LIVETCP_MAX_LINKS];
    unsigned links; /* links [0, links) have had a limit */

    livetcp_policy_view views[LT_PAID_KINDS]; /* the policy's last views in this round, */
    bool view_holds[LT_PAID_KINDS];           /*   and nothing has changed since */

    lt_outbox outboxes[LIVETCP_MAX_CONNECTIONS];
    unsigned next_to_write; /* slot to look at first, so that none starves */

    struct {
        uint64_t packets, bytes;
    } slots[LIVETCP_MAX_CONNECTIONS], sent;
    uint64_t accepted_packets, accepted_bytes, refused, resent, lost;
    uint64_t offered; /* bytes of media accepted that are in no key frame */
    double largest;   /* bytes, as livetcp_policy_view.largest_packet */
    uint64_t copies, extra_bytes, policy_errors;
    livetcp_usec max_queue_delay_us;
};

/* The policy is asked again, and a packet reviewed again, no sooner than this. */
#define LT_RETRY_MIN_US 1000

/* ---- readiness.c ---- */

/* True if the path's link takes copies and parity. */
bool lt_sender_takes_extra(const lt_sender *sender, const livetcp_path *path);

/* True if the measured headroom of the path's link bounds these. */
bool lt_sender_heeds_headroom(const lt_sender *sender, const livetcp_path *path);

/* Fills in the fields of the links' paths that are the sender's. */
void lt_sender_refresh_paths(lt_sender *sender, const lt_links *links);

/* Bit i: slot i takes a packet, as of the last refresh. */
uint32_t lt_sender_ready_paths(const lt_links *links);

/* Time after which to look again whether a connection takes a packet. */
livetcp_usec lt_sender_retry_after(const lt_links *links);

/* ---- policy_view.c ---- */

/* Bytes that copies and parity of the kind may still take on a path; and on the link with the most
 * of them. */
size_t lt_sender_extra_on(lt_sender *sender, const livetcp_path *path, lt_paid_kind kind,
                          livetcp_usec now);
size_t lt_sender_extra_left(lt_sender *sender, const lt_links *links, lt_paid_kind kind,
                            livetcp_usec now);

/* The policy's view of the session, for a packet of the kind; valid until the next packet is
 * placed. */
const livetcp_policy_view *lt_sender_view(lt_sender *sender, const lt_links *links,
                                          lt_paid_kind kind, livetcp_usec now);

/* The views are out of date. */
static inline void lt_sender_forget_views(lt_sender *sender)
{
    sender->view_holds[LT_PAID_AUDIO] = sender->view_holds[LT_PAID_REST] = false;
}

/* The policy's view of a packet. */
livetcp_packet_view lt_sender_describe(const lt_packet *packet);

/* ---- copies.c ---- */

/* Puts copies into the outboxes of these slots (bit i = slot i). `first`: the packet's first copy
 * is among them, which costs nothing; the budget pays for the others as far as it goes. Returns the
 * number of copies. */
unsigned lt_sender_put_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                              uint32_t slots, bool first, livetcp_usec now);

/* Puts a copy into the outbox of a slot, whatever room its link has: only the budget limits it.
 * False if that does not suffice. */
bool lt_sender_put_without_room(lt_sender *sender, const lt_links *links, lt_packet *packet,
                                unsigned slot, livetcp_usec now);

/* As lt_sender_put_copies(), with all but the soonest copy spread in time if copies are spaced. The
 * number includes those that follow later. */
unsigned lt_sender_spread_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                                 uint32_t slots, bool first, livetcp_usec now);

#endif
