/* SPDX-License-Identifier: MIT */
/*
 * A session from the inside: one of each component, and the order of their work on every event. No
 * component knows another's inside; information from one to another passes through here.
 *
 *   session.c           connections, and the session's state
 *   session_outage.c    outages of all connections
 *   session_path.c      path information
 *   session_receive.c   input: media and messages
 *   session_time.c      deadlines
 *   session_send.c      output: the next write
 *   session_create.c    creation of the components, and their callbacks
 *   session_settings.c  settings of a running session
 *   session_stats.c     statistics
 *
 * Each calls only those before it.
 */
#ifndef LT_ENGINE_SESSION_H
#define LT_ENGINE_SESSION_H

#include "base/rng.h"
#include "engine/control_writer.h"
#include "engine/events.h"
#include "engine/life.h"
#include "engine/links/link_health.h"
#include "engine/links/link_meter.h"
#include "engine/links/links.h"
#include "engine/links/outage_probes.h"
#include "engine/rate/link_rates.h"
#include "engine/receiver/receiver.h"
#include "engine/repair/repair.h"
#include "engine/reports/reports.h"
#include "engine/sender/sender.h"
#include "wire/reason.h"

struct livetcp_engine {
    livetcp_config config;
    const livetcp_policy *policy;
    bool caller, plain;
    void (*on_packet)(void *user, const livetcp_packet *packet);
    void *user;
    lt_rng jitter; /* spreads simultaneous actions of many sessions */

    lt_events events;
    lt_life life;
    lt_control_writer writer; /* to the sender */
    lt_links *links;
    lt_sender *sender;
    lt_repair *repair;
    lt_receiver *receiver;
    lt_reports *reports;
    lt_link_rates rates;
    lt_link_health health;
    lt_link_meter meter;
    lt_outage_probes outage;
    unsigned probed_link; /* of the last probe */

    bool sent_wanted;    /* SENT is to be emitted once all is written */
    uint32_t unchanged;  /* bit i: path info of slot i is wanted, and known */
    livetcp_usec now_us; /* while something is received or expires: when */
    uint64_t protocol_errors;
    bool loss_warned;        /* that packets were lost although TCP had acknowledged them */
    unsigned rejection_code; /* of the peer's application */
    char rejection[LT_REJECT_TEXT_MAX + 1];
};

static inline livetcp_path *lt_session_path(const livetcp_engine *engine, unsigned slot)
{
    return &lt_links_paths(engine->links)[slot];
}

/* Owners pass slot numbers; unknown ones are ignored. */
static inline bool lt_session_is_slot(unsigned connection)
{
    return connection < LIVETCP_MAX_CONNECTIONS;
}

/* ---- session.c ---- */

/* From here on the connection carries nothing but the reason: a BYE or a REJECT, if the peer is to
 * have it and can read it. */
void lt_session_begin_close(livetcp_engine *engine, unsigned slot, livetcp_result reason,
                            bool say_goodbye, livetcp_usec now);

/* Packets in flight on a connection go back to the send queue, in order. */
void lt_session_take_back_written(livetcp_engine *engine, unsigned slot);

/* The states of connections may have changed by what came on this one. */
void lt_session_on_changed(livetcp_engine *engine, unsigned slot, livetcp_usec now);

/* The peer sent BYE on this connection. It writes no more, but its earlier data on the others may
 * still be on the way: the session ends when they have, or after peer-timeout. */
void lt_session_on_goodbye(livetcp_engine *engine, unsigned slot, livetcp_usec now);

/* Finishes a close() whose queue has drained or whose time is up, and a session whose peer has
 * ended all connections. */
void lt_session_check_drained(livetcp_engine *engine, livetcp_usec now);

/* Closes slots that failed by themselves, and those that the session does not want for now. */
void lt_session_close_failed(livetcp_engine *engine, livetcp_usec now);

/* ---- session_outage.c ---- */

/* Closes the spare connection once all others have recovered. Its packets in flight are sent again
 * on those. */
void lt_session_close_spare(livetcp_engine *engine, livetcp_usec now);

/* Detects the beginning and the end of an outage, from the links' health. */
void lt_session_watch_for_outage(livetcp_engine *engine, livetcp_usec now);

/* ---- session_path.c ---- */

/* Gives the known answers of the slots below `end`: in the order of the slots with those of the
 * platform, since together they tell groups and queues. */
void lt_session_answer_unchanged(livetcp_engine *engine, unsigned end, livetcp_usec now);

/* ---- session_receive.c: the receiver's ---- */

livetcp_result lt_session_on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                     livetcp_usec now);
lt_receive_permission lt_session_permission(void *user, unsigned slot);

#endif
