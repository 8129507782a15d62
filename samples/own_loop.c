/* SPDX-License-Identifier: MIT */
/*
 * A call on the application's own libuv loop, with voice in both directions over one session. A
 * timer sends and plays a frame every 20 ms, and LiveTCP works on the same loop, so no locks are
 * needed. One end listens and the other one calls:
 *
 *     own_loop 'livetcp://:5004?mode=listener'
 *     own_loop livetcp://localhost:5004
 *
 * Prints once a second how many packets were sent and received. Ctrl-C ends the session, closes all
 * of its handles on the loop, and ends the loop.
 */
#include <livetcp/livetcp.h>

#include <stdio.h>
#include <string.h>
#include <uv.h>

#define FRAME_US   20000
#define SAMPLES    160 /* 20 ms of PCMU */
#define CLOCK_RATE 8000
#define DRAIN_US   LIVETCP_USEC_SEC

typedef struct call {
    uv_loop_t loop;
    uv_timer_t timer;
    uv_signal_t interrupt;
    livetcp_usec next_us; /* time of the next frame */

    livetcp_context *context;
    livetcp_listener *listener; /* NULL on the calling end */
    livetcp_session *session;   /* NULL without a peer */
    livetcp_playout *playout;
    livetcp_rtp_header header; /* of the next packet */

    bool ending;
    unsigned long sent, frames;
} call;

/* Clock of an attached playout. */
static livetcp_usec now_us(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

/* ---- the end ---- */

static void on_closed(void *user)
{
    call *c = user;
    livetcp_playout_destroy(&c->playout); /* no session uses it any more */
}

/* The loop has no handles after this, and uv_run() returns. */
static void end(call *c)
{
    if (!c->context)
        return;
    c->ending = true;
    uv_close((uv_handle_t *)&c->timer, NULL);
    uv_close((uv_handle_t *)&c->interrupt, NULL);
    livetcp_context_close(&c->context, on_closed, c);
}

static void on_interrupt(uv_signal_t *handle, int signal_number)
{
    call *c = handle->data;
    (void)signal_number;
    c->ending = true;
    if (c->session) /* continues in on_state() */
        livetcp_session_close(c->session, DRAIN_US);
    else
        end(c);
}

/* ---- 20 ms of voice, both ways ---- */

static void send_frame(call *c)
{
    uint8_t packet[LIVETCP_RTP_HEADER_SIZE + SAMPLES];

    livetcp_rtp_header_write(&c->header, packet, sizeof packet, NULL);
    memset(packet + c->header.header_size, 0xff,
           SAMPLES); /* replace by a frame from the microphone */
    c->header.sequence++;
    c->header.timestamp += SAMPLES;
    if (livetcp_session_send(c->session, packet, sizeof packet) == LIVETCP_OK)
        c->sent++;
}

/* Takes a frame for the loudspeaker; samples/playout_pull.c also decodes. */
static void play_frame(call *c)
{
    livetcp_playout_item item = {.struct_size = sizeof item};

    while (livetcp_playout_pull(c->playout, c->next_us, &item) == LIVETCP_OK &&
           item.kind != LIVETCP_PLAYOUT_NOTHING)
        ;
}

static void print_second(const call *c)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};

    livetcp_playout_get_stats(c->playout, &stats);
    printf("sent %lu played %llu late %llu concealed %llu delay %.1f ms\n", c->sent,
           (unsigned long long)stats.played, (unsigned long long)stats.late,
           (unsigned long long)stats.concealed, (double)stats.delay_us / LIVETCP_USEC_MSEC);
    fflush(stdout);
}

/* A libuv timer has a resolution of a millisecond and may fire late, so the time of each frame
 * comes from the clock. */
static void on_timer(uv_timer_t *timer)
{
    call *c = timer->data;

    for (; c->next_us <= now_us(); c->next_us += FRAME_US) {
        if (c->session && !c->ending)
            send_frame(c);
        play_frame(c);
        if (++c->frames % (LIVETCP_USEC_SEC / FRAME_US) == 0)
            print_second(c);
    }
    uv_timer_start(timer, on_timer, (uint64_t)(c->next_us - now_us()) / LIVETCP_USEC_MSEC + 1, 0);
}

