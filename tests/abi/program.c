/* SPDX-License-Identifier: MIT */
/*
 * A program that uses every public struct that can grow. It is built with other headers than the
 * library that it is run with: an older snapshot, or a copy whose structs are larger. Every struct
 * stands at the end of a page before one that cannot be touched, and behind bytes that must stay as
 * they are: a library that reads or writes beyond the program's size is found at once.
 *
 * usage: program CONNECTIONS
 *        program plant    does what such a library would do, and must fail
 */
#include <livetcp/livetcp.h>
#ifdef ABI_MODEL
#include <livetcp/model.h>
#endif

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NEW_HEADERS (LIVETCP_VERSION_MAJOR > 0 || LIVETCP_VERSION_MINOR >= 2)

#if NEW_HEADERS
#define SLOT_RESULT result
#else
#define SLOT_RESULT verdict
#endif

#define GUARD 0xa5

#define REQUIRE(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *condition)
{
    fprintf(stderr, "program.c:%d: %s\n", line, condition);
    _exit(1);
}

/* ---- memory that tells ---- */

static struct {
    unsigned char *page;
    size_t size;
} guarded[64];
static unsigned guarded_count;

static void *guarded_struct(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (size + 64 + page - 1) / page * page;
    unsigned char *memory =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(memory != MAP_FAILED && guarded_count < sizeof guarded / sizeof *guarded);
    REQUIRE(mprotect(memory + whole, page, PROT_NONE) == 0);
    memset(memory, GUARD, whole);
    guarded[guarded_count].page = memory;
    guarded[guarded_count++].size = whole - size;
    return memory + whole - size;
}

/* As the program sets it where there is no initializer. */
static void *sized_struct(size_t size)
{
    void *made = guarded_struct(size);

    memset(made, 0, size);
    memcpy(made, &size, sizeof size);
    return made;
}

#define GUARDED(type) ((type *)guarded_struct(sizeof(type)))
#define SIZED(type)   ((type *)sized_struct(sizeof(type)))

static void on_fault(int signal_number)
{
    static const char words[] = "program.c: the library touched memory beyond a struct\n";

    (void)signal_number;
    _exit(write(STDERR_FILENO, words, sizeof words - 1) > 0 ? 1 : 2);
}

static void check_guards(void)
{
    for (unsigned i = 0; i < guarded_count; i++)
        for (size_t j = 0; j < guarded[i].size; j++)
            REQUIRE(guarded[i].page[j] == GUARD);
}

/* ---- settings ---- */

static livetcp_config *make_config(const char *uri)
{
    livetcp_config *config = GUARDED(livetcp_config);
    livetcp_error error = {.code = LIVETCP_OK};

    livetcp_config_init(config);
    REQUIRE(config->struct_size == sizeof *config);
    if (livetcp_config_apply_uri(config, uri, &error) != LIVETCP_OK)
        fail(__LINE__, error.message);
    REQUIRE(config->struct_size == sizeof *config);
    return config;
}

static void use_config(void)
{
    livetcp_config *config = make_config("livetcp://media.example:5004?connections=3&rtcp=off");
    char text[512];

    REQUIRE(config->port == 5004 && config->connections == 3 && config->rtcp == LIVETCP_RTCP_OFF);
    REQUIRE(config->queue_packets == 1024 && config->timestamps == LIVETCP_TIMESTAMPS_AUTO);
    REQUIRE(livetcp_config_set(config, "timestamps", "off", NULL) == LIVETCP_OK);
    REQUIRE(livetcp_config_get(config, "timestamps", text, sizeof text, NULL) == LIVETCP_OK);
    REQUIRE(strcmp(text, "off") == 0);
    REQUIRE(livetcp_config_check(config, NULL) == LIVETCP_OK);
    REQUIRE(livetcp_config_to_uri(config, text, sizeof text, NULL) == LIVETCP_OK);
    REQUIRE(strcmp(text, "livetcp://media.example:5004?connections=3&rtcp=off&timestamps=off") ==
            0);
}

