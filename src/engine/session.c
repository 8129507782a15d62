/* SPDX-License-Identifier: MIT */
/*
 * A session: one of each component, and the order of their work on every event. No component knows
 * another's inside; information from one to another passes through here.
 */
#include "base/error.h"
#include "base/rng.h"
#include "base/sized.h"
#include "engine/events.h"
#include "engine/links/link_health.h"
#include "engine/links/link_meter.h"
#include "engine/links/links.h"
#include "engine/links/outage_probes.h"
#include "engine/memory.h"
#include "engine/pending.h"
#include "engine/rate/link_rates.h"
#include "engine/receiver/receiver.h"
#include "engine/repair/repair.h"
#include "engine/reports/reports.h"
#include "engine/sender/sender.h"
#include "settings/settings.h"
#include "wire/authenticator.h"
#include "wire/reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct livetcp_engine {
    livetcp_config config;
    const livetcp_policy *policy;
    bool caller, plain;
    void (*on_packet)(void *user, const livetcp_packet *packet);
    void *user;
    lt_rng jitter; /* spreads simultaneous actions of many sessions */

    lt_events events;
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

    /* Life. */
    livetcp_session_state state;
    bool closing;    /* close() was called and the queue drains, or the peer sent BYE */
    bool peer_ended; /* a BYE came; connections are read until each has ended */
    livetcp_result close_reason;
    livetcp_usec drain_until_us;
    livetcp_usec abandoned_at_us; /* listener: when a session without connections ends */
};

static livetcp_path *path_of(const livetcp_engine *engine, unsigned slot)
{
    return &lt_links_paths(engine->links)[slot];
}

/* Owners pass slot numbers; unknown ones are ignored. */
static bool is_slot(unsigned connection)
{
    return connection < LIVETCP_MAX_CONNECTIONS;
}

/* ---- callbacks of components ---- */

static bool write_control(void *user, unsigned slot, const uint8_t *frame, size_t size)
{
    const livetcp_engine *engine = user;

    return lt_sender_add_control(engine->sender, slot, frame, size);
}

static bool has_way(const void *user)
{
    const livetcp_engine *engine = user;

    return lt_links_has_way(engine->links);
}

static bool write_report(void *user, int slot, const uint8_t *frame, size_t size, livetcp_usec now)
{
    const livetcp_engine *engine = user;

    if (slot == LT_REPORTS_QUICKEST)
        slot = lt_links_quickest(engine->links, now);
    return slot >= 0 && lt_sender_add_control(engine->sender, (unsigned)slot, frame, size);
}

static void on_acknowledged(void *user, unsigned slot, const lt_packet *packet,
                            livetcp_usec written_us, livetcp_usec now)
{
    const livetcp_engine *engine = user;

    lt_reports_on_acknowledged(engine->reports, path_of(engine, slot), packet, written_us, now);
}

static void hand_over(const livetcp_engine *engine, const lt_arrival *arrival)
{
    livetcp_packet packet = {.data = arrival->data,
                             .size = arrival->size,
                             .arrival_us = arrival->arrival_us,
                             .connection = arrival->connection,
                             .rtcp = arrival->rtcp,
                             .report = arrival->report,
                             .discontinuity = arrival->discontinuity};

    if (engine->on_packet)
        engine->on_packet(engine->user, &packet);
}

static void on_media(void *user, const lt_arrival *arrival)
{
    const livetcp_engine *engine = user;

    lt_reports_on_delivered(engine->reports, arrival, engine->now_us);
    hand_over(engine, arrival);
}

static void on_rtcp(void *user, const lt_arrival *arrival)
{
    const livetcp_engine *engine = user;

    lt_reports_on_rtcp(engine->reports, arrival);
    hand_over(engine, arrival);
}

static lt_receive_permission permission(void *user, unsigned slot)
{
    const livetcp_engine *engine = user;

    if (lt_links_closing(engine->links, slot, NULL, NULL) ||
        !lt_links_has_socket(engine->links, slot))
        return LT_RECEIVE_NOTHING;
    return lt_links_takes_media(engine->links, slot) ? LT_RECEIVE_ALL : LT_RECEIVE_CONTROL;
}

static livetcp_result on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                 livetcp_usec now);

/* ---- made and freed ---- */

static unsigned slots_wanted(const livetcp_engine *engine)
{
    unsigned wanted = engine->config.connections;
    unsigned useful = engine->policy->max_connections;

    if (engine->plain)
        return 1;
    return engine->caller && useful && useful < wanted ? useful : wanted;
}

static livetcp_result create_links(livetcp_engine *engine, const livetcp_engine_setup *setup,
                                   const livetcp_config *config)
{
    lt_links_setup links = {.config = config,
                            .caller = engine->caller,
                            .count = slots_wanted(engine),
                            .pending = setup->pending,
                            .random = setup->random,
                            .random_user = setup->random_user,
                            .jitter = &engine->jitter,
                            .events = &engine->events,
                            .writer = {.write = write_control, .user = engine}};
    uint64_t seed;
    livetcp_result result = setup->random(setup->random_user, (uint8_t *)&seed, sizeof seed);

    if (result != LIVETCP_OK)
        return result;
    lt_rng_seed(&engine->jitter, seed);
    return lt_links_create(&links, &engine->links);
}

static livetcp_result create_reports(livetcp_engine *engine, const livetcp_engine_setup *setup)
{
    lt_reports_setup reports = {
        .config = &engine->config,
        .cname = setup->cname,
        .random = setup->random,
        .random_user = setup->random_user,
        .rng = &engine->jitter,
        .sink = {.user = engine, .has_way = has_way, .write = write_report}};

    return lt_reports_create(&reports, &engine->reports);
}

static lt_repair *create_repair(livetcp_engine *engine, const livetcp_engine_setup *setup)
{
    lt_repair_setup repair = {.config = &engine->config,
                              .policy = engine->policy,
                              .uses_path_info = lt_sender_uses_path_info(engine->sender),
                              .random = setup->random,
                              .random_user = setup->random_user,
                              .writer = {.write = write_control, .user = engine},
                              .on_acknowledged = on_acknowledged,
                              .user = engine};

    return lt_repair_create(&repair);
}

/* `config` is the engine's, with the secrets that only the links need. */
static livetcp_result create_components(livetcp_engine *engine, const livetcp_engine_setup *setup,
                                        const livetcp_config *config)
{
    lt_receiver_sink sink = {.permission = permission,
                             .on_media = on_media,
                             .on_rtcp = on_rtcp,
                             .on_control = on_control,
                             .user = engine};
    livetcp_result result;

    lt_link_meter_init(&engine->meter);
    result = lt_link_rates_init(&engine->rates, &engine->config);
    if (result != LIVETCP_OK)
        return result;
    engine->receiver = lt_receiver_create(&engine->config, &sink);
    engine->sender = lt_sender_create(&engine->config, engine->policy, &engine->events);
    if (engine->sender)
        engine->repair = create_repair(engine, setup);
    if (!engine->receiver || !engine->sender || !engine->repair)
        return LIVETCP_ERR_NO_MEMORY;
    result = create_links(engine, setup, config);
    return result == LIVETCP_OK ? create_reports(engine, setup) : result;
}

