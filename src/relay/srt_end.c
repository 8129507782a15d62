/* SPDX-License-Identifier: MIT */
/* An SRT end of a route, in live mode: one caller, or the callers of a listener. libsrt blocks in a
 * thread of its own, which passes input to the relay's loop. */
#include "relay/end.h"
#include "relay/lookup.h"
#include "relay/plan/packing.h"

#include "base/error.h"

#include <srt/srt.h>
#include <stdlib.h>
#include <string.h>

enum {
    PEERS_MAX = 64,
    DATAGRAM = 1456,    /* the most that SRT's live mode has room for */
    WAITING_MAX = 4096, /* events that the loop has not taken yet */
    WAIT_MS = 50,       /* for events: how soon the thread sees that it is to end */
    AGAIN_MS = 1000,    /* from the end of a connection to the next call */
    LOOK_UP_MS = 5000,  /* until a name is looked up again */
    REMOTE = 64,
};

typedef enum kind { ARRIVED, OPENED, CLOSED, FAILED, NEEDS_ADDRESS } kind;

/* An event from the thread to the loop. */
typedef struct event {
    struct event *next;
    kind kind;
    livetcp_usec at;
    char remote[REMOTE];
    size_t size;
    uint8_t data[]; /* ARRIVED: a packet; else a text */
} event;

typedef struct peer {
    SRTSOCKET socket;
    char remote[REMOTE];
} peer;

typedef struct srt_end {
    lt_relay_end end;
    lt_relay_packer packer;
    lt_relay_lookup *lookup; /* that runs */
    uv_async_t async;
    uv_thread_t thread;
    bool finishing, threaded, has_async;
    char reported[200]; /* why the last call failed, reported once */

    /* Used by the thread. */
    int poll;
    SRTSOCKET waiting; /* the listener, or the call in progress */
    livetcp_usec again_us;

    uv_mutex_t lock; /* of the following */
    struct sockaddr_storage address;
    int address_size;        /* 0: not known yet */
    livetcp_usec look_up_us; /* then it is looked up */
    peer peers[PEERS_MAX];
    unsigned count;
    event *first, **last;
    unsigned events, lost;
    bool ending, ended;
} srt_end;

static int size_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? (int)sizeof(struct sockaddr_in6)
                                          : (int)sizeof(struct sockaddr_in);
}

/* ---- from the thread to the loop ---- */

static void post(srt_end *s, kind what, const char *remote, const void *data, size_t size)
{
    event *e = NULL;

    uv_mutex_lock(&s->lock);
    if (s->events < WAITING_MAX || what != ARRIVED)
        e = malloc(sizeof *e + size);
    if (e) {
        *e = (event){.kind = what, .at = lt_relay_now(), .size = size};
        snprintf(e->remote, sizeof e->remote, "%s", remote);
        if (size)
            memcpy(e->data, data, size);
        *s->last = e;
        s->last = &e->next;
        s->events++;
    } else {
        s->lost++;
    }
    uv_mutex_unlock(&s->lock);
    uv_async_send(&s->async);
}

static void post_text(srt_end *s, kind what, const char *remote, const char *text)
{
    post(s, what, remote, text, strlen(text) + 1);
}

/* ---- sockets, on the thread ---- */

static bool set_int(SRTSOCKET socket, SRT_SOCKOPT option, int value)
{
    return srt_setsockflag(socket, option, &value, sizeof value) == 0;
}

static bool set_bool(SRTSOCKET socket, SRT_SOCKOPT option, bool value)
{
    return srt_setsockflag(socket, option, &value, sizeof value) == 0;
}

/* SRT_INVALID_SOCK if libsrt refuses a setting; srt_getlasterror_str() has the reason. */
static SRTSOCKET make_socket(const lt_relay_location *l)
{
    SRTSOCKET made = srt_create_socket();

    if (made == SRT_INVALID_SOCK)
        return made;
    if (set_int(made, SRTO_TRANSTYPE, SRTT_LIVE) && set_int(made, SRTO_PAYLOADSIZE, DATAGRAM) &&
        set_int(made, SRTO_LATENCY, (int)(l->latency_us / LIVETCP_USEC_MSEC)) &&
        set_bool(made, SRTO_RCVSYN, false) && set_bool(made, SRTO_SNDSYN, false) &&
        (!l->key_length || set_int(made, SRTO_PBKEYLEN, (int)l->key_length)) &&
        (!l->passphrase[0] ||
         srt_setsockflag(made, SRTO_PASSPHRASE, l->passphrase, (int)strlen(l->passphrase)) == 0) &&
        (!l->stream_id[0] || l->bound ||
         srt_setsockflag(made, SRTO_STREAMID, l->stream_id, (int)strlen(l->stream_id)) == 0))
        return made;
    srt_close(made);
    return SRT_INVALID_SOCK;
}