/* ---- a policy ---- */

static atomic_uint placed;

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    (void)state, (void)packet;
    for (unsigned i = 0; i < view->path_count; i++) {
#if NEW_HEADERS
        const livetcp_path *path = livetcp_view_path(view, i);
        REQUIRE(path == &view->paths[i]); /* since path_size is set */
#else
        const livetcp_path *path = &view->paths[i];
#endif
        REQUIRE(path->connection == i);
        if (path->ready && !decision->connections)
            decision->connections = UINT32_C(1) << i;
    }
    atomic_fetch_add(&placed, decision->connections != 0);
}

static void add_policy(void)
{
    livetcp_policy *policy = SIZED(livetcp_policy);
    livetcp_error error;

    policy->name = "first-ready";
    policy->summary = "the first connection that takes it";
    policy->wants = LIVETCP_WANTS_PATHS;
    policy->place = place;
#if NEW_HEADERS
    policy->path_size = sizeof(livetcp_path);
#endif
    if (livetcp_policy_register(policy, &error) != LIVETCP_OK)
        fail(__LINE__, error.message);
}

/* ---- sessions ---- */

enum { PACKETS = 50, PACKET_SIZE = 100 };

static atomic_uint received;
static _Atomic(livetcp_session *) accepted;

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    (void)session;
    REQUIRE(user == &received);
    REQUIRE(packet->rtcp || packet->size == PACKET_SIZE);
    atomic_fetch_add(&received, !packet->rtcp);
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    livetcp_session_callbacks *callbacks = SIZED(livetcp_session_callbacks);

    (void)listener, (void)remote, (void)user;
    callbacks->on_packet = on_packet;
    livetcp_session_set_callbacks(session, callbacks, &received);
    atomic_store(&accepted, session);
    return true;
}

static void wait_until(bool (*condition)(livetcp_session *), livetcp_session *session)
{
    const struct timespec pause = {.tv_nsec = 5000000};

    for (int i = 0; i < 24000; i++) {
        if (condition(session))
            return;
        nanosleep(&pause, NULL);
    }
    fail(__LINE__, "patience is over");
}

static bool is_open(livetcp_session *session)
{
    return livetcp_session_get_state(session) == LIVETCP_SESSION_OPEN;
}

static bool all_received(livetcp_session *session)
{
    (void)session;
    return atomic_load(&received) == PACKETS;
}

static void make_packet(uint8_t packet[PACKET_SIZE], uint16_t sequence)
{
    memset(packet, 0, PACKET_SIZE);
    packet[0] = 0x80;
    packet[1] = 0;
    packet[2] = (uint8_t)(sequence >> 8);
    packet[3] = (uint8_t)sequence;
    packet[6] = (uint8_t)(sequence * 160 >> 8);
    packet[7] = (uint8_t)(sequence * 160);
    packet[11] = 7;
}

static void read_stats(livetcp_session *session)
{
    livetcp_session_stats *stats = SIZED(livetcp_session_stats);
    livetcp_connection_stats *connection = SIZED(livetcp_connection_stats);
    livetcp_playout_report *report = SIZED(livetcp_playout_report);

    REQUIRE(livetcp_session_get_stats(session, stats) == LIVETCP_OK);
    REQUIRE(stats->struct_size == sizeof *stats && stats->open_connections > 0);
    REQUIRE(livetcp_session_get_connection_stats(session, 0, connection) == LIVETCP_OK);
    REQUIRE(connection->struct_size == sizeof *connection && connection->packets_sent > 0);
    report->margin_us = 1000;
    REQUIRE(livetcp_session_report_playout(session, report) == LIVETCP_OK);
#if NEW_HEADERS
    REQUIRE(stats->sent.packets == PACKETS && stats->received.bytes_read > 0);
    REQUIRE(connection->path.usable && connection->path.connection == 0);
    REQUIRE(strncmp(connection->remote, "127.0.0.1:", 10) == 0);
    REQUIRE(strncmp(connection->local, "127.0.0.1:", 10) == 0);
#endif
}

