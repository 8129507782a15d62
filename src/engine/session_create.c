/* SPDX-License-Identifier: MIT */
/* Creation of a session's components, and the callbacks through which they reach each other. */
#include "base/error.h"
#include "base/sized.h"
#include "engine/memory.h"
#include "engine/session.h"
#include "settings/settings.h"
#include "wire/authenticator.h"

#include <stdlib.h>

/* ---- callbacks of the components ---- */

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

    lt_reports_on_acknowledged(engine->reports, lt_session_path(engine, slot), packet, written_us,
                               now);
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

/* ---- creation ---- */

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
                            .writer = engine->writer};
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
                              .writer = engine->writer,
                              .on_acknowledged = on_acknowledged,
                              .user = engine};

    return lt_repair_create(&repair);
}

/* `config` is a copy of the engine's that still has the secrets, which only the links need. */
static livetcp_result create_components(livetcp_engine *engine, const livetcp_engine_setup *setup,
                                        const livetcp_config *config)
{
    lt_receiver_sink sink = {.permission = lt_session_permission,
                             .on_media = on_media,
                             .on_rtcp = on_rtcp,
                             .on_control = lt_session_on_control,
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

/* Host and port are not checked: the owner connects. */
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
    lt_life_init(&engine->life, &engine->events);
    engine->writer = (lt_control_writer){.write = write_control, .user = engine};
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
