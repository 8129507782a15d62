/* SPDX-License-Identifier: MIT */
/* A LiveTCP end of a route: a calling session, or all sessions of a listener. Each session has a
 * send queue of its own, so that a slow peer affects only itself. */
#include "relay/end.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Pause between the end of a session and the next call; doubles each time the peer refuses. */
enum { AGAIN_MS = 1000, AGAIN_MAX_MS = 30000 };

enum { CONFLICT = 409 };

typedef struct session_end session_end;

typedef struct peer {
    session_end *end;
    livetcp_session *session;
    struct peer *next;
    char remote[64];
    char reported[240]; /* last reason of a failed call, reported once */
    livetcp_role role;  /* role of an admitted caller */
    bool open;
} peer;

struct session_end {
    lt_relay_end end;
    lt_relay_waiting waiting; /* of a listener */
    peer *peers;
    uv_timer_t timer; /* until the next call */
    bool timed, finishing;
    uint64_t again_ms;
    char reported[240]; /* last reason of a refused call, reported once */
    bool in_callback;   /* a callback is running, which may end the relay */
};

static void say(const session_end *s, livetcp_log_level level, const char *remote, const char *text)
{
    const bool named = !*remote || !strncmp(text, remote, strlen(remote));

    lt_relay_log(s->end.world->journal, level, s->end.route, "%s%s%s", named ? "" : remote,
                 named ? "" : ": ", text);
}

/* ---- peers ---- */

static peer *add_peer(session_end *s, livetcp_session *session, const char *remote)
{
    peer *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->end = s;
    p->session = session;
    snprintf(p->remote, sizeof p->remote, "%s", remote);
    p->next = s->peers;
    s->peers = p;
    return p;
}

/* Frees the peer and its session. */
static void drop_peer(peer *p)
{
    peer **at = &p->end->peers;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    livetcp_session_destroy(&p->session);
    free(p);
}

static void free_if_over(session_end *s)
{
    if (!s->finishing || s->peers || s->timed || s->in_callback)
        return;
    s->end.events->on_finished(&s->end);
    free(s);
}

static void call(session_end *s);

static void on_call_again(uv_timer_t *timer)
{
    call(timer->data);
}

/* ---- callbacks ---- */

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    const peer *p = user;
    lt_relay_end *end = &p->end->end;
    const lt_relay_packet out = {.data = packet->data,
                                 .size = packet->size,
                                 .rtcp = packet->rtcp,
                                 .attached = true,
                                 .arrival_us = packet->arrival_us};

    (void)session;
    if (packet->report) /* feedback between the relays */
        return;
    end->counts.packets_in++;
    end->counts.bytes_in += packet->size;
    end->events->on_packet(end, &out);
}

static void on_opened(peer *p)
{
    livetcp_connection_stats stats = {.struct_size = sizeof stats};
    session_end *s = p->end;

    p->reported[0] = '\0';
    if (!p->remote[0] && livetcp_session_get_connection_stats(p->session, 0, &stats) == LIVETCP_OK)
        snprintf(p->remote, sizeof p->remote, "%s", stats.remote);
    if (p->open)
        return; /* reopened after it had lost all connections */
    p->open = true;
    s->end.counts.sessions++;
    say(s, LIVETCP_LOG_INFO, p->remote, "session open");
    s->end.events->on_open(&s->end, p->remote);
}

static void on_closed(peer *p, const livetcp_error *error)
{
    session_end *s = p->end;
    const bool was_open = p->open;
    char remote[sizeof p->remote], why[sizeof error->message] = "closed";

    memcpy(remote, p->remote, sizeof remote);
    if (error)
        snprintf(why, sizeof why, "%s", error->message);
    drop_peer(p);
    if (!s->finishing && (was_open || strcmp(s->reported, why) != 0))
        say(s, was_open ? LIVETCP_LOG_INFO : LIVETCP_LOG_WARNING, remote, why);
    snprintf(s->reported, sizeof s->reported, "%s", was_open ? "" : why);
    s->again_ms = was_open || !s->again_ms ? AGAIN_MS : 2 * s->again_ms;
    if (s->again_ms > AGAIN_MAX_MS)
        s->again_ms = AGAIN_MAX_MS;
    s->in_callback = true;
    if (was_open)
        s->end.events->on_left(&s->end, remote, why);
    s->in_callback = false;
    if (s->finishing)
        free_if_over(s);
    else if (s->timed)
        uv_timer_start(&s->timer, on_call_again, s->again_ms, 0);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    peer *p = user;

    (void)session;
    if (state == LIVETCP_SESSION_OPEN)
        on_opened(p);
    else if (state == LIVETCP_SESSION_CLOSED)
        on_closed(p, error);
    else if (error)
        say(p->end, LIVETCP_LOG_WARNING, p->remote, error->message);
}

static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    peer *p = user;

    (void)session;
    (void)state;
    if (connection != 0 || !error || p->open || !strcmp(p->reported, error->message))
        return; /* the other connections fail for the same reason, and retry */
    snprintf(p->reported, sizeof p->reported, "%s", error->message);
    say(p->end, LIVETCP_LOG_WARNING, "", error->message);
}

static void on_warning(livetcp_session *session, const livetcp_error *warning, void *user)
{
    const peer *p = user;

    (void)session;
    say(p->end, LIVETCP_LOG_WARNING, p->remote, warning->message);
}