static livetcp_session *connect_session(livetcp_context *context, const char *uri)
{
    livetcp_session_callbacks *callbacks = SIZED(livetcp_session_callbacks);
    livetcp_session *session = NULL;
    livetcp_error error = {.code = LIVETCP_OK};

    callbacks->on_packet = on_packet;
    if (livetcp_session_connect(context, make_config(uri), callbacks, &received, &session, &error))
        fail(__LINE__, error.message);
    return session;
}

static void use_sessions(unsigned connections)
{
    livetcp_listener_callbacks *callbacks = SIZED(livetcp_listener_callbacks);
    livetcp_packet_info *info = SIZED(livetcp_packet_info);
    livetcp_config *config = make_config("livetcp://127.0.0.1?mode=listener");
    livetcp_context *context = NULL;
    livetcp_listener *listener = NULL;
    uint8_t packet[PACKET_SIZE];
    char uri[128];

    callbacks->on_session = on_session;
    info->importance = LIVETCP_IMPORTANCE_KEY;
    REQUIRE(livetcp_context_create(NULL, &context, NULL) == LIVETCP_OK);
    REQUIRE(livetcp_listener_create(context, config, callbacks, NULL, &listener, NULL) ==
            LIVETCP_OK);
    snprintf(uri, sizeof uri, "livetcp://127.0.0.1:%u?policy=first-ready&connections=%u",
             livetcp_listener_port(listener), connections);
    livetcp_session *session = connect_session(context, uri);
    wait_until(is_open, session);
    for (uint16_t i = 0; i < PACKETS; i++) {
        make_packet(packet, i);
        REQUIRE(livetcp_session_send_with(session, packet, sizeof packet, info) == LIVETCP_OK);
    }
    wait_until(all_received, session);
    REQUIRE(atomic_load(&placed) >= PACKETS);
    read_stats(session);
    livetcp_session_destroy(&session);
    livetcp_context_destroy(&context);
}

/* ---- playout, redundancy, quality ---- */

static void pull_all(livetcp_playout *playout)
{
    livetcp_playout_item *item = SIZED(livetcp_playout_item);
    unsigned played = 0;

    do {
        REQUIRE(livetcp_playout_pull(playout, 10 * LIVETCP_USEC_SEC, item) == LIVETCP_OK);
        REQUIRE(item->struct_size == sizeof *item);
        played += item->kind == LIVETCP_PLAYOUT_PACKET;
    } while (item->kind != LIVETCP_PLAYOUT_NOTHING);
    REQUIRE(played == 5);
}

static void use_playout(void)
{
    livetcp_playout_config *config = GUARDED(livetcp_playout_config);
    livetcp_playout_packet *packet = SIZED(livetcp_playout_packet);
    livetcp_playout_slot *slot = SIZED(livetcp_playout_slot);
    livetcp_playout_path *path = SIZED(livetcp_playout_path);
    livetcp_playout_latency *latency = SIZED(livetcp_playout_latency);
    livetcp_playout_stats *stats = SIZED(livetcp_playout_stats);
    livetcp_playout *playout;
    uint8_t bytes[PACKET_SIZE];

    livetcp_playout_config_init(config);
    REQUIRE(config->struct_size == sizeof *config && config->capacity_packets == 2048);
    config->clock_rate = 8000;
    REQUIRE(livetcp_playout_create(config, &playout, NULL) == LIVETCP_OK);
    for (uint16_t i = 0; i < 5; i++) {
        make_packet(bytes, i);
        packet->data = bytes;
        packet->size = sizeof bytes;
        packet->arrival_us = i * 20 * LIVETCP_USEC_MSEC;
        REQUIRE(livetcp_playout_put(playout, packet, slot) == LIVETCP_OK);
        REQUIRE(slot->struct_size == sizeof *slot && slot->SLOT_RESULT == LIVETCP_PLAYOUT_PLAY);
    }
    path->rtt_us = 1000;
    REQUIRE(livetcp_playout_set_path(playout, path) == LIVETCP_OK);
    REQUIRE(livetcp_playout_get_latency(playout, latency) == LIVETCP_OK);
    REQUIRE(latency->struct_size == sizeof *latency && latency->max_us == config->max_latency_us);
    pull_all(playout);
    REQUIRE(livetcp_playout_get_stats(playout, stats) == LIVETCP_OK);
    REQUIRE(stats->struct_size == sizeof *stats && stats->received == 5 && stats->ssrc == 7);
    livetcp_playout_destroy(&playout);
}