/* Host and port are the owner's business. */
static livetcp_result check_setup(const livetcp_engine_setup *setup, livetcp_config *config,
                                  const livetcp_policy **policy, livetcp_error *error)
{
    livetcp_result result;

    if (!setup->config || !setup->random)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "an engine needs a config and a source of randomness: one of them is NULL");
    result = lt_config_read(config, setup->config, error);
    if (result == LIVETCP_OK && config->wire == LIVETCP_WIRE_AUTO)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "an engine is one session: set wire=session or wire=plain, as the first "
                       "bytes of its connection tell");
    if (result == LIVETCP_OK)
        result = lt_config_check_session(config, setup->policy, error);
    *policy = setup->policy ? setup->policy : livetcp_policy_find(config->policy);
    return result;
}

livetcp_result livetcp_engine_create(const livetcp_engine_setup *given, livetcp_engine **out,
                                     livetcp_error *error)
{
    livetcp_engine_setup setup = {.struct_size = 0};
    const livetcp_policy *policy = NULL;
    livetcp_config config;
    livetcp_engine *engine;
    livetcp_result result;

    *out = NULL;
    result =
        lt_sized_check(given, LT_SIZE_THROUGH(livetcp_engine_setup, cname), "livetcp_engine_setup",
                       "set it to sizeof(livetcp_engine_setup)", error);
    if (result != LIVETCP_OK)
        return result;
    lt_sized_read(&setup, sizeof setup, given);
    result = check_setup(&setup, &config, &policy, error);
    if (result != LIVETCP_OK)
        return result;
    engine = calloc(1, sizeof *engine);
    if (!engine)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    engine->config = config;
    lt_wipe(engine->config.token, sizeof engine->config.token);
    engine->policy = policy;
    engine->caller = setup.caller;
    engine->plain = config.wire == LIVETCP_WIRE_PLAIN;
    engine->on_packet = setup.on_packet;
    engine->user = setup.user;
    engine->abandoned_at_us = LIVETCP_NEVER;
    result = create_components(engine, &setup, &config);
    lt_wipe(config.token, sizeof config.token);
    if (result != LIVETCP_OK) {
        livetcp_engine_destroy(&engine);
        return lt_fail(error, result, "cannot make a session: %s", livetcp_result_text(result));
    }
    *out = engine;
    return LIVETCP_OK;
}

void livetcp_engine_destroy(livetcp_engine **owner)
{
    livetcp_engine *engine = *owner;

    if (!engine)
        return;
    lt_repair_destroy(&engine->repair);
    lt_sender_destroy(&engine->sender);
    lt_receiver_destroy(&engine->receiver);
    lt_reports_destroy(&engine->reports);
    lt_links_destroy(&engine->links);
    lt_link_rates_clear(&engine->rates);
    free(engine);
    *owner = NULL;
}

void lt_engine_share_memory(livetcp_engine *engine, lt_memory *memory)
{
    lt_receiver_share_memory(engine->receiver, memory);
}

/* ---- a connection ends ---- */

/* From here on it carries nothing but the reason: a BYE or a REJECT, if the peer can read it. */
static void begin_close(livetcp_engine *engine, unsigned slot, livetcp_result reason,
                        bool say_goodbye, livetcp_usec now)
{
    bool heard = say_goodbye && lt_sender_at_boundary(engine->sender, slot) &&
                 lt_links_has_socket(engine->links, slot);
    lt_control message = {.type = engine->closing ? LT_CONTROL_BYE : LT_CONTROL_REJECT,
                          .reason = (uint8_t)lt_reason_of(reason)};
    lt_control_writer writer = {.write = write_control, .user = engine};

    if (!lt_links_begin_close(engine->links, slot, reason, now))
        return;
    lt_sender_take_back(engine->sender, lt_sender_empty_outbox(engine->sender, slot), slot);
    if (heard && engine->closing)
        lt_reports_goodbye(engine->reports, slot, now);
    if (heard && !engine->plain)
        lt_control_write(&writer, slot, &message);
}

/* Slots that failed by themselves, and those that are not wanted for now. */
static void close_failed(livetcp_engine *engine, livetcp_usec now)
{
    livetcp_result reason;
    unsigned slot;

    while (lt_links_next_withdrawn(engine->links, &slot))
        begin_close(engine, slot, LIVETCP_OK, false, now);
    while (lt_links_next_failed(engine->links, &slot, &reason))
        begin_close(engine, slot, reason, true, now);
}

/* Packets in flight on a connection go back to the send queue, in order. */
static void take_back_written(livetcp_engine *engine, unsigned slot)
{
    /* A peer that has ended, or that got our BYE, reads nothing that comes a second time. */
    bool forget = engine->closing || engine->state == LIVETCP_SESSION_CLOSED;
    lt_packet *packet;

    while ((packet = lt_repair_take_back(engine->repair, engine->links, slot, forget)))
        lt_sender_take_back(engine->sender, packet, slot);
}

/* And those that a lost connection has not written. */
static void take_back(livetcp_engine *engine, unsigned slot)
{
    lt_sender_take_back(engine->sender, lt_sender_empty_outbox(engine->sender, slot), slot);
    take_back_written(engine, slot);
}

static void finish(livetcp_engine *engine, livetcp_usec now);
static void update_state(livetcp_engine *engine, livetcp_usec now);

/* The session is about to end, for this reason. */
static void set_closing(livetcp_engine *engine, livetcp_result reason)
{
    engine->close_reason = reason;
    engine->closing = true;
    lt_links_set_ending(engine->links);
    lt_outage_probes_stop(&engine->outage);
    lt_reports_on_closing(engine->reports);
}

/* The TCP connection is gone. */
static void detach(livetcp_engine *engine, unsigned slot, livetcp_result reason, livetcp_usec now)
{
    livetcp_result result;
    bool renewed;

    take_back(engine, slot);
    lt_repair_reset_slot(engine->repair, slot);
    lt_reports_on_ended(engine->reports, slot, lt_receiver_arrived(engine->receiver, slot), now);
    lt_receiver_reset(engine->receiver, slot);
    lt_reports_reset_slot(engine->reports, slot);
    lt_rate_reset_slot(lt_link_rates_of(&engine->rates, slot), slot);
    lt_link_health_lost(&engine->health, slot);
    lt_link_meter_reset_slot(&engine->meter, slot);
    result = lt_links_detach(engine->links, slot, reason, now, &renewed);
    if (engine->state == LIVETCP_SESSION_CLOSED)
        return;
    if (renewed) {
        lt_reports_on_new_peer(engine->reports);
        lt_kept_clear(lt_repair_kept(engine->repair)); /* it forgot our connections, too */
    }
    if (result != LIVETCP_OK) {
        set_closing(engine, result);
        finish(engine, now);
        return;
    }
    close_failed(engine, now);
    update_state(engine, now);
}

