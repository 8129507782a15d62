/* SPDX-License-Identifier: MIT */
/*
 * Playout: when each received RTP packet is to be played, and what to do about those that did not
 * come. For applications with an audio clock or a renderer of their own; knows no clock itself:
 * time comes in as an argument, and everything is a point in time of the caller's one clock.
 *
 *     livetcp_playout_config config;
 *     livetcp_playout_item item;
 *     livetcp_playout_config_init(&config);
 *     config.clock_rate = 48000;
 *     livetcp_playout_create(&config, &playout, NULL);
 *     ... whenever a packet came:     livetcp_playout_put(playout, &packet, NULL);
 *     ... whenever sound is needed:   livetcp_playout_pull(playout, now, &item);
 *
 * A playout serves one media stream. It is not thread-safe: the caller serializes the calls.
 * A session can do the putting: livetcp_playout_attach() in livetcp/session.h.
 * docs/guide/playout.md explains the modes, samples/playout_pull.c is a whole program.
 */
#ifndef LIVETCP_PLAYOUT_H
#define LIVETCP_PLAYOUT_H

#include <livetcp/export.h>
#include <livetcp/result.h>
#include <livetcp/time.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct livetcp_playout livetcp_playout;

/* ---- configuration ---- */

/* What decides the playout delay, which is counted from the arrival that a packet would have had
 * over the least transit time seen. L, the one-way delay, is part of that and needs no clocks that
 * agree. */
typedef enum livetcp_playout_mode {
    LIVETCP_PLAYOUT_NONE = 0,    /* on arrival */
    LIVETCP_PLAYOUT_FIXED,       /* latency_us */
    LIVETCP_PLAYOUT_STATIC,      /* RTT + 3/f: TCP's repair of one loss (Brosh et al., 6.6) */
    LIVETCP_PLAYOUT_ADAPTIVE,    /* u + beta*v of the delays measured (Ramjee, Moon; Zhang, 4.1) */
    LIVETCP_PLAYOUT_POLICY_AWARE /* what the sender's policy needs; see livetcp_playout_path */
} livetcp_playout_mode;

typedef enum livetcp_playout_media {
    LIVETCP_PLAYOUT_AUDIO = 0, /* the delay changes where a talkspurt starts; late is lost */
    LIVETCP_PLAYOUT_VIDEO      /* at key frames, or slowly; late packets are played all the same,
                                  since later ones refer to them */
} livetcp_playout_media;

/* When livetcp_playout_pull() gives a packet that is in order. */
typedef enum livetcp_playout_release {
    LIVETCP_PLAYOUT_WHEN_DUE = 0, /* at its play_us */
    LIVETCP_PLAYOUT_IN_ORDER,     /* at once, with its play_us, for renderers that wait themselves;
                                     only a gap is waited for, until it is due, and audio that is
                                     REDUNDANT, since the primary may still come */
    LIVETCP_PLAYOUT_TIMES_ONLY    /* never: nothing is held, put() says when to play */
} livetcp_playout_release;

/* Set by livetcp_playout_config_init() to the values in parentheses. */
typedef struct livetcp_playout_config {
    size_t struct_size;
    livetcp_playout_mode mode;       /* (adaptive) */
    livetcp_playout_media media;     /* (audio) */
    livetcp_playout_release release; /* (when due) */
    uint32_t clock_rate;         /* Hz of the RTP timestamps, 1000..1000000000 (0: must be set) */
    livetcp_usec latency_us;     /* the delay with mode fixed, and of the other modes until they
                                    know better (100 ms) */
    livetcp_usec min_latency_us; /* the delay is never less (0), but with mode none */
    livetcp_usec max_latency_us; /* and never more, 1 ms..1 h (400 ms: what conversations bear) */
    double alpha;                /* adaptive: weight of the past, 0..1 exclusive (0.998002) */
    double beta;                 /* adaptive: safety margin in v, 0..100 (4) */
    livetcp_usec packet_duration_us; /* of an audio packet or a video frame; 0 = learnt (0) */
    size_t capacity_packets;         /* held at most, 16..65536 (2048); beyond, the oldest go */
    size_t capacity_bytes;           /* of copied packets, from 65535 (4 MiB) */
    void (*drop_token)(void *token, void *user); /* see livetcp_playout_packet.token (NULL) */
    void *user;
} livetcp_playout_config;