static void use_redundancy(void)
{
    livetcp_redundancy_config *config = GUARDED(livetcp_redundancy_config);
    livetcp_redundancy_encoder_stats *sent = SIZED(livetcp_redundancy_encoder_stats);
    livetcp_redundancy_decoder_stats *got = SIZED(livetcp_redundancy_decoder_stats);
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    livetcp_redundancy_encoder *encoder;
    livetcp_redundancy_decoder *decoder;
    uint8_t packet[PACKET_SIZE];
    const void *red;
    size_t size, count;

    livetcp_redundancy_config_init(config);
    REQUIRE(config->struct_size == sizeof *config && config->max_packet == 1400);
    REQUIRE(livetcp_redundancy_encoder_create(config, &encoder, NULL) == LIVETCP_OK);
    REQUIRE(livetcp_redundancy_decoder_create(config, &decoder, NULL) == LIVETCP_OK);
    for (uint16_t i = 0; i < 3; i++) {
        make_packet(packet, i);
        REQUIRE(livetcp_redundancy_encode(encoder, packet, sizeof packet, NULL, &red, &size,
                                          NULL) == LIVETCP_OK);
        REQUIRE(livetcp_redundancy_decode(decoder, red, size, frames, &count, NULL) == LIVETCP_OK);
    }
    livetcp_redundancy_encoder_get_stats(encoder, sent);
    livetcp_redundancy_decoder_get_stats(decoder, got);
    REQUIRE(sent->struct_size == sizeof *sent && sent->packets == 3 && sent->repeated == 2);
    REQUIRE(got->struct_size == sizeof *got && got->packets == 3 && got->redundant == 2);
    livetcp_redundancy_encoder_destroy(&encoder);
    livetcp_redundancy_decoder_destroy(&decoder);
}

static void use_quality(void)
{
    livetcp_call *call = GUARDED(livetcp_call);
    livetcp_quality *quality = SIZED(livetcp_quality);

    livetcp_call_init(call, NULL);
    REQUIRE(call->struct_size == sizeof *call && call->burst_ratio == 1);
    call->delay_us = 100 * LIVETCP_USEC_MSEC;
    REQUIRE(livetcp_call_rate(call, quality, NULL) == LIVETCP_OK);
    REQUIRE(quality->struct_size == sizeof *quality && quality->mos > 4);
}

/* ---- the engine ---- */

#if NEW_HEADERS
static livetcp_result no_random(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    memset(bytes, 1, size);
    return LIVETCP_OK;
}

static void use_engine(void)
{
    livetcp_engine_setup *setup = SIZED(livetcp_engine_setup);
    livetcp_session_stats *stats = SIZED(livetcp_session_stats);
    livetcp_connection_stats *connection = SIZED(livetcp_connection_stats);
    livetcp_playout_report *report = SIZED(livetcp_playout_report);
    livetcp_packet_info *info = SIZED(livetcp_packet_info);
    livetcp_engine *engine;
    uint8_t packet[PACKET_SIZE];

    setup->config = make_config("livetcp://127.0.0.1:1?policy=first-ready&connections=4");
    setup->caller = true;
    setup->random = no_random;
    REQUIRE(livetcp_engine_create(setup, &engine, NULL) == LIVETCP_OK);
    make_packet(packet, 0);
    REQUIRE(livetcp_engine_send(engine, packet, sizeof packet, info, 1000) == LIVETCP_OK);
    REQUIRE(livetcp_engine_report_playout(engine, report) == LIVETCP_OK);
    REQUIRE(livetcp_engine_get_stats(engine, 2000, stats) == LIVETCP_OK);
    REQUIRE(stats->struct_size == sizeof *stats && stats->connections == 4);
    REQUIRE(stats->sent.queue_packets == 1 && stats->sent.queue_delay_us == 1000);
    REQUIRE(livetcp_engine_get_connection_stats(engine, 3, 2000, connection) == LIVETCP_OK);
    REQUIRE(connection->struct_size == sizeof *connection && connection->index == 3);
    REQUIRE(stats->peer.margin_us == LIVETCP_NO_MARGIN && stats->control.report_rtt_us == -1);
    livetcp_engine_destroy(&engine);
}
#endif