/* ---- the session ---- */

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    static const char *const names[] = {"connecting", "open", "closed"};
    call *c = user;

    fprintf(stderr, "session %s%s%s\n", names[state], error ? ": " : "",
            error ? error->message : "");
    if (state != LIVETCP_SESSION_CLOSED)
        return;
    livetcp_session_destroy(&session); /* allowed in every callback */
    c->session = NULL;
    if (c->ending || !c->listener)
        end(c); /* otherwise another caller is accepted */
}

static const livetcp_session_callbacks callbacks = {
    .struct_size = sizeof(livetcp_session_callbacks), .on_state = on_state};

/* The session feeds the playout on the loop's thread, on which play_frame() also runs: no lock. */
static livetcp_result take_session(call *c, livetcp_session *session, livetcp_error *error)
{
    livetcp_result result = livetcp_playout_attach(c->playout, session, NULL);

    if (result == LIVETCP_OK)
        c->session = session;
    else
        snprintf(error->message, sizeof error->message, "%s", livetcp_result_detail(result));
    return result;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    call *c = user;
    livetcp_error error;
    (void)listener;
    if (c->session || c->ending)
        return false; /* one call at a time */
    fprintf(stderr, "call from %s\n", remote);
    livetcp_session_set_callbacks(session, &callbacks, c);
    if (take_session(c, session, &error) == LIVETCP_OK)
        return true;
    fprintf(stderr, "own_loop: %s\n", error.message);
    return false;
}

static livetcp_result start_call(call *c, const livetcp_config *config, livetcp_error *error)
{
    const livetcp_listener_callbacks listening = {.struct_size = sizeof listening,
                                                  .on_session = on_session};
    livetcp_session *session;
    livetcp_result result;

    if (config->mode == LIVETCP_MODE_CALLER) {
        result = livetcp_session_connect(c->context, config, &callbacks, c, &session, error);
        return result == LIVETCP_OK ? take_session(c, session, error) : result;
    }
    result = livetcp_listener_create(c->context, config, &listening, c, &c->listener, error);
    if (result == LIVETCP_OK)
        printf("listening on port %u\n", livetcp_listener_port(c->listener));
    fflush(stdout);
    return result;
}

/* ---- the program ---- */

static livetcp_result start(call *c, const livetcp_config *config, livetcp_error *error)
{
    livetcp_playout_config playout;
    livetcp_result result;

    livetcp_playout_config_init(&playout);
    playout.clock_rate = CLOCK_RATE;
    playout.min_latency_us = 10 * LIVETCP_USEC_MSEC;
    result = livetcp_playout_create(&playout, &c->playout, error);
    if (result == LIVETCP_OK)
        result = livetcp_context_create(&c->loop, &c->context, error);
    if (result != LIVETCP_OK)
        return result;
    uv_timer_init(&c->loop, &c->timer);
    uv_signal_init(&c->loop, &c->interrupt);
    c->timer.data = c->interrupt.data = c;
    c->next_us = now_us();
    uv_timer_start(&c->timer, on_timer, 0, 0);
    uv_signal_start(&c->interrupt, on_interrupt, SIGINT);
    result = start_call(c, config, error);
    if (result != LIVETCP_OK)
        end(c);
    return result;
}

int main(int argc, char **argv)
{
    static call c = {.header = {.payload_type = 0}}; /* PCMU */
    livetcp_config config;
    livetcp_error error = {.message = "usage: own_loop livetcp://HOST:PORT, or "
                                      "livetcp://:PORT?mode=listener"};
    livetcp_result result = LIVETCP_ERR_INVALID_ARGUMENT;

    livetcp_config_init(&config);
    uv_random(NULL, NULL, &c.header.ssrc, sizeof c.header.ssrc, 0, NULL);
    if (argc == 2 && uv_loop_init(&c.loop) == 0) {
        result = livetcp_config_apply_uri(&config, argv[1], &error);
        if (result == LIVETCP_OK)
            result = start(&c, &config, &error);
        uv_run(&c.loop, UV_RUN_DEFAULT);
        if (uv_loop_close(&c.loop) != 0)
            fprintf(stderr, "own_loop: handles are left on the loop\n");
        livetcp_playout_destroy(&c.playout);
    }
    if (result != LIVETCP_OK)
        fprintf(stderr, "own_loop: %s\n", error.message);
    return result == LIVETCP_OK ? 0 : 1;
}