/* ---- a session's state ---- */

static void set_state(livetcp_engine *engine, livetcp_session_state state, livetcp_result reason)
{
    if (engine->state == state)
        return;
    engine->state = state;
    lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_SESSION_STATE,
                                                           .state.session = state,
                                                           .reason = reason});
}

/* BYE on every connection, then every slot is closed; the session is CLOSED from here on. */
static void finish(livetcp_engine *engine, livetcp_usec now)
{
    lt_repair_close(engine->repair);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        begin_close(engine, i, engine->close_reason, true, now);
    lt_sender_clear(engine->sender, true);               /* unwritten packets, too */
    lt_receiver_expire(engine->receiver, LIVETCP_NEVER); /* nothing fills a gap any more */
    lt_links_end(engine->links);
    set_state(engine, LIVETCP_SESSION_CLOSED, engine->close_reason);
}

static bool all_written(const livetcp_engine *engine)
{
    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        if (!lt_sender_idle(engine->sender, i))
            return false;
    return lt_sender_queued(engine->sender) == 0 && lt_sender_later_copies(engine->sender) == 0;
}

static void notify_if_sent(livetcp_engine *engine)
{
    if (!engine->sent_wanted || engine->state == LIVETCP_SESSION_CLOSED || !all_written(engine))
        return;
    engine->sent_wanted = false;
    lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_SENT});
}

/* Finishes a close() whose queue has drained or whose time is up, and a session whose peer has
 * ended all connections. */
static void check_drained(livetcp_engine *engine, livetcp_usec now)
{
    bool done;

    notify_if_sent(engine);
    if (!engine->closing || engine->state == LIVETCP_SESSION_CLOSED)
        return;
    done = engine->peer_ended ? lt_links_open_count(engine->links) == 0
                              : all_written(engine) && !lt_links_is_entering(engine->links);
    if (done || now >= engine->drain_until_us)
        finish(engine, now);
}

/* A listener's session waits for its caller to come back, unless it never proved to be anybody. */
static livetcp_usec linger(const livetcp_engine *engine)
{
    return lt_links_confirmed(engine->links) && !engine->plain ? engine->config.linger_us : 0;
}

/* Works out the session's state from its connections'. */
static void update_state(livetcp_engine *engine, livetcp_usec now)
{
    livetcp_result last_loss = lt_links_last_loss(engine->links);

    if (engine->state == LIVETCP_SESSION_CLOSED)
        return;
    if (engine->peer_ended) {
        check_drained(engine, now);
        return;
    }
    if (lt_links_open_count(engine->links) > 0) {
        engine->abandoned_at_us = LIVETCP_NEVER;
        set_state(engine, LIVETCP_SESSION_OPEN, LIVETCP_OK);
        return;
    }
    if (engine->state == LIVETCP_SESSION_OPEN && !engine->caller) {
        livetcp_usec wait = linger(engine);
        engine->abandoned_at_us = now + wait;
        if (wait == 0) {
            livetcp_engine_close(engine, last_loss, 0, now);
            return;
        }
    }
    if (engine->caller && !lt_links_has_future(engine->links)) {
        livetcp_engine_close(engine, last_loss, 0, now);
        return;
    }
    set_state(engine, LIVETCP_SESSION_CONNECTING, last_loss);
}

/* The peer sent BYE on this connection. It writes no more, but its earlier data on the others may
 * still be on the way: the session ends when they have, or after peer-timeout. */
static void on_goodbye(livetcp_engine *engine, unsigned slot, livetcp_usec now)
{
    if (!engine->peer_ended) {
        set_closing(engine, LIVETCP_ERR_CLOSED);
        engine->peer_ended = true;
        engine->drain_until_us = now + engine->config.peer_timeout_us;
    }
    begin_close(engine, slot, LIVETCP_ERR_CLOSED, false, now);
    lt_sender_clear(engine->sender, false); /* the peer does not read it */
}

void livetcp_engine_close(livetcp_engine *engine, livetcp_result reason, livetcp_usec drain_us,
                          livetcp_usec now)
{
    if (engine->state == LIVETCP_SESSION_CLOSED)
        return;
    set_closing(engine, engine->closing ? engine->close_reason : reason);
    engine->drain_until_us = now + drain_us;
    lt_sender_flush_copies(engine->sender);
    check_drained(engine, now);
}

/* ---- connections ---- */

bool livetcp_engine_next_connect(livetcp_engine *engine, livetcp_usec now, unsigned *connection)
{
    return lt_links_next_connect(engine->links, now, connection);
}

void livetcp_engine_bind(livetcp_engine *engine, unsigned connection,
                         const uint8_t bytes[LIVETCP_BINDING_SIZE])
{
    lt_channel_binding binding = {.known = true};

    memcpy(binding.bytes, bytes, sizeof binding.bytes);
    if (connection < lt_links_count(engine->links))
        lt_links_bind(engine->links, connection, &binding);
}

void livetcp_engine_connected(livetcp_engine *engine, unsigned connection, livetcp_usec now)
{
    if (connection >= lt_links_count(engine->links) ||
        !lt_links_connected(engine->links, connection, now))
        return;
    lt_link_health_connected(&engine->health, connection, path_of(engine, connection)->link, now);
    lt_receiver_start(engine->receiver, connection);
    close_failed(engine, now);
    update_state(engine, now);
}

/* From when a connection is open, each end can say what came on it. */
static void start_receipts(livetcp_engine *engine, unsigned slot)
{
    uint32_t number = lt_links_number(engine->links, slot);

    if (!number || engine->closing)
        return;
    lt_kept_start(lt_repair_kept(engine->repair), slot, number);
    lt_reports_on_number(engine->reports, slot, number);
}