static void watch(srt_end *s, SRTSOCKET socket, int events)
{
    srt_epoll_add_usock(s->poll, socket, &events);
}

/* libsrt tells the address of callers only, and succeeds without one for others. */
static bool get_address(srt_end *s, SRTSOCKET socket, struct sockaddr_storage *address)
{
    int size = sizeof *address;

    if (s->end.location.bound)
        return srt_getpeername(socket, (struct sockaddr *)address, &size) == 0;
    uv_mutex_lock(&s->lock);
    *address = s->address;
    uv_mutex_unlock(&s->lock);
    return true;
}

static void name_peer(srt_end *s, SRTSOCKET socket, char remote[REMOTE])
{
    struct sockaddr_storage address = {0};
    char text[REMOTE - 10];

    snprintf(remote, REMOTE, "a caller");
    if (!get_address(s, socket, &address))
        return;
    if (address.ss_family == AF_INET &&
        uv_ip4_name((struct sockaddr_in *)&address, text, sizeof text) == 0)
        snprintf(remote, REMOTE, "%s:%u", text, ntohs(((struct sockaddr_in *)&address)->sin_port));
    else if (uv_ip6_name((struct sockaddr_in6 *)&address, text, sizeof text) == 0)
        snprintf(remote, REMOTE, "[%s]:%u", text,
                 ntohs(((struct sockaddr_in6 *)&address)->sin6_port));
}

static void remove_peer(srt_end *s, SRTSOCKET socket)
{
    char remote[REMOTE] = "";

    uv_mutex_lock(&s->lock);
    for (unsigned i = 0; i < s->count; i++)
        if (s->peers[i].socket == socket) {
            memcpy(remote, s->peers[i].remote, sizeof remote);
            s->peers[i] = s->peers[--s->count];
            break;
        }
    uv_mutex_unlock(&s->lock);
    srt_epoll_remove_usock(s->poll, socket);
    srt_close(socket);
    if (remote[0])
        post_text(s, CLOSED, remote, "the SRT connection has ended");
    s->again_us = lt_relay_now() + AGAIN_MS * LIVETCP_USEC_MSEC;
}

/* A connection is open. */
static void add_peer(srt_end *s, SRTSOCKET socket)
{
    peer p = {.socket = socket};
    char id[513] = "";
    int size = sizeof id - 1;
    const lt_relay_location *l = &s->end.location;

    name_peer(s, socket, p.remote);
    if (l->bound && l->stream_id[0] &&
        (srt_getsockflag(socket, SRTO_STREAMID, id, &size) != 0 || strcmp(id, l->stream_id) != 0)) {
        post_text(s, FAILED, p.remote, "refused: it requests another streamid");
        srt_close(socket);
        return;
    }
    uv_mutex_lock(&s->lock);
    bool packet_buffer = s->count < PEERS_MAX;
    if (packet_buffer)
        s->peers[s->count++] = p;
    uv_mutex_unlock(&s->lock);
    if (!packet_buffer) {
        post_text(s, FAILED, p.remote, "refused: there are 64 callers already");
        srt_close(socket);
        return;
    }
    watch(s, socket, SRT_EPOLL_IN | SRT_EPOLL_ERR);
    post_text(s, OPENED, p.remote, "");
    /* libsrt reports no event of a socket that had broken before it was watched. */
    if (srt_getsockstate(socket) != SRTS_CONNECTED)
        remove_peer(s, socket);
}

static void receive(srt_end *s, SRTSOCKET socket)
{
    char data[DATAGRAM];
    int size;

    while ((size = srt_recvmsg2(socket, data, sizeof data, NULL)) > 0)
        post(s, ARRIVED, "", data, (size_t)size);
    if (srt_getlasterror(NULL) != SRT_EASYNCRCV)
        remove_peer(s, socket);
}

/* ---- the thread ---- */

static void call_failed(srt_end *s, const char *why)
{
    if (s->waiting != SRT_INVALID_SOCK) {
        srt_epoll_remove_usock(s->poll, s->waiting);
        srt_close(s->waiting);
    }
    s->waiting = SRT_INVALID_SOCK;
    s->again_us = lt_relay_now() + AGAIN_MS * LIVETCP_USEC_MSEC;
    post_text(s, FAILED, "", why);
}