static const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                    .on_packet = on_packet,
                                                    .on_state = on_state,
                                                    .on_connection = on_connection,
                                                    .on_warning = on_warning};

static bool has_publisher(const session_end *s)
{
    for (const peer *p = s->peers; p; p = p->next)
        if (p->role == LIVETCP_ROLE_PUBLISH)
            return true;
    return false;
}

/* A caller with this route's stream id. */
static bool on_session(livetcp_session *session, const livetcp_caller *caller, void *user)
{
    session_end *s = user;

    if (caller->role == LIVETCP_ROLE_PUBLISH && has_publisher(s)) {
        (void)livetcp_session_reject(session, CONFLICT, "another caller publishes this stream");
        return false;
    }
    peer *p = s->finishing ? NULL : add_peer(s, session, caller->remote);
    if (!p)
        return false;
    p->role = caller->role;
    (void)livetcp_session_set_callbacks(session, &callbacks, p);
    s->end.events->on_session(&s->end, session);
    return true;
}

static void on_rejected(const char *remote, const livetcp_error *error, void *user)
{
    say(user, LIVETCP_LOG_WARNING, remote, error->message);
}

/* ---- start ---- */

static void call(session_end *s)
{
    livetcp_error error = {.message = ""};
    peer *p = add_peer(s, NULL, "");

    if (p && livetcp_session_connect(s->end.world->context, &s->end.location.session, &callbacks, p,
                                     &p->session, &error) == LIVETCP_OK) {
        s->end.events->on_session(&s->end, p->session);
        return;
    }
    say(s, LIVETCP_LOG_ERROR, "", p ? error.message : "out of memory");
    if (p)
        drop_peer(p);
    uv_timer_start(&s->timer, on_call_again, AGAIN_MS, 0);
}

static livetcp_result session_start(lt_relay_end *end, livetcp_error *error)
{
    session_end *s = (session_end *)end;
    const livetcp_config *config = &end->location.session;

    if (config->mode == LIVETCP_MODE_LISTENER) {
        s->waiting.on_session = on_session;
        s->waiting.on_rejected = on_rejected;
        s->waiting.user = s;
        s->waiting.config = config;
        s->waiting.name = end->location.stream_id;
        livetcp_result result =
            lt_relay_listeners_add(end->world->listeners, end->world->context, &s->waiting, error);
        if (result != LIVETCP_OK)
            return result;
        end->port = lt_relay_waiting_port(&s->waiting);
        lt_relay_log(end->world->journal, LIVETCP_LOG_INFO, end->route, "listening on port %u%s%s",
                     end->port, s->waiting.name[0] ? ", stream " : "", s->waiting.name);
        return LIVETCP_OK;
    }
    uv_timer_init(end->world->loop, &s->timer);
    s->timer.data = s;
    s->timed = true;
    call(s);
    return LIVETCP_OK;
}

/* ---- packets out ---- */

static void session_deliver(lt_relay_end *end, const lt_relay_packet *packet)
{
    session_end *s = (session_end *)end;

    if (!s->peers)
        lt_relay_lose(end, LT_RELAY_NOWHERE);
    for (peer *p = s->peers; p; p = p->next) {
        if (p->role == LIVETCP_ROLE_PUBLISH && !packet->rtcp)
            continue; /* a publisher wants reception reports, and no media */
        livetcp_result result = livetcp_session_send(p->session, packet->data, packet->size);
        if (result == LIVETCP_OK) {
            end->counts.packets_out++;
            end->counts.bytes_out += packet->size;
        } else if (result == LIVETCP_ERR_CLOSED) {
            lt_relay_lose(end, LT_RELAY_NOWHERE);
        } else if (result == LIVETCP_ERR_PACKET_TOO_LARGE) {
            if (lt_relay_lose(end, LT_RELAY_TOO_LARGE))
                lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                             "%s: a packet of %zu bytes is dropped: max-packet is %zu",
                             end->location.text, packet->size, end->location.session.max_packet);
        } else if (lt_relay_lose(end, LT_RELAY_FAILED)) {
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "%s: a packet of %zu bytes is dropped: %s", end->location.text,
                         packet->size, livetcp_result_detail(result));
        }
    }
}

static void session_sessions(lt_relay_end *end, lt_relay_session_fn *use, void *user)
{
    session_end *s = (session_end *)end;

    for (const peer *p = s->peers; p; p = p->next)
        if (p->session)
            use(p->session, p->remote, user);
}

/* ---- the end ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    session_end *s = handle->data;

    s->timed = false;
    free_if_over(s);
}

static void session_finish(lt_relay_end *end, livetcp_usec drain_us)
{
    session_end *s = (session_end *)end;

    if (s->finishing)
        return;
    s->finishing = true;
    lt_relay_listeners_remove(s->end.world->listeners, &s->waiting);
    for (peer *p = s->peers; p; p = p->next)
        livetcp_session_close(p->session, p->open ? drain_us : 0);
    if (s->timed)
        uv_close((uv_handle_t *)&s->timer, on_timer_closed);
    else
        free_if_over(s);
}

static const lt_relay_end_kind session_kind = {.start = session_start,
                                               .deliver = session_deliver,
                                               .sessions = session_sessions,
                                               .finish = session_finish};

lt_relay_end *lt_relay_session_create(void)
{
    session_end *s = calloc(1, sizeof *s);

    if (s)
        s->end.kind = &session_kind;
    return s ? &s->end : NULL;
}