static livetcp_result adopt(livetcp_engine *engine, unsigned connection, uint32_t number,
                            livetcp_usec now)
{
    livetcp_result result = lt_links_adopt(engine->links, connection, number, now);

    close_failed(engine, now);
    if (result != LIVETCP_OK)
        return result;
    lt_link_health_connected(&engine->health, connection, path_of(engine, connection)->link, now);
    lt_receiver_start(engine->receiver, connection);
    update_state(engine, now);
    start_receipts(engine, connection);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_adopt(livetcp_engine *engine, unsigned connection, livetcp_usec now)
{
    return adopt(engine, connection, 0, now);
}

livetcp_result livetcp_engine_adopt_pending(livetcp_engine *engine, const livetcp_pending *pending,
                                            livetcp_usec now)
{
    uint32_t ticket = lt_pending_ticket(pending);

    if (ticket && !lt_links_take_ticket(engine->links, ticket))
        return LIVETCP_ERR_BAD_PROOF;
    return adopt(engine, livetcp_pending_index(pending), lt_pending_number(pending), now);
}

bool lt_engine_is_replaced_by(const livetcp_engine *engine, const livetcp_pending *pending)
{
    return lt_links_replaces_spare(engine->links, livetcp_pending_index(pending),
                                   lt_pending_ticket(pending));
}

void livetcp_engine_lost(livetcp_engine *engine, unsigned connection, livetcp_result reason,
                         livetcp_usec now)
{
    livetcp_connection_state state;
    livetcp_result known;

    if (!is_slot(connection))
        return;
    state = lt_links_state(engine->links, connection);
    if (state == LIVETCP_CONNECTION_IDLE || state == LIVETCP_CONNECTION_CLOSED)
        return;
    if (lt_links_closing(engine->links, connection, &known, NULL))
        reason = known;
    else if (reason == LIVETCP_ERR_PROTOCOL || reason == LIVETCP_ERR_GARBAGE)
        engine->protocol_errors++; /* the owner has looked at the bytes */
    detach(engine, connection, reason, now);
}

bool livetcp_engine_next_close(livetcp_engine *engine, unsigned *connection, livetcp_result *reason)
{
    uint32_t closing = lt_links_closing_slots(engine->links);
    livetcp_usec since_us;

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS && closing >> i; i++) {
        if (!lt_links_closing(engine->links, i, reason, &since_us) ||
            (!lt_sender_idle(engine->sender, i) && lt_links_can_write(engine->links, i)))
            continue;
        *connection = i;
        detach(engine, i, *reason, since_us);
        return true;
    }
    return false;
}

livetcp_result livetcp_engine_set_link(livetcp_engine *engine, unsigned connection, unsigned link,
                                       unsigned weight)
{
    livetcp_result result;

    if (!is_slot(connection) || link >= LIVETCP_MAX_LINKS || weight > UINT8_MAX)
        return LIVETCP_ERR_INDEX_RANGE;
    result = lt_link_rates_set_link(&engine->rates, connection, link);
    if (result == LIVETCP_OK)
        lt_links_set_link(engine->links, connection, link, weight);
    return result;
}

void livetcp_engine_retry(livetcp_engine *engine, uint32_t connections, livetcp_usec now)
{
    lt_links_retry(engine->links, connections, now);
}

/* ---- outages ---- */

/* The next link, in turn, that the session has connections over. */
static unsigned next_link(const livetcp_engine *engine, unsigned link)
{
    unsigned next = link, least = LIVETCP_MAX_LINKS;

    for (unsigned i = 0; i < lt_links_count(engine->links); i++) {
        unsigned other = path_of(engine, i)->link;
        if (other > link && (next == link || other < next))
            next = other;
        if (other < least)
            least = other;
    }
    return next > link ? next : least;
}

/* One of an outage before, which is silent as well, or has not come through at all. Packets under
 * way on it go out again elsewhere. */
static void free_spare(livetcp_engine *engine, livetcp_usec now)
{
    unsigned spare;

    if (lt_links_spare_is_up(engine->links, &spare))
        begin_close(engine, spare, LIVETCP_OK, false, now);
}

bool livetcp_engine_next_outage_probe(livetcp_engine *engine, livetcp_usec now, unsigned *probe,
                                      unsigned *link)
{
    if (!lt_outage_probes_next(&engine->outage, now, probe))
        return false;
    if (lt_outage_probes_would_end(&engine->outage, *probe))
        free_spare(engine, now);
    *link = engine->probed_link = next_link(engine, engine->probed_link);
    return true;
}

uint32_t livetcp_engine_outage_probes(const livetcp_engine *engine)
{
    return engine->outage.under_way;
}

void livetcp_engine_outage_probe_lost(livetcp_engine *engine, unsigned probe)
{
    if (probe < LIVETCP_MAX_OUTAGE_PROBES)
        lt_outage_probes_lost(&engine->outage, probe);
}

bool livetcp_engine_outage_probe_connected(livetcp_engine *engine, unsigned probe,
                                           unsigned *connection, livetcp_usec now)
{
    unsigned spare;

    if (probe >= LIVETCP_MAX_OUTAGE_PROBES ||
        !lt_outage_probes_answered(&engine->outage, probe, now) ||
        !lt_links_has_spare(engine->links) || lt_links_spare_is_up(engine->links, &spare))
        return false;
    *connection = lt_links_take_spare(engine->links);
    return true;
}

/* The others have recovered. Packets under way on it go out again elsewhere. */
static void close_spare(livetcp_engine *engine, livetcp_usec now)
{
    unsigned spare;

    if (lt_links_spare_is_done(engine->links, &spare))
        begin_close(engine, spare, LIVETCP_OK, false, now);
}

static void watch_for_outage(livetcp_engine *engine, livetcp_usec now)
{
    bool useful = !engine->closing && lt_links_has_spare(engine->links);

    lt_outage_probes_update(&engine->outage,
                            useful ? lt_link_health_outage_since(&engine->health, engine->links)
                                   : LIVETCP_NEVER,
                            lt_links_round_trip(engine->links));
    close_spare(engine, now);
}

unsigned livetcp_engine_rejection(const livetcp_engine *engine, const char **text)
{
    *text = engine->rejection;
    return engine->rejection_code;
}

/* ---- data in ---- */

/* Codes like HTTP's: the same request would be turned away again. */
static bool is_final(unsigned code)
{
    return code > 0 && code < 500;
}

/* The peer closes; answering with a REJECT of our own would be noise. */
static livetcp_result on_reject(livetcp_engine *engine, unsigned slot, const lt_control *message,
                                livetcp_usec now)
{
    livetcp_result reason = lt_control_reason(message);
    bool asked = engine->caller && engine->state == LIVETCP_SESSION_CONNECTING;

    begin_close(engine, slot, reason, false, now);
    if (asked) {
        engine->rejection_code = message->code;
        memcpy(engine->rejection, message->text, sizeof engine->rejection);
    }
    if (asked && is_final(message->code))
        livetcp_engine_close(engine, reason, 0, now);
    return reason;
}

/* The peer has that many packets of a connection of ours, and none will follow. The others that TCP
 * acknowledged are sent again, unless another connection has brought them. */
static void settle(livetcp_engine *engine, lt_kept_connection *connection, uint64_t packets)
{
    lt_kept *kept = lt_repair_kept(engine->repair);
    lt_packet *packet;

    connection->settled = true;
    while ((packet = lt_kept_next_missing(kept, connection, packets))) {
        connection->missing++;
        connection->again += lt_sender_send_again(engine->sender, packet);
    }
    kept->missing += connection->missing;
    kept->again += connection->again;
    if (!connection->missing || engine->loss_warned)
        return;
    engine->loss_warned = true;
    lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                           .reason = LIVETCP_ERR_CONNECTION_LOST});
}

/* A last receipt, perhaps again. A connection that the peer has lost and we have not is of no use
 * any more. */