/* The macro passes the caller's size; the function of that name is for programs built with 0.1. */
LIVETCP_API void livetcp_playout_config_init(livetcp_playout_config *config);
LIVETCP_API void livetcp_playout_config_init_sized(livetcp_playout_config *config, size_t size);
#define livetcp_playout_config_init(config)                                                        \
    livetcp_playout_config_init_sized((config), sizeof *(config))

/* Copies the config. On success the caller owns *playout, on failure it is NULL. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT (*error names the field), LIVETCP_ERR_NO_MEMORY. */
LIVETCP_API livetcp_result livetcp_playout_create(const livetcp_playout_config *config,
                                                  livetcp_playout **playout, livetcp_error *error);

/* Frees it with all it holds; clears *playout, which may be NULL already. */
LIVETCP_API void livetcp_playout_destroy(livetcp_playout **playout);

/* ---- packets in ---- */

enum {
    LIVETCP_PLAYOUT_KEY_FRAME = 1 << 0, /* video: begins a picture that refers to no other */
    LIVETCP_PLAYOUT_REDUNDANT = 1 << 1, /* a copy brought it: parity, a duplicate, or RFC 2198. The
                                           packet without this flag is played instead if it comes
                                           before its time */
    LIVETCP_PLAYOUT_DISCONT = 1 << 2    /* the stream starts afresh with this packet */
};

typedef struct livetcp_playout_packet {
    size_t struct_size;      /* sizeof(livetcp_playout_packet) */
    const uint8_t *data;     /* one RTP packet; it may be encrypted behind its header */
    size_t size;             /* 12..65535 bytes */
    livetcp_usec arrival_us; /* when it came; must not go backwards */
    unsigned flags;          /* LIVETCP_PLAYOUT_KEY_FRAME... */
    void *token; /* NULL: the bytes are copied. Else they are not, and the token comes out
                    of pull() instead: something of the caller's, a buffer for example.
                    While the playout holds it, it goes to drop_token when the packet
                    will not be played; drop_token must be set. */
} livetcp_playout_packet;

typedef enum livetcp_playout_verdict {
    LIVETCP_PLAYOUT_PLAY = 0,  /* will be played at play_us; held, but with TIMES_ONLY */
    LIVETCP_PLAYOUT_PLAY_LATE, /* video: play_us has passed; held, but with TIMES_ONLY */
    LIVETCP_PLAYOUT_LATE,      /* too late to be played; not held */
    LIVETCP_PLAYOUT_DUPLICATE, /* came before; not held */
    LIVETCP_PLAYOUT_SUSPECT    /* from another SSRC, sequence or time: held until a second packet
                                  confirms that the stream goes on there, else dropped */
} livetcp_playout_verdict;

/* What the stream did, noticed with a packet. */
enum {
    LIVETCP_PLAYOUT_TALKSPURT = 1 << 0,       /* audio: begins a talkspurt */
    LIVETCP_PLAYOUT_DELAY_CHANGED = 1 << 1,   /* the playout delay is another from here on */
    LIVETCP_PLAYOUT_SSRC_CHANGED = 1 << 2,    /* another SSRC goes on: everything starts anew */
    LIVETCP_PLAYOUT_SEQUENCE_RESET = 1 << 3,  /* sequence numbers go on elsewhere */
    LIVETCP_PLAYOUT_TIMESTAMP_RESET = 1 << 4, /* timestamps go on elsewhere */
    LIVETCP_PLAYOUT_BASE_MOVED = 1 << 5,      /* a queue stood for 2 minutes: it is the path now */
    LIVETCP_PLAYOUT_RESYNC = 1 << 6, /* play times jump, also of packets that are held, since
                                        the path is shorter than was thought */
    LIVETCP_PLAYOUT_WRONG_CLOCK_RATE = 1 << 7, /* see livetcp_playout_stats.measured_clock_rate */
    LIVETCP_PLAYOUT_STANDING_QUEUE = 1 << 8,   /* a queue began to stand before the packets */
    LIVETCP_PLAYOUT_REPLACES = 1 << 9 /* takes the place of a REDUNDANT packet that came before and
                                         is dropped; with TIMES_ONLY, by the caller */
};

