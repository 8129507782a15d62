/* SPDX-License-Identifier: MIT */
/* LiveTCP by its public API: one session and one listener per flow; the listener identifies the
 * flow at the far end. */
#include "lab/bench/transport.h"

#include "base/error.h"
#include "lab/emulate/netns.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct livetcp_transport livetcp_transport;

typedef struct livetcp_flow {
    livetcp_transport *transport;
    livetcp_listener *listener;         /* far end */
    _Atomic(livetcp_session *) session; /* far end: NULL until the peer has connected */
} livetcp_flow;

struct livetcp_transport {
    lt_transport base;
    livetcp_context *context;
    livetcp_flow *flows;
    pthread_mutex_t lock;
    livetcp_error failure; /* of the first session that ended by itself; under the lock */
};

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    livetcp_flow *flow = user;
    const lt_transport_user *user_of = &flow->transport->base.user;
    (void)session;
    if (!packet->rtcp)
        user_of->receive(user_of->user, packet->data, packet->size);
}

static void on_drained(livetcp_session *session, void *user)
{
    livetcp_flow *flow = user;
    livetcp_transport *t = flow->transport;
    (void)session;
    t->base.user.drained(t->base.user.user, (unsigned)(flow - t->flows));
}

static void on_bitrate(livetcp_session *session, uint32_t bitrate, void *user)
{
    livetcp_flow *flow = user;
    livetcp_transport *t = flow->transport;
    (void)session;
    t->base.user.bitrate(t->base.user.user, (unsigned)(flow - t->flows), bitrate);
}

static void on_keyframe_wanted(livetcp_session *session, uint32_t ssrc, void *user)
{
    livetcp_flow *flow = user;
    livetcp_transport *t = flow->transport;
    (void)session;
    (void)ssrc; /* one stream per direction */
    t->base.user.key_wanted(t->base.user.user, (unsigned)(flow - t->flows));
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    livetcp_transport *t = ((livetcp_flow *)user)->transport;
    (void)session;
    if (state != LIVETCP_SESSION_CLOSED || !error || error->code == LIVETCP_ERR_CANCELLED)
        return;
    pthread_mutex_lock(&t->lock);
    if (t->failure.code == LIVETCP_OK)
        t->failure = *error;
    pthread_mutex_unlock(&t->lock);
}

static const livetcp_session_callbacks session_callbacks = {
    .struct_size = sizeof session_callbacks,
    .on_packet = on_packet,
    .on_state = on_state,
    .on_drained = on_drained,
    .on_bitrate = on_bitrate,
    .on_keyframe_wanted = on_keyframe_wanted,
};

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    livetcp_flow *flow = user;
    (void)listener;
    (void)remote;
    if (atomic_load(&flow->session))
        return false; /* one peer per flow */
    livetcp_session_set_callbacks(session, &session_callbacks, flow);
    atomic_store(&flow->session, session);
    return true;
}

static const livetcp_listener_callbacks listener_callbacks = {
    .struct_size = sizeof listener_callbacks,
    .on_session = on_session,
};

static livetcp_result livetcp_listen(lt_transport *base, const char *address, uint16_t *ports,
                                     livetcp_error *error)
{
    livetcp_transport *t = (livetcp_transport *)base;
    livetcp_config config = base->scheme->config;
    config.mode = LIVETCP_MODE_LISTENER;
    config.interfaces[0] = '\0'; /* used by the near end only */
    config.port = 0;
    snprintf(config.host, sizeof config.host, "%s", address);
    for (unsigned i = 0; i < base->flows; i++) {
        livetcp_flow *flow = &t->flows[i];
        livetcp_result result = livetcp_listener_create(t->context, &config, &listener_callbacks,
                                                        flow, &flow->listener, error);
        if (result != LIVETCP_OK)
            return result;
        ports[i] = livetcp_listener_port(flow->listener);
    }
    return LIVETCP_OK;
}

static livetcp_result livetcp_connect(lt_transport *base, unsigned index, const char *address,
                                      uint16_t port, livetcp_error *error)
{
    livetcp_transport *t = (livetcp_transport *)base;
    livetcp_config config = base->scheme->config;
    livetcp_session *session = NULL;
    config.mode = LIVETCP_MODE_CALLER;
    config.port = port;
    snprintf(config.host, sizeof config.host, "%s", address);
    livetcp_result result = livetcp_session_connect(t->context, &config, &session_callbacks,
                                                    &t->flows[index], &session, error);
    if (result == LIVETCP_OK)
        atomic_store(&t->flows[index].session, session);
    return result;
}