static void on_last_receipt(livetcp_engine *engine, unsigned slot, const lt_receipt *receipt,
                            livetcp_usec now)
{
    lt_control_writer writer = {.write = write_control, .user = engine};
    lt_control answer = {.type = LT_CONTROL_RESENT, .resent.number = receipt->number};
    int own;
    uint64_t packets;
    lt_kept_connection *connection =
        lt_kept_find(lt_repair_kept(engine->repair), receipt, &packets, &own);

    if (!connection || own == (int)slot)
        return;
    if (!connection->settled)
        settle(engine, connection, packets);
    answer.resent.missing = connection->missing;
    answer.resent.again = connection->again;
    lt_control_write(&writer, slot, &answer);
    if (own >= 0)
        begin_close(engine, (unsigned)own, LIVETCP_ERR_CONNECTION_LOST, false, now);
}

static void take_receipts(livetcp_engine *engine, const lt_reception *reception)
{
    for (unsigned i = 0; i < reception->receipt_count; i++)
        lt_kept_on_receipt(lt_repair_kept(engine->repair), &reception->receipts[i]);
}

/* What the two ends tell each other about packets that TCP acknowledged. */
static livetcp_result on_receipt(livetcp_engine *engine, unsigned slot, const lt_control *message,
                                 livetcp_usec now)
{
    if (!lt_links_takes_media(engine->links, slot))
        return LIVETCP_ERR_PROTOCOL;
    if (message->type == LT_CONTROL_RESENT)
        lt_reports_on_answer(engine->reports, &message->resent);
    else
        on_last_receipt(engine, slot, &message->receipt, now);
    return LIVETCP_OK;
}

static livetcp_result dispatch(livetcp_engine *engine, unsigned slot, const lt_control *message,
                               livetcp_usec now)
{
    livetcp_result result = LIVETCP_OK;

    switch (message->type) {
    case LT_CONTROL_PADDING:
    case LT_CONTROL_REPORT:
        return LIVETCP_OK;
    case LT_CONTROL_BYE:
        on_goodbye(engine, slot, now);
        return LIVETCP_OK;
    case LT_CONTROL_PARITY:
        return lt_links_takes_media(engine->links, slot)
                   ? lt_receiver_parity_announced(engine->receiver, message)
                   : LIVETCP_ERR_PROTOCOL;
    case LT_CONTROL_RECEPTION:
    case LT_CONTROL_TRANSMISSION:
        if (!lt_links_takes_media(engine->links, slot))
            return LIVETCP_ERR_PROTOCOL;
        lt_reports_on_feedback(engine->reports, message, now);
        if (message->type == LT_CONTROL_RECEPTION)
            take_receipts(engine, &message->reception);
        return LIVETCP_OK;
    case LT_CONTROL_RECEIPT:
    case LT_CONTROL_RESENT:
        return on_receipt(engine, slot, message, now);
    case LT_CONTROL_REJECT:
        return on_reject(engine, slot, message, now);
    default:
        result = lt_links_control(engine->links, slot, message, now);
        if (result != LIVETCP_OK)
            return result;
        update_state(engine, now);
        close_failed(engine, now);
        start_receipts(engine, slot);
        return LIVETCP_OK;
    }
}

static livetcp_result on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                 livetcp_usec now)
{
    lt_control message;
    livetcp_result result = lt_control_decode(packet, size, &message);

    if (result == LIVETCP_ERR_NOT_SUPPORTED)
        return LIVETCP_OK; /* a later version's message: skipped */
    return result == LIVETCP_OK ? dispatch(user, slot, &message, now) : result;
}

livetcp_result livetcp_engine_receive(livetcp_engine *engine, unsigned connection,
                                      const uint8_t *data, size_t size,
                                      const livetcp_rx_timestamp *timestamp, livetcp_usec now)
{
    const lt_receiver_slot_counts *counts;
    uint64_t before;
    livetcp_result result;

    if (!is_slot(connection) || permission(engine, connection) == LT_RECEIVE_NOTHING)
        return LIVETCP_OK; /* closing: further input is ignored */
    counts = lt_receiver_get_slot(engine->receiver, connection);
    before = counts->packets;
    engine->now_us = now;
    lt_links_received(engine->links, connection, now);
    result = lt_receiver_receive(engine->receiver, connection, data, size, now);
    lt_reports_on_arrived(engine->reports, connection,
                          lt_receiver_arrived(engine->receiver, connection));
    if (timestamp)
        lt_reports_on_read(engine->reports, connection, timestamp,
                           (unsigned)(counts->packets - before), now);
    if (result != LIVETCP_OK && !lt_links_closing(engine->links, connection, NULL, NULL)) {
        engine->protocol_errors++;
        begin_close(engine, connection, result, true, now);
    }
    return result;
}

/* ---- data out ---- */

livetcp_result livetcp_engine_send(livetcp_engine *engine, const void *packet, size_t size,
                                   const livetcp_packet_info *info, livetcp_usec now)
{
    livetcp_result result;
    bool rtcp;

    if (engine->closing || engine->state == LIVETCP_SESSION_CLOSED)
        return LIVETCP_ERR_CLOSED;
    result = lt_sender_accept(engine->sender, packet, size, info, now, &rtcp);
    if (result != LIVETCP_OK)
        return result;
    if (rtcp)
        lt_reports_on_own_rtcp(engine->reports, packet, size);
    lt_repair_not_idle(engine->repair, engine->links, now);
    return LIVETCP_OK;
}

/* The slot's path is up to date; its TCP was in that state before. */
static void on_path_info(livetcp_engine *engine, unsigned slot, livetcp_tcp_state before,
                         livetcp_usec now)
{
    const livetcp_path *path = path_of(engine, slot);
    lt_rate *rate = lt_link_rates_of(&engine->rates, slot);

    lt_rate_on_path_info(rate, slot, path, now);
    lt_rate_on_path_sample(rate, lt_links_path_sample(engine->links, slot), now);
    lt_link_meter_on_path_info(&engine->meter, slot, path);
    lt_link_health_on_path_info(&engine->health, engine->links, slot, now);
    lt_repair_acknowledged(engine->repair, engine->links, slot, now);
    lt_reports_on_path_info(engine->reports, path, now);
    if (path->tcp_state >= LIVETCP_TCP_RECOVERY && before < LIVETCP_TCP_RECOVERY)
        lt_repair_alarm(engine->repair, slot, now);
}

/* Of these slots (bits) those whose answer is known, since nothing can have changed. */
static uint32_t unchanged_of(const livetcp_engine *engine, uint32_t slots, livetcp_usec now)
{
    uint32_t unchanged = 0;

    for (uint32_t left = slots; left; left &= left - 1)
        if (lt_links_is_unchanged(engine->links, (unsigned)__builtin_ctz(left), now))
            unchanged |= left & -left;
    return unchanged;
}