typedef struct livetcp_playout_slot {
    size_t struct_size; /* set it to sizeof(livetcp_playout_slot) before the call */
    livetcp_playout_verdict verdict;
    unsigned events;            /* LIVETCP_PLAYOUT_TALKSPURT... */
    uint64_t extended_sequence; /* counts up from packet to packet, through wraps and restarts */
    livetcp_usec play_us;       /* when to play it */
    livetcp_usec delay_us;      /* of this, over the least transit time */
    livetcp_usec queueing_us;   /* its own transit time over the least: what the network added */
    livetcp_usec duration_us;   /* of one packet (audio) or frame (video); 0 = not known yet */
} livetcp_playout_slot;

/*
 * Takes a packet that arrived and says when it is to be played. The bytes stay the caller's. A
 * token is the playout's when the verdict is PLAY, PLAY_LATE or SUSPECT and anything is held
 * (release is not TIMES_ONLY), and stays the caller's otherwise, also on failure. `slot` may be
 * NULL. Errors, with nothing changed: LIVETCP_ERR_NOT_RTP, LIVETCP_ERR_INVALID_ARGUMENT (NULL,
 * struct_size, token without drop_token), LIVETCP_ERR_NO_MEMORY (the packet counts as lost).
 */
LIVETCP_API livetcp_result livetcp_playout_put(livetcp_playout *playout,
                                               const livetcp_playout_packet *packet,
                                               livetcp_playout_slot *slot);

/* ---- packets out ---- */

typedef enum livetcp_playout_kind {
    LIVETCP_PLAYOUT_NOTHING = 0, /* nothing to play yet: silence, or what is shown stays */
    LIVETCP_PLAYOUT_PACKET,
    LIVETCP_PLAYOUT_CONCEAL /* a packet should be played now and is not here */
} livetcp_playout_kind;

typedef struct livetcp_playout_item {
    size_t struct_size; /* set it to sizeof(livetcp_playout_item) before the call */
    livetcp_playout_kind kind;
    unsigned events;     /* PACKET: LIVETCP_PLAYOUT_TALKSPURT...; restarts begin with it */
    const uint8_t *data; /* PACKET, copied; valid until the next call with this playout */
    size_t size;
    void *token; /* PACKET with a token, which is the caller's again */
    uint32_t ssrc;
    uint32_t timestamp; /* CONCEAL: as far as it can be inferred */
    uint16_t sequence;  /* of CONCEAL: the first that is missing */
    unsigned missing;   /* CONCEAL: packets; more than one only with video */
    bool late;          /* PACKET: play_us has passed. CONCEAL: it came, but late, or the stream
                           stopped and nothing tells whether anything is missing */
    bool discontinuity; /* PACKET: packets right before it are missing, or the stream restarted */
    livetcp_usec play_us;
    livetcp_usec duration_us; /* 0 = not known yet */
} livetcp_playout_item;

/* What is to be played at `now`, in order, one packet or gap a call: call it until it says NOTHING.
 * Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_playout_pull(livetcp_playout *playout, livetcp_usec now,
                                                livetcp_playout_item *item);

/* When to call pull() next: then, if not later, something is to be played or concealed. In the past
 * if that is now; LIVETCP_NEVER while it depends on what arrives. */
LIVETCP_API livetcp_usec livetcp_playout_next_deadline(const livetcp_playout *playout);

/* Drops everything held and starts anew with the next packet. Statistics and path stay. */
LIVETCP_API void livetcp_playout_flush(livetcp_playout *playout);

/* ---- what the sender knows ---- */

/* How the sender's policy repairs losses, which says how much delay the repair needs. */
typedef enum livetcp_playout_repair {
    LIVETCP_PLAYOUT_REPAIR_TCP = 0,   /* TCP itself: RTT + 3/f, as with mode static */
    LIVETCP_PLAYOUT_REPAIR_HEDGE,     /* hedge: RTT + hedge_delay_us */
    LIVETCP_PLAYOUT_REPAIR_DUPLICATE, /* duplicate: 10 ms, while copies are 2 or more */
    LIVETCP_PLAYOUT_REPAIR_PARITY     /* parity: parity_group packets + 10 ms */
} livetcp_playout_repair;

/* Zero is "not known", which leaves what was known before. */
typedef struct livetcp_playout_path {
    size_t struct_size;  /* sizeof(livetcp_playout_path) */
    livetcp_usec rtt_us; /* smoothed, of the sender's connections; 1 us..60 s */
    livetcp_playout_repair repair;
    livetcp_usec hedge_delay_us; /* 0..60 s */
    unsigned copies;
    unsigned parity_group; /* 2..1000 */
} livetcp_playout_path;

