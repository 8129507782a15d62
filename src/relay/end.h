/* SPDX-License-Identifier: MIT */
/* One end of a route while it runs: a program's socket, LiveTCP sessions, or standard input and
 * output. All on the relay's loop. */
#ifndef LT_RELAY_END_H
#define LT_RELAY_END_H

#include "relay/journal.h"
#include "relay/listeners.h"
#include "relay/plan/location.h"

#include <livetcp/session.h>

#include <uv.h>

/* An end without news for so long since the last line about a cause says it again. */
#define LT_RELAY_REPEAT_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* What all ends of a relay use. */
typedef struct lt_relay_world {
    uv_loop_t *loop;
    livetcp_context *context;
    lt_relay_journal *journal;
    lt_relay_listeners *listeners;
    char *buffer;  /* LT_RELAY_BUFFER bytes, for what is read and used at once */
    uint8_t *room; /* LT_RELAY_PACKET_MAX bytes, for packets that are made and used at once */
} lt_relay_world;

/* libuv reads several datagrams at once into 64 KiB each. */
#define LT_RELAY_BUFFER (16u << 16)

/* Causes of which packets are not relayed. Each is counted, and named once a minute at most. */
typedef enum lt_relay_cause {
    LT_RELAY_INVALID,   /* neither RTP, nor what encap says */
    LT_RELAY_TOO_LARGE, /* max-packet of a session, or a datagram's limit */
    LT_RELAY_UNWANTED,  /* not for this end: another payload type */
    LT_RELAY_NOWHERE,   /* no program has been heard yet, nobody has called */
    LT_RELAY_BLOCKED,   /* socket or pipe full */
    LT_RELAY_STRANGER,  /* from another host than the program's */
    LT_RELAY_FAILED,    /* the system refused it */
    LT_RELAY_CAUSES
} lt_relay_cause;

typedef struct lt_relay_counts {
    uint64_t packets_in, bytes_in;   /* from the end into the route */
    uint64_t packets_out, bytes_out; /* to the end; for sessions: to each that was there */
    uint64_t lost[LT_RELAY_CAUSES];
    uint64_t sessions; /* that were ever open */
} lt_relay_counts;

typedef struct lt_relay_packet {
    const uint8_t *data;
    size_t size;
    bool rtcp;
    bool attached; /* playouts that are attached to the session have it already */
    livetcp_usec arrival_us;
} lt_relay_packet;

typedef struct lt_relay_end lt_relay_end;

/* What an end tells its route. */
typedef struct lt_relay_end_events {
    void (*on_packet)(lt_relay_end *end, const lt_relay_packet *packet);
    /* A session that is new, before its first packet. */
    void (*on_session)(lt_relay_end *end, livetcp_session *session);
    void (*on_open)(lt_relay_end *end, const char *remote);
    void (*on_left)(lt_relay_end *end, const char *remote, const char *why);
    void (*on_input_ended)(lt_relay_end *end); /* standard input */
    bool (*is_full)(const lt_relay_end *end);  /* a file is to be read later: sessions are behind,
                                                  or not there yet */
    /* Everything is closed: the end is freed when this returns. */
    void (*on_finished)(lt_relay_end *end);
} lt_relay_end_events;

/* Called for every session of an end. */
typedef void lt_relay_session_fn(livetcp_session *session, const char *remote, void *user);

typedef struct lt_relay_end_kind {
    livetcp_result (*start)(lt_relay_end *end, livetcp_error *error);
    void (*deliver)(lt_relay_end *end, const lt_relay_packet *packet);
    /* A session on the other side, for playouts; NULL: not needed. */
    void (*attach)(lt_relay_end *end, livetcp_session *session);
    void (*detach)(lt_relay_end *end, livetcp_session *session);               /* before finish() */
    void (*sessions)(lt_relay_end *end, lt_relay_session_fn *use, void *user); /* NULL: none */
    /* Ends it; sessions send what is queued for up to `drain_us`. on_finished() follows, perhaps
     * from within. */
    void (*finish)(lt_relay_end *end, livetcp_usec drain_us);
} lt_relay_end_kind;

/* The first member of every end. */
struct lt_relay_end {
    const lt_relay_end_kind *kind;
    const lt_relay_end_events *events;
    void *owner; /* the route */
    const lt_relay_world *world;
    const char *route; /* its name, for messages */
    unsigned index;    /* 0: IN */
    lt_relay_location location;
    lt_relay_counts counts;
    livetcp_usec told[LT_RELAY_CAUSES]; /* 0: never */
    uint16_t port;                      /* where it waits; 0: it does not */
};

/* Each makes an end that is not started, or returns NULL without memory. */
lt_relay_end *lt_relay_udp_create(void);
lt_relay_end *lt_relay_session_create(void);
lt_relay_end *lt_relay_console_create(void);
lt_relay_end *lt_relay_srt_create(void); /* where there is libsrt */

static inline livetcp_usec lt_relay_now(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

/* "too-large", for counters. */
const char *lt_relay_cause_name(lt_relay_cause cause);

/* Counts, and returns true if the cause is to be named now. */
bool lt_relay_lose(lt_relay_end *end, lt_relay_cause cause);

#endif
