/* SPDX-License-Identifier: MIT */
#include "crowd.h"

#include "lipsync.h"
#include "measure.h"

#include "../common/calling.h"
#include "../tv_common/rtcp.h"

#include <stdio.h>
#include <stdlib.h>

#define TICK_MS  20
#define PER_TICK 2 /* new sessions per tick: bounds the server's handshakes */

#define OVERTAKEN_MAX 1000

typedef struct spectator {
    crowd *crowd;
    livetcp_session *session;
    lipsync times;
    bool open, begun;
    uint32_t ssrc; /* of the pictures */
    uint16_t next; /* and the sequence number after the newest */
    bool counted;
    uint16_t from; /* first packet that counts; earlier ones were overtaken while joining */
} spectator;

struct crowd {
    uv_timer_t tick;
    livetcp_context *context;
    livetcp_config config;
    spectator *list;
    int count, called, open, lost;
    bool measuring;
    calling calling;
    uint64_t packets, bytes, sent, came; /* the last two: of pictures, by sequence numbers */
    measure delays;
};

/* Time from capture to the last packet of a picture. */
static void measure_delay(spectator *s, uint32_t timestamp)
{
    uv_timeval64_t wall;
    int64_t capture;

    if (lipsync_capture(&s->times, LIPSYNC_PICTURE, timestamp, &capture) &&
        uv_gettimeofday(&wall) == 0)
        measure_add(&s->crowd->delays, wall.tv_sec * LIVETCP_USEC_SEC + wall.tv_usec - capture);
}

static void take_rtp(spectator *s, const livetcp_packet *packet)
{
    livetcp_rtp_header header;
    crowd *c = s->crowd;

    if (livetcp_rtp_header_read(&header, packet->data, packet->size, NULL) != LIVETCP_OK)
        return;
    if (c->measuring) {
        c->packets++;
        c->bytes += packet->size;
    }
    if (header.payload_type != TV_VIDEO_PAYLOAD)
        return;
    const int16_t ahead = (int16_t)(header.sequence - s->next);
    if (s->begun && c->measuring && !s->counted) {
        s->counted = true;
        s->from = s->next;
    }
    if (s->counted && (int16_t)(header.sequence - s->from) >= 0) {
        c->came++;
        c->sent += ahead >= 0 ? (uint64_t)ahead + 1 : 0;
    }
    if (!s->begun || ahead >= 0)
        s->next = (uint16_t)(header.sequence + 1);
    if ((int16_t)(s->next - s->from) > OVERTAKEN_MAX) /* sequence numbers wrap */
        s->from = (uint16_t)(s->next - OVERTAKEN_MAX);
    s->ssrc = header.ssrc;
    s->begun = true;
    if (c->measuring && header.marker)
        measure_delay(s, header.timestamp);
}

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    spectator *s = user;
    tv_report report;
    (void)session;

    if (!packet->rtcp)
        take_rtp(s, packet);
    else if (!packet->report && tv_read_report(packet->data, packet->size, &report) &&
             report.ssrc == s->ssrc)
        lipsync_report(&s->times, LIPSYNC_PICTURE, report.wall_us, report.timestamp);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    spectator *s = user;
    (void)session;

    if (error && s->crowd->lost == 0)
        fprintf(stderr, "tv_client: a viewer: %s\n", error->message);
    s->crowd->open += (state == LIVETCP_SESSION_OPEN) - s->open;
    s->open = state == LIVETCP_SESSION_OPEN;
    s->crowd->lost += state == LIVETCP_SESSION_CLOSED;
}

static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    const spectator *s = user;
    (void)session, (void)state;

    if (s->crowd->open == 0)
        calling_failed(&s->crowd->calling, "tv_client", connection, error);
}

static void on_tick(uv_timer_t *timer)
{
    static const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                        .on_packet = on_packet,
                                                        .on_state = on_state,
                                                        .on_connection = on_connection};
    crowd *c = timer->data;
    livetcp_error error;

    for (int i = 0; i < PER_TICK && c->called < c->count; i++) {
        spectator *s = &c->list[c->called++];
        s->crowd = c;
        lipsync_init(&s->times, TV_VIDEO_CLOCK, TV_SOUND_CLOCK);
        if (livetcp_session_connect(c->context, &c->config, &callbacks, s, &s->session, &error) !=
            LIVETCP_OK) {
            fprintf(stderr, "tv_client: viewer %d: %s\n", c->called, error.message);
            c->lost++;
        }
    }
    if (c->called == c->count)
        uv_timer_stop(timer);
}

crowd *crowd_create(uv_loop_t *loop, livetcp_context *context, const livetcp_config *config,
                    int viewers, char *message, size_t size)
{
    crowd *c = calloc(1, sizeof *c);

    if (c)
        c->list = calloc((size_t)viewers, sizeof *c->list);
    if (!c || !c->list) {
        snprintf(message, size, "no memory for %d viewers", viewers);
        free(c);
        return NULL;
    }
    c->context = context;
    c->config = *config;
    c->count = viewers;
    uv_timer_init(loop, &c->tick);
    c->tick.data = c;
    uv_timer_start(&c->tick, on_tick, 0, TICK_MS);
    return c;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void crowd_destroy(crowd **cp)
{
    crowd *c = *cp;

    *cp = NULL;
    if (!c)
        return;
    for (int i = 0; i < c->called; i++)
        if (c->list[i].session)
            livetcp_session_destroy(&c->list[i].session);
    free(c->list);
    measure_free(&c->delays);
    uv_close((uv_handle_t *)&c->tick, on_closed);
}

bool crowd_all_open(const crowd *c)
{
    return c->open + c->lost >= c->count && c->called == c->count;
}

void crowd_begin(crowd *c)
{
    c->measuring = true;
}

void crowd_print(const crowd *c, double seconds)
{
    printf("{\"viewers\": %d, \"open\": %d, \"lost\": %d, \"seconds\": %.1f, \"packets\": %llu, "
           "\"kbits_per_viewer\": %.0f, \"missing\": %lld, \"delay_ms\": ",
           c->count, c->open, c->lost, seconds, (unsigned long long)c->packets,
           seconds > 0 ? (double)c->bytes * 8 / 1000 / seconds / c->count : 0.0,
           (long long)(c->sent - c->came));
    measure_print(&c->delays, stdout);
    printf("}\n");
}