/* Feedback from the sender. What makes no sense (an RTT that is negative or of hours) is left out
 * and counted (path_ignored); the rest is taken. The delay follows where it may change. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT (NULL, struct_size). */
LIVETCP_API livetcp_result livetcp_playout_set_path(livetcp_playout *playout,
                                                    const livetcp_playout_path *path);

/* ---- what came of it ---- */

/* For latency queries. Delays over the least transit time. */
typedef struct livetcp_playout_latency {
    size_t struct_size;     /* set it to sizeof(livetcp_playout_latency) before the call */
    livetcp_usec delay_us;  /* of the latest packet */
    livetcp_usec target_us; /* where it goes when it may change */
    livetcp_usec min_us; /* what it can be at least and at most: the same with mode fixed, 0 and */
    livetcp_usec max_us; /* 0 with mode none, else min_latency_us and max_latency_us */
} livetcp_playout_latency;

LIVETCP_API livetcp_result livetcp_playout_get_latency(const livetcp_playout *playout,
                                                       livetcp_playout_latency *latency);

/* Totals since the playout exists, over all restarts. Ratios are of the packets that were due,
 * 0..1; 0 while there were none. */
typedef struct livetcp_playout_stats {
    size_t struct_size; /* set it to sizeof(livetcp_playout_stats) before the call */

    uint64_t received;         /* packets put in, duplicates and others not played included */
    uint64_t played;           /* in time, primary and secondary */
    uint64_t played_secondary; /* of these, REDUNDANT ones */
    uint64_t played_late;      /* video: given out after their time */
    uint64_t late;             /* came too late to be played; video: played_late too */
    uint64_t lost;             /* never came */
    uint64_t overflowed;       /* dropped for lack of capacity or memory */
    uint64_t duplicates;
    uint64_t concealed; /* audio: packets concealed, guesses at the end of a stream included */

    double played_ratio;         /* played / due, where due = played + late + lost + overflowed */
    double played_primary_ratio; /* the parts of it: Zhang et al., 4.1.3 */
    double played_secondary_ratio;
    double saved_ratio; /* played_secondary / (played_secondary + late + lost + overflowed) */
    double loss_ratio;  /* 1 - played_ratio: Ppl of the E-model */
    double burst_ratio; /* BurstR of G.107: mean length of the bursts of losses over what it would
                           be with random loss; 1 while there was none */

    livetcp_usec delay_us;      /* present playout delay over the least transit time */
    livetcp_usec mean_delay_us; /* mean and standard deviation over talkspurts (Zhang et al.);
                                   video: over seconds */
    livetcp_usec stddev_delay_us;
    uint64_t talkspurts; /* video: seconds */
    livetcp_usec
        mouth_to_ear_us; /* mean_delay_us + RTT/2 + one packet; without an RTT, less that */

    uint64_t freezes; /* nothing new for more than max(3 d, d + 150 ms) though it should have been,
                         d = frame or packet duration (as W3C webrtc-stats counts them) */
    livetcp_usec longest_freeze_us;
    livetcp_usec total_freeze_us;

    livetcp_usec queueing_us;       /* of the latest packet: transit time over the least */
    livetcp_usec jitter_us;         /* RFC 3550, 6.4.1 */
    livetcp_usec standing_queue_us; /* what every packet of the last half second waited for */
    livetcp_usec max_standing_queue_us;
    double skew_ppm;    /* the sender's media clock against ours: positive = it runs slower */
    double packet_rate; /* f, packets per second of media; 0 = not known yet */
    livetcp_usec packet_duration_us; /* of an audio packet or a video frame; 0 = not known yet */
    uint32_t measured_clock_rate;    /* Hz, when timestamps do not run at clock_rate; 0 = they do */

    uint64_t ssrc_changes;
    uint64_t foreign; /* packets of another SSRC that no second one confirmed */
    uint64_t sequence_resets;
    uint64_t timestamp_resets;
    uint64_t stray; /* packets from another sequence or time that nothing confirmed */
    uint64_t base_moves;
    uint64_t resyncs;
    uint64_t delay_changes; /* at talkspurts or key frames */
    uint64_t path_ignored;  /* facts of livetcp_playout_set_path() that made no sense */
    size_t held_packets;    /* now */
    size_t held_bytes;
    uint32_t ssrc; /* the present one; 0 before the first packet */
} livetcp_playout_stats;

LIVETCP_API livetcp_result livetcp_playout_get_stats(const livetcp_playout *playout,
                                                     livetcp_playout_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