static bool livetcp_ready(lt_transport *base, unsigned index, livetcp_error *error)
{
    livetcp_transport *t = (livetcp_transport *)base;
    pthread_mutex_lock(&t->lock);
    *error = t->failure;
    pthread_mutex_unlock(&t->lock);
    if (error->code != LIVETCP_OK)
        return false;
    livetcp_session *session = atomic_load(&t->flows[index].session);
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    return session && livetcp_session_get_stats(session, &stats) == LIVETCP_OK &&
           stats.open_connections >= base->scheme->config.connections;
}

static livetcp_result livetcp_send(lt_transport *base, unsigned index, const uint8_t *packet,
                                   size_t size, const livetcp_packet_info *info)
{
    livetcp_transport *t = (livetcp_transport *)base;
    return livetcp_session_send_with(atomic_load(&t->flows[index].session), packet, size, info);
}

static bool livetcp_writable(lt_transport *base, unsigned index)
{
    livetcp_transport *t = (livetcp_transport *)base;
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    return livetcp_session_get_stats(atomic_load(&t->flows[index].session), &stats) == LIVETCP_OK &&
           stats.open_connections > 0 && stats.sent.queue_packets == 0;
}

static void add_connections(livetcp_session *session, unsigned connections,
                            lt_transport_totals *out)
{
    for (unsigned i = 0; i < connections; i++) {
        livetcp_connection_stats stats = {.struct_size = sizeof stats};
        if (livetcp_session_get_connection_stats(session, i, &stats) == LIVETCP_OK &&
            (stats.path.known & LIVETCP_PATH_RETRANSMITS))
            out->retransmitted += stats.path.retransmitted_segments;
    }
}

static void livetcp_totals(lt_transport *base, lt_transport_totals *out)
{
    livetcp_transport *t = (livetcp_transport *)base;
    const livetcp_config *config = &base->scheme->config;
    for (unsigned i = 0; i < base->flows; i++) {
        livetcp_session *session = atomic_load(&t->flows[i].session);
        livetcp_session_stats stats = {.struct_size = sizeof stats};
        if (!session || livetcp_session_get_stats(session, &stats) != LIVETCP_OK)
            continue;
        out->packets_sent += stats.sent.accepted;
        out->bytes_sent += stats.sent.bytes;
        out->dropped += stats.dropped.queue_full + stats.dropped.late + stats.dropped.connection;
        out->refused += stats.sent.refused;
        out->duplicates += stats.received.duplicates;
        out->reconnects += stats.reconnects;
        if (stats.sent.max_queue_delay_us > out->max_queue_us)
            out->max_queue_us = stats.sent.max_queue_delay_us;
        add_connections(session, stats.connections, out);
    }
    if (*config->congestion_control)
        snprintf(out->congestion_control, sizeof out->congestion_control, "%s",
                 config->congestion_control);
    else if (lt_sysctl_get("net/ipv4/tcp_congestion_control", out->congestion_control,
                           sizeof out->congestion_control, NULL) != LIVETCP_OK)
        out->congestion_control[0] = '\0';
}

static void livetcp_destroy(lt_transport *base)
{
    livetcp_transport *t = (livetcp_transport *)base;
    for (unsigned i = 0; t->flows && i < base->flows; i++) {
        livetcp_session *session = atomic_exchange(&t->flows[i].session, NULL);
        livetcp_listener_destroy(&t->flows[i].listener);
        livetcp_session_destroy(&session);
    }
    livetcp_context_destroy(&t->context);
    pthread_mutex_destroy(&t->lock);
    free(t->flows);
    free(t);
}

static const lt_transport_ops livetcp_ops = {
    .destroy = livetcp_destroy,
    .listen = livetcp_listen,
    .connect = livetcp_connect,
    .ready = livetcp_ready,
    .send = livetcp_send,
    .writable = livetcp_writable,
    .totals = livetcp_totals,
};

livetcp_result lt_livetcp_transport_create(lt_transport **out, unsigned flows, livetcp_error *error)
{
    livetcp_transport *t = calloc(1, sizeof *t);
    livetcp_result result;
    *out = NULL;
    if (!t)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the flows");
    t->base = (lt_transport){.ops = &livetcp_ops, .flows = flows};
    pthread_mutex_init(&t->lock, NULL);
    t->flows = calloc(flows, sizeof *t->flows);
    for (unsigned i = 0; t->flows && i < flows; i++)
        t->flows[i].transport = t;
    result = t->flows ? livetcp_context_create(NULL, &t->context, error)
                      : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the flows");
    if (result != LIVETCP_OK) {
        livetcp_destroy(&t->base);
        return result;
    }
    *out = &t->base;
    return LIVETCP_OK;
}
