/* SPDX-License-Identifier: MIT */
/*
 * A session: one object of each component, and the order of their work on every event. No component
 * knows another's struct; information passes from one to another through these files:
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
    lt_control_writer writer; /* the sender's outboxes */
    lt_links *links;
    lt_sender *sender;
    lt_repair *repair;
    lt_receiver *receiver;
    lt_reports *reports;
    lt_link_rates rates;
    lt_link_health health;
    lt_link_meter meter;
    lt_outage_probes outage;
    unsigned probed_link; /* link of the last outage probe */

    bool sent_wanted;    /* emit SENT once everything is written */
    uint32_t unchanged;  /* bit i: path info of slot i is wanted, and equals the last one */
    livetcp_usec now_us; /* time of the current input or expiry */
    uint64_t protocol_errors;
    bool loss_warned;        /* a warning was sent that packets acknowledged by TCP were lost */
    unsigned rejection_code; /* from the peer's application */
    char rejection[LT_REJECT_TEXT_MAX + 1];
};

static inline livetcp_path *lt_session_path(const livetcp_engine *engine, unsigned slot)
{
    return &lt_links_paths(engine->links)[slot];
}

/* Owners pass slot numbers; invalid ones are ignored. */
static inline bool lt_session_is_slot(unsigned connection)
{
    return connection < LIVETCP_MAX_CONNECTIONS;
}

/* ---- session.c ---- */

/* From now on the connection carries nothing but the reason for its end: BYE or REJECT, if
 * `say_goodbye` and the stream is between frames. */
void lt_session_begin_close(livetcp_engine *engine, unsigned slot, livetcp_result reason,
                            bool say_goodbye, livetcp_usec now);

/* Returns a connection's packets in flight to the send queue, in order. */
void lt_session_take_back_written(livetcp_engine *engine, unsigned slot);

/* Input on this connection may have changed the connections' states. */
void lt_session_on_changed(livetcp_engine *engine, unsigned slot, livetcp_usec now);

/* The peer sent BYE on this connection. It writes nothing more, but earlier data may still be in
 * flight on the other connections: the session ends when they have ended, or after peer-timeout. */
void lt_session_on_goodbye(livetcp_engine *engine, unsigned slot, livetcp_usec now);

/* Ends a session whose queue has drained after close(), whose time for that is over, or whose peer
 * has ended all connections. */
void lt_session_check_drained(livetcp_engine *engine, livetcp_usec now);

/* Closes slots that failed by themselves, and those that the session does not want for now. */
void lt_session_close_failed(livetcp_engine *engine, livetcp_usec now);

/* Closes the connections that an outage has left stuck. */
void lt_session_give_up_stuck(livetcp_engine *engine, livetcp_usec now);

/* ---- session_outage.c ---- */

/* Closes the spare connection once all others have recovered. Its packets in flight are sent again
 * on those. */
void lt_session_close_spare(livetcp_engine *engine, livetcp_usec now);

/* Detects the beginning and the end of an outage, from the links' health. */
void lt_session_watch_for_outage(livetcp_engine *engine, livetcp_usec now);

/* ---- session_path.c ---- */

/* Applies the unchanged path info of the slots below `end`. Path info must be applied in the order
 * of slots, since groups and queues are derived from all of them. */
void lt_session_answer_unchanged(livetcp_engine *engine, unsigned end, livetcp_usec now);

/* ---- session_receive.c: callbacks of the receiver ---- */

livetcp_result lt_session_on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                     livetcp_usec now);
lt_receive_permission lt_session_permission(void *user, unsigned slot);

#endif