/* Gives the known answers of the slots below `end`: in the order of the slots with those of the
 * platform, since together they tell groups and queues. */
static void answer_unchanged(livetcp_engine *engine, unsigned end, livetcp_usec now)
{
    uint32_t below = end < LIVETCP_MAX_CONNECTIONS ? (UINT32_C(1) << end) - 1 : UINT32_MAX;

    for (uint32_t left = engine->unchanged & below; left; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctz(left);
        if (!lt_links_is_unchanged(engine->links, slot, now))
            continue;
        lt_links_path_info_again(engine->links, slot, now);
        on_path_info(engine, slot, path_of(engine, slot)->tcp_state, now);
    }
    engine->unchanged &= ~below;
}

/* Links that no connection is on have no rate, and no limit. */
static void limit_links(livetcp_engine *engine)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        const lt_rate *rate = lt_link_rates_at(&engine->rates, i);
        if (rate)
            lt_sender_limit(engine->sender, i,
                            &(lt_link_limit){.window = lt_rate_window(rate),
                                             .rate = lt_rate_carries(rate),
                                             .room = lt_rate_has_room(rate),
                                             .headroom = lt_rate_headroom(rate)});
    }
}

/* Packets in flight on a link that has stalled go out again elsewhere, at once and whatever the
 * budget, as those of a lost connection do. */
static void reinject_stalled(livetcp_engine *engine, livetcp_usec now)
{
    uint32_t stalled = lt_link_health_update(&engine->health, engine->links, now);

    for (unsigned i = lt_links_count(engine->links); stalled && i-- > 0;)
        if (stalled >> path_of(engine, i)->link & 1)
            take_back_written(engine, i);
}

/* An encoder at its least is too fast for the path: the rest is dropped, which nobody asked for. */
static void warn_of_shortage(livetcp_engine *engine, livetcp_usec now)
{
    uint32_t carried = lt_link_rates_take_shortage(&engine->rates, now);

    if (carried)
        lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                               .reason = LIVETCP_ERR_TOO_SLOW,
                                                               .bitrate = carried,
                                                               .min_bitrate = engine->rates.min});
}

static void update_rate(livetcp_engine *engine, livetcp_usec now)
{
    lt_rate_view view;

    if (!lt_link_rates_wants_update(&engine->rates, now))
        return;
    view = (lt_rate_view){.paths = lt_links_paths(engine->links),
                          .count = lt_links_count(engine->links),
                          .media_rate = lt_sender_media_rate(engine->sender, now),
                          .session_rate = lt_sender_media_rate(engine->sender, now),
                          .queue_delay_us = lt_sender_queue_delay(engine->sender, now)};
    bool changed = lt_link_rates_update(&engine->rates, &view, now);
    limit_links(engine);
    reinject_stalled(engine, now);
    watch_for_outage(engine, now);
    warn_of_shortage(engine, now);
    if (changed)
        lt_events_add(&engine->events,
                      &(livetcp_engine_event){.type = LIVETCP_ENGINE_BITRATE,
                                              .bitrate = lt_link_rates_get(&engine->rates)});
}

static bool next_in_outboxes(livetcp_engine *engine, livetcp_usec now, livetcp_engine_write *write)
{
    const lt_packet *finishing;

    if (!lt_sender_next_write(engine->sender, engine->links, write, &finishing))
        return false;
    write->timestamp =
        lt_reports_wants_timestamp(engine->reports, write->connection, finishing, now);
    return true;
}

/* True if a further copy of a packet under way was given to a connection. */
static bool review(livetcp_engine *engine, livetcp_usec now)
{
    unsigned slots = lt_links_count(engine->links);
    lt_packet *packet;

    while ((packet = lt_repair_next_due(engine->repair, slots, now))) {
        bool copied = lt_sender_review(engine->sender, engine->links, packet, now);
        lt_repair_reviewed(engine->repair, packet, copied, now);
        if (copied)
            return true; /* and on when that is written */
    }
    return false;
}

static bool place_parity(livetcp_engine *engine, livetcp_usec now)
{
    lt_packet *parity = lt_repair_next_parity(engine->repair, now);
    lt_parity_placed placed;

    if (!parity)
        return false;
    placed = lt_sender_place_parity(engine->sender, engine->links, parity,
                                    lt_repair_parity_known(engine->repair, parity), now);
    if (placed != LT_PARITY_WAITS)
        lt_repair_parity_placed(engine->repair, placed == LT_PARITY_PLACED);
    return placed == LT_PARITY_PLACED;
}

static bool place(livetcp_engine *engine, livetcp_usec now)
{
    lt_placed placed;

    /* What waits in the send queue can go where the path is first back, or be dropped. */
    if (lt_outage_probes_is_away(&engine->outage) ||
        !lt_sender_place(engine->sender, engine->links, now, &placed))
        return false;
    bool parity =
        placed.protect && lt_repair_protect(engine->repair, engine->links, placed.packet, now);
    lt_reports_on_placed(engine->reports, placed.packet, placed.copies, parity);
    lt_packet_unref(&placed.packet); /* the outboxes have it */
    return true;
}

static uint32_t slots_on(const livetcp_engine *engine, unsigned link)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        slots |= path_of(engine, i)->link == link ? UINT32_C(1) << i : 0;
    return slots;
}

/* A probe upwards: behind all media, to connections that take it at once. */
static bool pad_up(livetcp_engine *engine, livetcp_usec now)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        lt_rate *rate = lt_link_rates_at(&engine->rates, i);
        uint64_t due = rate ? lt_rate_padding_due(rate, now) : 0;
        if (!due)
            continue;
        size_t size = engine->plain || lt_sender_queued(engine->sender)
                          ? 0
                          : lt_repair_pad(engine->repair, engine->links, slots_on(engine, i), due);
        lt_rate_on_padding(rate, size, now);
        if (size)
            return true;
    }
    return false;
}

/* A packet already begun comes first, then late ones, since the rest may still be in time. */
bool livetcp_engine_next_write(livetcp_engine *engine, livetcp_usec now,
                               livetcp_engine_write *write)
{
    answer_unchanged(engine, LIVETCP_MAX_CONNECTIONS, now);
    update_rate(engine, now);
    if (next_in_outboxes(engine, now, write))
        return true;
    lt_sender_space_copies(engine->sender, lt_repair_copy_spacing(engine->repair),
                           lt_repair_joint_loss(engine->repair));
    lt_sender_begin_round(engine->sender, engine->links, now);
    if (!lt_sender_queued(engine->sender))
        check_drained(engine, now);
    if (review(engine, now) || lt_sender_place_later_copy(engine->sender, engine->links, now) ||
        place_parity(engine, now) || place(engine, now) ||
        lt_repair_probe(engine->repair, engine->links, now) || pad_up(engine, now))
        return next_in_outboxes(engine, now, write);
    if (lt_sender_drained(engine->sender))
        lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_DRAINED});
    return false;
}