static void call(srt_end *s)
{
    s->waiting = make_socket(&s->end.location);
    if (s->waiting == SRT_INVALID_SOCK) {
        call_failed(s, srt_getlasterror_str());
        return;
    }
    watch(s, s->waiting, SRT_EPOLL_OUT | SRT_EPOLL_ERR);
    if (srt_connect(s->waiting, (struct sockaddr *)&s->address, s->address_size) == SRT_ERROR)
        call_failed(s, srt_getlasterror_str());
}

static void on_waiting(srt_end *s)
{
    if (s->end.location.bound) {
        SRTSOCKET accepted = srt_accept(s->waiting, NULL, NULL);
        if (accepted != SRT_INVALID_SOCK)
            add_peer(s, accepted);
        return;
    }
    SRTSOCKET socket = s->waiting;
    if (srt_getsockstate(socket) != SRTS_CONNECTED) {
        int reason = srt_getrejectreason(socket);
        call_failed(s, reason == SRT_REJ_UNKNOWN ? "no answer" : srt_rejectreason_str(reason));
        return;
    }
    s->waiting = SRT_INVALID_SOCK;
    srt_epoll_remove_usock(s->poll, socket);
    add_peer(s, socket);
}

static void run(void *user)
{
    srt_end *s = user;
    SRT_EPOLL_EVENT ready[PEERS_MAX + 1];
    bool ending = false;

    while (!ending) {
        uv_mutex_lock(&s->lock);
        ending = s->ending;
        bool calls = !s->end.location.bound && !s->count && s->address_size;
        bool looks = !s->address_size && lt_relay_now() >= s->look_up_us;
        if (looks)
            s->look_up_us = LIVETCP_NEVER;
        uv_mutex_unlock(&s->lock);
        if (looks)
            post(s, NEEDS_ADDRESS, "", NULL, 0);
        if (calls && s->waiting == SRT_INVALID_SOCK && lt_relay_now() >= s->again_us)
            call(s);
        int count = srt_epoll_uwait(s->poll, ready, PEERS_MAX + 1, WAIT_MS);
        for (int i = 0; i < count; i++) {
            if (ready[i].fd == s->waiting)
                on_waiting(s);
            else
                receive(s, ready[i].fd);
        }
    }
    if (s->waiting != SRT_INVALID_SOCK)
        srt_close(s->waiting);
    for (unsigned i = 0; i < s->count; i++) /* after this the loop sends nothing */
        srt_close(s->peers[i].socket);
    uv_mutex_lock(&s->lock);
    s->ended = true;
    uv_mutex_unlock(&s->lock);
    uv_async_send(&s->async);
}

/* ---- the loop's side ---- */

static void look_up(srt_end *s, livetcp_usec when)
{
    uv_mutex_lock(&s->lock);
    s->look_up_us = when;
    uv_mutex_unlock(&s->lock);
}

static void on_address(void *user, const struct sockaddr_storage *address, const char *why)
{
    srt_end *s = user;
    const lt_relay_location *l = &s->end.location;

    s->lookup = NULL;
    if (!address) {
        lt_relay_log(s->end.world->journal, LIVETCP_LOG_WARNING, s->end.route,
                     "%s: cannot resolve %s: %s; trying again in %d s", l->text, l->host, why,
                     LOOK_UP_MS / 1000);
        look_up(s, lt_relay_now() + LOOK_UP_MS * LIVETCP_USEC_MSEC);
        return;
    }
    uv_mutex_lock(&s->lock);
    s->address = *address;
    s->address_size = size_of(address);
    uv_mutex_unlock(&s->lock);
}

static void take_need(srt_end *s)
{
    const lt_relay_location *l = &s->end.location;

    s->lookup = lt_relay_lookup_start(s->end.world->loop, l->host, l->port, on_address, s);
    if (!s->lookup)
        look_up(s, lt_relay_now() + LOOK_UP_MS * LIVETCP_USEC_MSEC);
}

static void take_arrived(srt_end *s, const event *e)
{
    lt_relay_end *end = &s->end;
    lt_relay_packet packet = {.arrival_us = e->at};
    lt_relay_fit fit = lt_relay_pack(&s->packer, e->data, e->size, e->at, end->world->packet_buffer,
                                     &packet.data, &packet.size);

    if (fit != LT_RELAY_FITS) {
        if (lt_relay_lose(end, LT_RELAY_INVALID))
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "%s: %zu bytes are dropped: they are %s", end->location.text, e->size,
                         lt_relay_fit_text(fit));
        return;
    }
    packet.rtcp = s->packer.encap == LT_RELAY_ENCAP_RTP && lt_relay_is_rtcp(e->data, e->size);
    end->counts.packets_in++;
    end->counts.bytes_in += e->size;
    end->events->on_packet(end, &packet);
}

