/* SPDX-License-Identifier: MIT */
/* One end of a running route: a program's socket, LiveTCP sessions, or standard input and output.
 * All on the relay's loop. */
#ifndef LT_RELAY_END_H
#define LT_RELAY_END_H

#include "relay/journal.h"
#include "relay/listeners.h"
#include "relay/plan/location.h"

#include <livetcp/session.h>

#include <uv.h>

/* Pause after which the first new occurrence of a known cause is logged again. */
#define LT_RELAY_REPEAT_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Shared by all ends of a relay. */
typedef struct lt_relay_world {
    uv_loop_t *loop;
    livetcp_context *context;
    lt_relay_journal *journal;
    lt_relay_listeners *listeners;
    char *buffer; /* LT_RELAY_BUFFER bytes, for input that is processed at once */
    uint8_t
        *packet_buffer; /* LT_RELAY_PACKET_MAX bytes, for packets that are built and sent at once */
} lt_relay_world;

/* Input buffer; libuv reads several datagrams at once, into 64 KiB each. */
#define LT_RELAY_BUFFER (16u << 16)

/* Causes for which packets are not relayed. Each is counted, and logged at most once a minute. */
typedef enum lt_relay_cause {
    LT_RELAY_INVALID,   /* not RTP, or not in the format that encap names */
    LT_RELAY_TOO_LARGE, /* above max-packet of a session, or the size limit of a datagram */
    LT_RELAY_UNWANTED,  /* payload type that this end does not take */
    LT_RELAY_NOWHERE,   /* no program or caller is known yet */
    LT_RELAY_BLOCKED,   /* socket or pipe full */
    LT_RELAY_STRANGER,  /* from a host other than the program's */
    LT_RELAY_FAILED,    /* refused by the system */
    LT_RELAY_CAUSES
} lt_relay_cause;

typedef struct lt_relay_counts {
    uint64_t packets_in, bytes_in; /* from this end into the route */
    uint64_t packets_out,
        bytes_out; /* from the route to this end; sessions: counted once for each */
    uint64_t lost[LT_RELAY_CAUSES];
    uint64_t sessions; /* sessions opened so far */
} lt_relay_counts;

typedef struct lt_relay_packet {
    const uint8_t *data;
    size_t size;
    bool rtcp;
    bool attached; /* attached playouts have received it from the session */
    livetcp_usec arrival_us;
} lt_relay_packet;

typedef struct lt_relay_end lt_relay_end;

/* Events that an end reports to its route. */
typedef struct lt_relay_end_events {
    void (*on_packet)(lt_relay_end *end, const lt_relay_packet *packet);
    /* A new session, before its first packet. */
    void (*on_session)(lt_relay_end *end, livetcp_session *session);
    void (*on_open)(lt_relay_end *end, const char *remote);
    void (*on_left)(lt_relay_end *end, const char *remote, const char *why);
    void (*on_input_ended)(lt_relay_end *end); /* end of standard input */
    bool (*is_full)(
        const lt_relay_end *end); /* true: a file must wait, since sessions are behind or missing */
    /* All handles are closed: the end is freed after this. */
    void (*on_finished)(lt_relay_end *end);
} lt_relay_end_events;

/* Called for each session of an end. */
typedef void lt_relay_session_fn(livetcp_session *session, const char *remote, void *user);

typedef struct lt_relay_end_kind {
    livetcp_result (*start)(lt_relay_end *end, livetcp_error *error);
    void (*deliver)(lt_relay_end *end, const lt_relay_packet *packet);
    /* A session of the opposite side, for playouts; NULL: not needed. */
    void (*attach)(lt_relay_end *end, livetcp_session *session);
    void (*detach)(lt_relay_end *end, livetcp_session *session);               /* before finish() */
    void (*sessions)(lt_relay_end *end, lt_relay_session_fn *use, void *user); /* NULL: none */
    /* Ends it; sessions send queued packets for up to `drain_us`. Calls on_finished() later, or
     * within this call. */
    void (*finish)(lt_relay_end *end, livetcp_usec drain_us);
} lt_relay_end_kind;

/* First member of every end. */
struct lt_relay_end {
    const lt_relay_end_kind *kind;
    const lt_relay_end_events *events;
    void *owner; /* the route */
    const lt_relay_world *world;
    const char *route; /* name of the route, for messages */
    unsigned index;    /* 0: IN */
    lt_relay_location location;
    lt_relay_counts counts;
    livetcp_usec logged_us[LT_RELAY_CAUSES]; /* time of the last log line by cause; 0: never */
    uint16_t port;                           /* the port that it listens on; 0: none */
};

/* Creates an end without starting it; NULL without memory. */
lt_relay_end *lt_relay_udp_create(void);
lt_relay_end *lt_relay_session_create(void);
lt_relay_end *lt_relay_console_create(void);
lt_relay_end *lt_relay_srt_create(void); /* with libsrt only */

static inline livetcp_usec lt_relay_now(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

/* Name of a cause in metrics: "too-large". */
const char *lt_relay_cause_name(lt_relay_cause cause);

/* Counts a packet that is not relayed. True if the cause should be logged now. */
bool lt_relay_lose(lt_relay_end *end, lt_relay_cause cause);

#endif