/* ---- the models ---- */

#ifdef ABI_MODEL
static void use_delay_model(livetcp_tcp_stack *stack)
{
    livetcp_delay_model_config *config = GUARDED(livetcp_delay_model_config);
    livetcp_delay_target *target = GUARDED(livetcp_delay_target);
    livetcp_delay_summary *summary = SIZED(livetcp_delay_summary);
    livetcp_delay_advice *advice = SIZED(livetcp_delay_advice);
    livetcp_delay_model *model;

    livetcp_delay_model_config_init(config, LIVETCP_TCP_CONSTANTS_BROSH);
    REQUIRE(config->struct_size == sizeof *config && config->max_states == 2000000);
    config->stack = stack;
    REQUIRE(livetcp_delay_model_solve(config, &model, NULL) == LIVETCP_OK);
    livetcp_delay_model_summary(model, summary);
    REQUIRE(summary->struct_size == sizeof *summary && summary->bounded && summary->mean_us > 0);
    livetcp_delay_model_destroy(&model);
    livetcp_delay_target_init(target);
    REQUIRE(target->struct_size == sizeof *target && target->quantile == 0.95);
    target->target_us = 10 * LIVETCP_USEC_SEC;
    REQUIRE(livetcp_delay_advise(config, target, advice, NULL) == LIVETCP_OK);
    REQUIRE(advice->struct_size == sizeof *advice && advice->meets_target);
    REQUIRE(livetcp_delay_static_playout_us(config) > 0);
}

static void use_models(void)
{
    livetcp_startup_config *startup = GUARDED(livetcp_startup_config);
    livetcp_tcp_stack *stack = GUARDED(livetcp_tcp_stack);
    livetcp_startup_model *model;

    REQUIRE(livetcp_tcp_stack_init(stack, LIVETCP_TCP_CONSTANTS_BROSH, NULL) == LIVETCP_OK);
    REQUIRE(stack->struct_size == sizeof *stack);
    REQUIRE(livetcp_tcp_stack_rto(stack, 100000) == 400000);
    livetcp_startup_config_init(startup, LIVETCP_TCP_CONSTANTS_LINUX);
    REQUIRE(startup->struct_size == sizeof *startup && startup->connections == 1);
    startup->stack = stack;
    REQUIRE(livetcp_startup_model_solve(startup, &model, NULL) == LIVETCP_OK);
    REQUIRE(livetcp_startup_mean_us(model, LIVETCP_STARTUP_ALL_READY) > 0);
    livetcp_startup_model_destroy(&model);
    use_delay_model(stack);
}
#endif

/* A library that takes the struct for larger than it is. */
static void plant(void)
{
#if NEW_HEADERS
    livetcp_config_init_sized(GUARDED(livetcp_config), sizeof(livetcp_config) + 64);
#endif
    exit(0);
}

int main(int argc, char **argv)
{
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    if (argc > 1 && !strcmp(argv[1], "plant"))
        plant();
    use_config();
    add_policy();
    use_sessions(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
    use_playout();
    use_redundancy();
    use_quality();
#if NEW_HEADERS
    use_engine();
#endif
#ifdef ABI_MODEL
    use_models();
#endif
    check_guards();
    printf("headers %s, library %s: %u structs used\n", LIVETCP_VERSION, livetcp_version(),
           guarded_count);
    return 0;
}
