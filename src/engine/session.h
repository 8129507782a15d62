/* SPDX-License-Identifier: MIT */
/*
 * A session from the inside: one of each component. session.c has the order of their work on every
 * event, session_create.c how they are made and call each other back, session_settings.c the
 * settings of one that runs, session_stats.c its statistics. No component knows another's inside;
 * information from one to another passes through here.
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

/* The receiver's: session.c has what a message and a connection's state mean. */
livetcp_result lt_session_on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                     livetcp_usec now);
lt_receive_permission lt_session_permission(void *user, unsigned slot);

#endif