static void take_event(srt_end *s, const event *e)
{
    lt_relay_end *end = &s->end;
    const char *text = (const char *)e->data;

    if (s->finishing)
        return;
    if (e->kind == ARRIVED) {
        take_arrived(s, e);
    } else if (e->kind == NEEDS_ADDRESS) {
        take_need(s);
    } else if (e->kind == OPENED) {
        s->reported[0] = '\0';
        end->counts.sessions++;
        lt_relay_log(end->world->journal, LIVETCP_LOG_INFO, end->route, "%s: SRT connection open",
                     e->remote);
        end->events->on_open(end, e->remote);
    } else if (e->kind == CLOSED) {
        lt_relay_log(end->world->journal, LIVETCP_LOG_INFO, end->route, "%s: %s", e->remote, text);
        end->events->on_left(end, e->remote, text);
    } else if (strcmp(s->reported, text) != 0) {
        snprintf(s->reported, sizeof s->reported, "%s", text);
        lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route, "%s: %s",
                     e->remote[0] ? e->remote : end->location.text, text);
    }
}

static void on_async_closed(uv_handle_t *handle)
{
    srt_end *s = handle->data;

    s->end.events->on_finished(&s->end);
    uv_mutex_destroy(&s->lock);
    free(s);
}

static void on_async(uv_async_t *async)
{
    srt_end *s = async->data;
    event *e, *next;

    uv_mutex_lock(&s->lock);
    e = s->first;
    s->first = NULL;
    s->last = &s->first;
    s->events = 0;
    unsigned lost = s->lost;
    s->lost = 0;
    bool ended = s->ended;
    uv_mutex_unlock(&s->lock);
    for (; lost; lost--)
        (void)lt_relay_lose(&s->end, LT_RELAY_BLOCKED);
    for (; e; e = next) {
        next = e->next;
        take_event(s, e);
        free(e);
    }
    if (!ended || !s->threaded)
        return;
    s->threaded = false;
    uv_thread_join(&s->thread);
    srt_epoll_release(s->poll);
    srt_cleanup();
    uv_close((uv_handle_t *)&s->async, on_async_closed);
}

/* ---- packets out ---- */

static void send_to(srt_end *s, const peer *p, const uint8_t *bytes, size_t size)
{
    lt_relay_end *end = &s->end;

    if (srt_sendmsg2(p->socket, (const char *)bytes, (int)size, NULL) != SRT_ERROR) {
        end->counts.packets_out++;
        end->counts.bytes_out += size;
    } else if (srt_getlasterror(NULL) == SRT_EASYNCSND) {
        if (lt_relay_lose(end, LT_RELAY_BLOCKED))
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "%s: SRT's send buffer is full: packets are dropped", p->remote);
    } else if (lt_relay_lose(end, LT_RELAY_FAILED)) {
        lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route, "%s: %s", p->remote,
                     srt_getlasterror_str());
    }
}

static void srt_deliver(lt_relay_end *end, const lt_relay_packet *packet)
{
    srt_end *s = (srt_end *)end;
    const uint8_t *bytes;
    size_t size;
    lt_relay_fit fit = lt_relay_unpack(&s->packer, packet->data, packet->size, &bytes, &size);

    if (s->finishing || fit == LT_RELAY_NOT_FOR_OUTPUT)
        return;
    if (fit != LT_RELAY_FITS) {
        if (lt_relay_lose(end, LT_RELAY_UNWANTED))
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "%s: a packet is dropped: it is %s", end->location.text,
                         lt_relay_fit_text(fit));
    } else if (size > DATAGRAM) {
        if (lt_relay_lose(end, LT_RELAY_TOO_LARGE))
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "%s: %zu bytes are dropped: SRT's live mode takes at most %d",
                         end->location.text, size, DATAGRAM);
    } else {
        uv_mutex_lock(&s->lock);
        if (!s->count)
            lt_relay_lose(end, LT_RELAY_NOWHERE);
        for (unsigned i = 0; i < s->count; i++)
            send_to(s, &s->peers[i], bytes, size);
        uv_mutex_unlock(&s->lock);
    }
}

/* ---- start and end ---- */