size_t livetcp_engine_queued(const livetcp_engine *engine)
{
    return lt_sender_queued(engine->sender);
}

void livetcp_engine_wrote(livetcp_engine *engine, unsigned connection, size_t size,
                          livetcp_usec now)
{
    livetcp_engine_wrote_as(engine, connection, size, size, now);
}

void livetcp_engine_wrote_as(livetcp_engine *engine, unsigned connection, size_t size,
                             size_t wire_size, livetcp_usec now)
{
    lt_packet *complete;
    bool first;

    if (!is_slot(connection))
        return;
    complete = lt_sender_wrote(engine->sender, connection, size, &first);
    lt_rate_on_written(lt_link_rates_of(&engine->rates, connection), connection,
                       path_of(engine, connection), wire_size, first ? lt_packet_size(complete) : 0,
                       now);
    lt_link_health_wrote(&engine->health, path_of(engine, connection)->link, now);
    lt_link_meter_wrote(&engine->meter, path_of(engine, connection), wire_size, now);
    lt_links_wrote(engine->links, connection, wire_size, now);
    if (complete)
        lt_links_wrote_packet(engine->links, connection, first);
    if (first)
        lt_reports_on_written(engine->reports, path_of(engine, connection), complete,
                              lt_links_stream_bytes(engine->links, connection), now);
    if (complete)
        lt_repair_written(engine->repair, engine->links, connection, complete, now);
    check_drained(engine, now);
}

/* ---- events from the platform ---- */

void livetcp_engine_blocked(livetcp_engine *engine, unsigned connection)
{
    if (is_slot(connection))
        lt_links_blocked(engine->links, connection);
}

void livetcp_engine_writable(livetcp_engine *engine, unsigned connection)
{
    if (is_slot(connection))
        lt_links_writable(engine->links, connection);
}

uint32_t livetcp_engine_wants_writable(const livetcp_engine *engine)
{
    return lt_sender_wants_writable(engine->sender, engine->links);
}

uint32_t livetcp_engine_unsent_limit(const livetcp_engine *engine, unsigned connection)
{
    return is_slot(connection) ? lt_sender_unsent_limit(engine->sender, path_of(engine, connection))
                               : UINT32_MAX;
}

uint32_t livetcp_engine_wants_path_info(livetcp_engine *engine, livetcp_usec now)
{
    bool placing = lt_sender_uses_path_info(engine->sender) &&
                   (lt_sender_queued(engine->sender) || lt_sender_copy_due(engine->sender, now));
    uint32_t slots = placing ? UINT32_MAX : lt_repair_wants_path_info(engine->repair, now);

    slots |= lt_link_rates_wants_path_info(&engine->rates);

    slots = lt_links_stale(engine->links, slots, now);
    engine->unchanged = unchanged_of(engine, slots, now);
    return slots & ~engine->unchanged;
}

void livetcp_engine_path_info(livetcp_engine *engine, unsigned connection, const livetcp_path *info,
                              livetcp_usec now)
{
    const livetcp_path *path = is_slot(connection) ? path_of(engine, connection) : NULL;
    livetcp_tcp_state before = path ? path->tcp_state : LIVETCP_TCP_UNKNOWN;

    if (!path)
        return;
    answer_unchanged(engine, connection, now);
    if (lt_links_path_info(engine->links, connection, info, now))
        on_path_info(engine, connection, before, now);
}

void livetcp_engine_has_timestamps(livetcp_engine *engine, unsigned connection)
{
    if (is_slot(connection))
        lt_reports_has_timestamps(engine->reports, connection);
}

void livetcp_engine_tx_timestamp(livetcp_engine *engine, unsigned connection,
                                 const livetcp_tx_timestamp *timestamp, livetcp_usec now)
{
    if (is_slot(connection) && lt_links_has_socket(engine->links, connection))
        lt_reports_on_tx_timestamp(engine->reports, path_of(engine, connection), timestamp, now);
}

/* ---- time ---- */

void livetcp_engine_set_wall_clock(livetcp_engine *engine, livetcp_usec ahead_us)
{
    lt_reports_set_wall_clock(engine->reports, ahead_us);
}

static livetcp_usec earlier(livetcp_usec a, livetcp_usec b)
{
    return a < b ? a : b;
}

livetcp_usec livetcp_engine_deadline(const livetcp_engine *engine)
{
    livetcp_usec due = LIVETCP_NEVER;

    if (engine->state == LIVETCP_SESSION_CLOSED)
        return LIVETCP_NEVER;
    due = earlier(due, lt_links_deadline(engine->links));
    due = earlier(due, lt_outage_probes_deadline(&engine->outage));
    due = earlier(due, lt_receiver_deadline(engine->receiver));
    due = earlier(due, lt_sender_deadline(engine->sender));
    due = earlier(due, lt_link_rates_deadline(&engine->rates));
    due = earlier(due, lt_repair_deadline(engine->repair));
    due = earlier(due, lt_reports_deadline(engine->reports));
    due = earlier(due, engine->abandoned_at_us);
    return engine->closing ? earlier(due, engine->drain_until_us) : due;
}

static void expire_reports(livetcp_engine *engine, livetcp_usec now)
{
    const lt_reassembly_stats *media = lt_receiver_get_media(engine->receiver);
    lt_reports_view view = {.paths = lt_links_paths(engine->links),
                            .count = lt_links_count(engine->links),
                            .gaps = media->gaps,
                            .late_order = media->late_discarded,
                            .copy_spacing_us = lt_repair_copy_spacing(engine->repair)};

    lt_reports_expire(engine->reports, &view, now);
}

void livetcp_engine_expire(livetcp_engine *engine, livetcp_usec now)
{
    if (engine->state == LIVETCP_SESSION_CLOSED)
        return;
    engine->now_us = now;
    lt_links_expire(engine->links, now);
    close_failed(engine, now);
    close_spare(engine, now);
    lt_repair_expire(engine->repair, now);
    expire_reports(engine, now);
    lt_receiver_expire(engine->receiver, now);
    lt_sender_expire(engine->sender, engine->links, now);
    lt_link_rates_expire(&engine->rates, now);
    if (now >= engine->abandoned_at_us)
        livetcp_engine_close(engine, lt_links_last_loss(engine->links), 0, now);
    check_drained(engine, now);
}

/* ---- events and questions ---- */

bool livetcp_engine_next_event(livetcp_engine *engine, livetcp_engine_event *event)
{
    return lt_events_take(&engine->events, event);
}

livetcp_session_state livetcp_engine_state(const livetcp_engine *engine)
{
    return engine->state;
}

const uint8_t *livetcp_engine_session_id(const livetcp_engine *engine)
{
    return lt_links_credentials(engine->links)->session_id;
}

livetcp_result livetcp_pending_challenge(livetcp_pending *pending, const livetcp_engine *engine,
                                         livetcp_random_fn random, void *random_user,
                                         livetcp_reply *reply)
{
    return lt_pending_challenge(pending, lt_links_credentials(engine->links),
                                lt_links_ticket(engine->links), random, random_user, reply);
}