/* Of a number, and of this machine. The thread asks for that of another name. */
static livetcp_result find_address(srt_end *s, livetcp_error *error)
{
    const lt_relay_location *l = &s->end.location;
    const char *host = l->host[0] ? l->host : "0.0.0.0";
    uv_getaddrinfo_t request;
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE};
    char port[8];

    if (uv_ip4_addr(host, l->port, (struct sockaddr_in *)&s->address) == 0 ||
        uv_ip6_addr(host, l->port, (struct sockaddr_in6 *)&s->address) == 0) {
        s->address_size = size_of(&s->address);
        return LIVETCP_OK;
    }
    memset(&s->address, 0, sizeof s->address);
    if (!l->bound)
        return LIVETCP_OK;
    snprintf(port, sizeof port, "%u", l->port);
    int status = uv_getaddrinfo(s->end.world->loop, &request, NULL, l->host, port, &hints);
    if (status != 0)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "%s: %s", l->text, uv_strerror(status));
    s->address_size = (int)request.addrinfo->ai_addrlen;
    memcpy(&s->address, request.addrinfo->ai_addr, request.addrinfo->ai_addrlen);
    uv_freeaddrinfo(request.addrinfo);
    return LIVETCP_OK;
}

static livetcp_result listen_there(srt_end *s, livetcp_error *error)
{
    lt_relay_end *end = &s->end;
    struct sockaddr_storage bound;
    int size = sizeof bound;

    s->waiting = make_socket(&end->location);
    if (s->waiting == SRT_INVALID_SOCK ||
        srt_bind(s->waiting, (struct sockaddr *)&s->address, s->address_size) == SRT_ERROR ||
        srt_listen(s->waiting, PEERS_MAX) == SRT_ERROR)
        return lt_fail(error, LIVETCP_ERR_SYSTEM,
                       "%s: cannot wait there: %s; another program may use the port",
                       end->location.text, srt_getlasterror_str());
    watch(s, s->waiting, SRT_EPOLL_IN | SRT_EPOLL_ERR);
    if (srt_getsockname(s->waiting, (struct sockaddr *)&bound, &size) == 0)
        end->port = ntohs(bound.ss_family == AF_INET ? ((struct sockaddr_in *)&bound)->sin_port
                                                     : ((struct sockaddr_in6 *)&bound)->sin6_port);
    lt_relay_log(end->world->journal, LIVETCP_LOG_INFO, end->route, "SRT: listening on port %u",
                 end->port);
    return LIVETCP_OK;
}

static livetcp_result srt_start(lt_relay_end *end, livetcp_error *error)
{
    srt_end *s = (srt_end *)end;
    uint8_t seed[LT_RELAY_SEED];
    livetcp_result result = find_address(s, error);

    if (result != LIVETCP_OK)
        return result;
    if (uv_random(NULL, NULL, seed, sizeof seed, 0, NULL) != 0)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "the system has no random numbers");
    lt_relay_packer_init(&s->packer, end->location.encap, end->location.payload_type, seed);
    s->waiting = SRT_INVALID_SOCK;
    s->last = &s->first;
    srt_startup();
    srt_setloglevel(LOG_CRIT); /* the relay logs the important events itself */
    s->poll = srt_epoll_create();
    srt_epoll_set(s->poll, SRT_EPOLL_ENABLE_EMPTY); /* no socket between two calls */
    if (end->location.bound)
        result = listen_there(s, error);
    if (result == LIVETCP_OK &&
        (uv_mutex_init(&s->lock) != 0 || uv_async_init(end->world->loop, &s->async, on_async) != 0))
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    if (result == LIVETCP_OK) {
        s->has_async = true;
        s->async.data = s;
        s->threaded = uv_thread_create(&s->thread, run, s) == 0;
        if (!s->threaded)
            result = lt_fail(error, LIVETCP_ERR_SYSTEM, "%s: no thread", end->location.text);
    }
    if (result == LIVETCP_OK)
        return result;
    if (s->waiting != SRT_INVALID_SOCK)
        srt_close(s->waiting);
    srt_epoll_release(s->poll);
    srt_cleanup();
    return result;
}

static void srt_finish(lt_relay_end *end, livetcp_usec drain_us)
{
    srt_end *s = (srt_end *)end;

    (void)drain_us;
    if (s->finishing)
        return;
    s->finishing = true;
    lt_relay_lookup_leave(&s->lookup);
    if (!s->threaded && s->has_async) { /* it could not be started */
        uv_close((uv_handle_t *)&s->async, on_async_closed);
        return;
    }
    if (!s->threaded) {
        end->events->on_finished(end);
        free(s);
        return;
    }
    uv_mutex_lock(&s->lock);
    s->ending = true;
    uv_mutex_unlock(&s->lock);
}

static const lt_relay_end_kind srt_kind = {
    .start = srt_start, .deliver = srt_deliver, .finish = srt_finish};

lt_relay_end *lt_relay_srt_create(void)
{
    srt_end *s = calloc(1, sizeof *s);

    if (s)
        s->end.kind = &srt_kind;
    return s ? &s->end : NULL;
}