unsigned livetcp_engine_connections(const livetcp_engine *engine)
{
    return lt_links_count(engine->links);
}

livetcp_result livetcp_engine_report_playout(livetcp_engine *engine,
                                             const livetcp_playout_report *report)
{
    livetcp_playout_report whole = {.margin_us = LIVETCP_NO_MARGIN};
    livetcp_result result = LT_CHECK_SIZED(report, livetcp_playout_report, NULL);

    if (result != LIVETCP_OK)
        return result;
    lt_sized_read(&whole, sizeof whole, report);
    return lt_reports_on_playout(engine->reports, &whole);
}

livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *engine, int payload_type, uint32_t hz)
{
    return lt_reports_set_clock_rate(engine->reports, payload_type, hz);
}

void livetcp_engine_notify_when_sent(livetcp_engine *engine)
{
    engine->sent_wanted = true;
    notify_if_sent(engine);
}

/* ---- settings of a session that runs ---- */

/* Puts settings in force, if they are right together. */
static livetcp_result configure(livetcp_engine *engine, const livetcp_config *config,
                                const livetcp_policy *policy, livetcp_error *error)
{
    livetcp_result result;

    if (engine->state == LIVETCP_SESSION_CLOSED)
        return lt_fail(error, LIVETCP_ERR_CLOSED, "the session is closed: nothing can be set");
    result = lt_config_check_session(config, policy, error);
    if (result != LIVETCP_OK)
        return result;
    result = lt_sender_configure(engine->sender, config, policy);
    if (result != LIVETCP_OK)
        return lt_fail(error, result, "no memory for policy '%s'", policy->name);
    lt_repair_configure(engine->repair, config, policy, lt_sender_uses_path_info(engine->sender));
    engine->config = *config;
    engine->policy = policy;
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_set_policy(livetcp_engine *engine, const livetcp_policy *policy,
                                         livetcp_error *error)
{
    livetcp_config config = engine->config;

    if (!policy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "policy is NULL");
    snprintf(config.policy, sizeof config.policy, "%s", policy->name);
    config.connections = lt_links_count(engine->links); /* there will not be more */
    return configure(engine, &config, policy, error);
}

livetcp_result livetcp_engine_set_redundancy_budget(livetcp_engine *engine, double budget,
                                                    livetcp_error *error)
{
    livetcp_config config = engine->config;

    config.redundancy_budget = budget;
    return configure(engine, &config, engine->policy, error);
}

livetcp_result livetcp_engine_set_max_send_delay(livetcp_engine *engine, livetcp_usec delay_us,
                                                 livetcp_error *error)
{
    livetcp_config config = engine->config;

    config.max_send_delay_us = delay_us;
    return configure(engine, &config, engine->policy, error);
}

livetcp_result livetcp_engine_set_bitrate_bounds(livetcp_engine *engine, uint32_t min, uint32_t max,
                                                 livetcp_error *error)
{
    livetcp_config config = engine->config;
    livetcp_result result;

    config.min_bitrate = min;
    config.max_bitrate = max;
    result = configure(engine, &config, engine->policy, error);
    if (result == LIVETCP_OK && lt_link_rates_set_bounds(&engine->rates, min, max))
        lt_events_add(&engine->events,
                      &(livetcp_engine_event){.type = LIVETCP_ENGINE_BITRATE,
                                              .bitrate = lt_link_rates_get(&engine->rates)});
    return result;
}

livetcp_result livetcp_engine_set_order(livetcp_engine *engine, livetcp_order order,
                                        livetcp_error *error)
{
    livetcp_config config = engine->config;
    livetcp_result result;

    config.order = order;
    result = configure(engine, &config, engine->policy, error);
    if (result == LIVETCP_OK)
        lt_receiver_set_order(engine->receiver, order);
    return result;
}

/* ---- statistics ---- */

static unsigned count_links(const livetcp_engine *engine)
{
    unsigned count = 1;

    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        if (path_of(engine, i)->link >= count)
            count = path_of(engine, i)->link + 1U;
    return count;
}

livetcp_result livetcp_engine_get_stats(const livetcp_engine *engine, livetcp_usec now,
                                        livetcp_session_stats *stats)
{
    livetcp_session_stats all = {.struct_size = sizeof all};
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_session_stats, NULL);

    if (result != LIVETCP_OK)
        return result;
    all.received.protocol_errors = engine->protocol_errors;
    lt_link_rates_gather(&engine->rates, &all);
    lt_links_gather(engine->links, &all);
    lt_outage_probes_gather(&engine->outage, &all);
    all.links = count_links(engine);
    lt_sender_gather(engine->sender, engine->links, now, &all);
    lt_repair_gather(engine->repair, &all);
    lt_receiver_gather(engine->receiver, &all);
    lt_reports_gather(engine->reports, lt_links_paths(engine->links), lt_links_count(engine->links),
                      &all, now);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_get_connection_stats(const livetcp_engine *engine,
                                                   unsigned connection, livetcp_usec now,
                                                   livetcp_connection_stats *stats)
{
    livetcp_connection_stats all = {.struct_size = sizeof all};
    const lt_receiver_slot_counts *received;
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_connection_stats, NULL);

    if (result != LIVETCP_OK)
        return result;
    if (connection >= lt_links_count(engine->links))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "there is no connection %u: the session has 0..%u", connection,
                       lt_links_count(engine->links) - 1);
    received = lt_receiver_get_slot(engine->receiver, connection);
    all.packets_received = received->packets;
    all.bytes_read = received->bytes;
    lt_links_gather_slot(engine->links, connection, now, &all);
    lt_sender_gather_slot(engine->sender, connection, &all);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_get_link_stats(const livetcp_engine *engine, unsigned link,
                                             livetcp_usec now, livetcp_link_stats *stats)
{
    livetcp_link_stats all = {.struct_size = sizeof all, .index = link};
    livetcp_session_stats rate = {.struct_size = sizeof rate};
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_link_stats, NULL);

    if (result != LIVETCP_OK)
        return result;
    if (link >= count_links(engine))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "there is no link %u: the session has 0..%u", link, count_links(engine) - 1);
    lt_links_gather_link(engine->links, link, &all);
    lt_link_meter_gather(&engine->meter, link, now, &all);
    all.stalls = engine->health.stalls[link];
    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        if (path_of(engine, i)->link == link)
            all.bytes_read += lt_receiver_get_slot(engine->receiver, i)->bytes;
    if (lt_link_rates_at(&engine->rates, link)) {
        lt_rate_gather(lt_link_rates_at(&engine->rates, link), &rate);
        all.congestion = rate.sent.congestion;
        all.window_bytes = rate.sent.window_bytes;
        all.estimated_bitrate = rate.sent.estimated_bitrate;
    }
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}
