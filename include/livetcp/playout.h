/* SPDX-License-Identifier: MIT */
/*
 * Playout: decides when each received RTP packet is played, and which missing ones are concealed.
 * For applications with their own audio clock or renderer. It has no clock: time is an argument,
 * and all times are on one clock of the caller.
 *
 *     livetcp_playout_config config;
 *     livetcp_playout_item item;
 *     livetcp_playout_config_init(&config);
 *     config.clock_rate = 48000;
 *     livetcp_playout_create(&config, &playout, NULL);
 *     ... for each packet received:    livetcp_playout_put(playout, &packet, NULL);
 *     ... when audio is needed:        livetcp_playout_pull(playout, now, &item);
 *
 * A playout serves one media stream. It is not thread-safe: the caller serializes the calls. A
 * session can feed it: livetcp_playout_attach() in livetcp/session.h. docs/guide/playout.md
 * explains the modes, samples/playout_pull.c is a complete program.
 */
#ifndef LIVETCP_PLAYOUT_H
#define LIVETCP_PLAYOUT_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The playout of one media stream. */
typedef struct livetcp_playout livetcp_playout;

/* ---- configuration ---- */

/* Source of the playout delay, which is counted from the arrival of a packet with the minimum
 * transit time. That includes the one-way delay L, so synchronized clocks are not needed. */
typedef enum livetcp_playout_mode {
    LIVETCP_PLAYOUT_NONE = 0,    /* on arrival */
    LIVETCP_PLAYOUT_FIXED,       /* latency_us */
    LIVETCP_PLAYOUT_STATIC,      /* RTT + 3/f: TCP's repair of one loss (Brosh et al., 6.6) */
    LIVETCP_PLAYOUT_ADAPTIVE,    /* u + beta*v of the measured delays (Ramjee, Moon; Zhang, 4.1) */
    LIVETCP_PLAYOUT_POLICY_AWARE /* leaves target_late of the packets late; see livetcp_playout_path
                                  */
} livetcp_playout_mode;

/* Kind of media, with different rules for late packets and changes of the delay. */
typedef enum livetcp_playout_media {
    /* the delay changes at the start of a talkspurt; late packets are lost */
    LIVETCP_PLAYOUT_AUDIO = 0,
    LIVETCP_PLAYOUT_VIDEO /* the delay changes at key frames, or slowly; late packets are played,
                             since later ones refer to them */
} livetcp_playout_media;

/* When livetcp_playout_pull() returns a packet that is in order. */
typedef enum livetcp_playout_release {
    LIVETCP_PLAYOUT_WHEN_DUE = 0, /* at its play_us */
    LIVETCP_PLAYOUT_IN_ORDER,  /* at once, with its play_us, for renderers that wait themselves; it
                                  waits only for gaps, until they are due, and with REDUNDANT audio
                                  for the primary */
    LIVETCP_PLAYOUT_TIMES_ONLY /* never: nothing is held, put() returns the time to play */
} livetcp_playout_release;

/* Set by livetcp_playout_config_init() to the values in parentheses. */
typedef struct livetcp_playout_config {
    size_t struct_size;
    livetcp_playout_mode mode;       /* (adaptive) */
    livetcp_playout_media media;     /* (audio) */
    livetcp_playout_release release; /* (when due) */
    uint32_t clock_rate; /* Hz of the RTP timestamps, 1000..1000000000 (0: must be set) */
    /* delay of mode fixed, and of other modes until they have a result (100 ms) */
    livetcp_usec latency_us;
    livetcp_usec min_latency_us; /* minimum delay (0), except with mode none */
    /* maximum delay, 1 ms..1 h (400 ms: the limit for conversations) */
    livetcp_usec max_latency_us;
    double alpha;                    /* adaptive: weight of the past, 0..1 exclusive (0.998002) */
    double beta;                     /* adaptive: safety margin in v, 0..100 (4) */
    livetcp_usec packet_duration_us; /* of an audio packet or a video frame; 0 = measured (0) */
    size_t capacity_packets; /* maximum held, 16..65536 (2048); beyond, the oldest are dropped */
    size_t capacity_bytes;   /* of copied packets, from 65535 (4 MiB) */
    void (*drop_token)(void *token, void *user); /* see livetcp_playout_packet.token (NULL) */
    void *user;
    double target_late; /* policy-aware: share of the packets that may be late, 0..0.5 (0.005) */
} livetcp_playout_config;

/* The macro passes the caller's size; the function of that name is for programs built with 0.1. */
LIVETCP_API void livetcp_playout_config_init(livetcp_playout_config *config);
LIVETCP_API void livetcp_playout_config_init_sized(livetcp_playout_config *config, size_t size);
#define livetcp_playout_config_init(config)                                                        \
    livetcp_playout_config_init_sized((config), sizeof *(config))

/* Copies the config. On success the caller owns *playout; on failure it is NULL. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT (*error names the field), LIVETCP_ERR_NO_MEMORY. */
LIVETCP_API livetcp_result livetcp_playout_create(const livetcp_playout_config *config,
                                                  livetcp_playout **playout, livetcp_error *error);

/* Frees the playout and everything it holds; clears *playout, which may be NULL. */
LIVETCP_API void livetcp_playout_destroy(livetcp_playout **playout);

/* ---- input ---- */

enum {
    LIVETCP_PLAYOUT_KEY_FRAME = 1 << 0, /* video: begins a picture that refers to no other */
    /* from a copy: parity, a duplicate, or RFC 2198. A packet without this flag replaces it if it
     * arrives before its play time */
    LIVETCP_PLAYOUT_REDUNDANT = 1 << 1,
    LIVETCP_PLAYOUT_DISCONT = 1 << 2 /* the stream restarts with this packet */
};

/* A received packet. */
typedef struct livetcp_playout_packet {
    size_t struct_size;      /* sizeof(livetcp_playout_packet) */
    const uint8_t *data;     /* an RTP packet; its payload may be encrypted */
    size_t size;             /* 12..65535 bytes */
    livetcp_usec arrival_us; /* time of arrival; must not decrease */
    unsigned flags;          /* LIVETCP_PLAYOUT_KEY_FRAME... */
    void *token; /* NULL: the bytes are copied. Otherwise they are not, and pull() returns the
                    token, for example a buffer of the caller's. Tokens of packets that will not be
                    played are passed to drop_token, which must be set */
} livetcp_playout_packet;

/* Decision about a packet. */
typedef enum livetcp_playout_result {
    LIVETCP_PLAYOUT_PLAY = 0,  /* will be played at play_us; held, except with TIMES_ONLY */
    LIVETCP_PLAYOUT_PLAY_LATE, /* video: play_us has passed; held, except with TIMES_ONLY */
    LIVETCP_PLAYOUT_LATE,      /* too late to be played; not held */
    LIVETCP_PLAYOUT_DUPLICATE, /* received before; not held */
    LIVETCP_PLAYOUT_PROBATION  /* of another SSRC, sequence or time: held until a second packet
                                  confirms that the stream continues there, otherwise dropped */
} livetcp_playout_result;

/* Events of the stream that a packet revealed. */
enum {
    LIVETCP_PLAYOUT_TALKSPURT = 1 << 0,     /* audio: begins a talkspurt */
    LIVETCP_PLAYOUT_DELAY_CHANGED = 1 << 1, /* the playout delay changes at this packet */
    /* another SSRC continues the stream: everything restarts */
    LIVETCP_PLAYOUT_SSRC_CHANGED = 1 << 2,
    LIVETCP_PLAYOUT_SEQUENCE_RESET = 1 << 3,  /* sequence numbers continue elsewhere */
    LIVETCP_PLAYOUT_TIMESTAMP_RESET = 1 << 4, /* timestamps continue elsewhere */
    /* a queue stood for 2 minutes, and counts as the path now */
    LIVETCP_PLAYOUT_BASE_MOVED = 1 << 5,
    LIVETCP_PLAYOUT_RESYNC = 1 << 6, /* play times jump, also those of held packets, since the path
                                        is shorter than assumed */
    LIVETCP_PLAYOUT_WRONG_CLOCK_RATE = 1 << 7, /* see livetcp_playout_stats.measured_clock_rate */
    LIVETCP_PLAYOUT_STANDING_QUEUE = 1 << 8,   /* a standing queue has begun */
    /* replaces a REDUNDANT packet, which is dropped; with TIMES_ONLY by the caller */
    LIVETCP_PLAYOUT_REPLACES = 1 << 9
};

/* The playout's decision about a packet. */
typedef struct livetcp_playout_slot {
    size_t struct_size; /* set it to sizeof(livetcp_playout_slot) before the call */
    livetcp_playout_result result;
    unsigned events;            /* LIVETCP_PLAYOUT_TALKSPURT... */
    uint64_t extended_sequence; /* increases from packet to packet, across wraps and restarts */
    livetcp_usec play_us;       /* time to play it */
    livetcp_usec delay_us;      /* its playout delay, beyond the minimum transit time */
    livetcp_usec queueing_us;   /* its queueing delay: transit time beyond the minimum */
    livetcp_usec duration_us;   /* of an audio packet or a video frame; 0 = unknown */
} livetcp_playout_slot;

/*
 * Takes a received packet and returns its playout time. The caller keeps the bytes. The playout
 * owns a token if the result is PLAY, PLAY_LATE or PROBATION and packets are held (release is not
 * TIMES_ONLY); otherwise the caller does, also on failure. `slot` may be NULL. Errors, with nothing
 * changed: LIVETCP_ERR_NOT_RTP, LIVETCP_ERR_INVALID_ARGUMENT (NULL, struct_size, token without
 * drop_token), LIVETCP_ERR_NO_MEMORY (the packet counts as lost).
 */
LIVETCP_API livetcp_result livetcp_playout_put(livetcp_playout *playout,
                                               const livetcp_playout_packet *packet,
                                               livetcp_playout_slot *slot);

/* ---- output ---- */

/* Kind of an item. */
typedef enum livetcp_playout_kind {
    LIVETCP_PLAYOUT_NOTHING = 0, /* nothing to play yet: silence, or the same picture */
    LIVETCP_PLAYOUT_PACKET,
    LIVETCP_PLAYOUT_CONCEAL /* a packet is due and missing */
} livetcp_playout_kind;

/* The next item to play. */
typedef struct livetcp_playout_item {
    size_t struct_size; /* set it to sizeof(livetcp_playout_item) before the call */
    livetcp_playout_kind kind;
    unsigned events;     /* PACKET: LIVETCP_PLAYOUT_TALKSPURT..., restarts included */
    const uint8_t *data; /* PACKET, if copied; valid until the next call with this playout */
    size_t size;
    void *token; /* PACKET with a token, which the caller owns again */
    uint32_t ssrc;
    uint32_t timestamp; /* CONCEAL: as far as it can be inferred */
    uint16_t sequence;  /* CONCEAL: of the first missing packet */
    unsigned missing;   /* CONCEAL: number of packets; above 1 only with video */
    bool late; /* PACKET: play_us has passed. CONCEAL: it arrived late, or the stream stopped,
                  possibly without a loss */
    bool discontinuity; /* PACKET: packets just before it are missing, or the stream restarted */
    livetcp_usec play_us;
    livetcp_usec duration_us; /* 0 = unknown */
} livetcp_playout_item;

/* Returns the packet or gap to play at `now`, in order, one per call: call it until it returns
 * NOTHING. Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_playout_pull(livetcp_playout *playout, livetcp_usec now,
                                                livetcp_playout_item *item);

/* Shows the next packet for pull(), whenever it is due, without removing it: PACKET with its
 * header's fields, play_us and late, or NOTHING if none is held. Packets may be missing before it:
 * compare its sequence. This allows forward error correction in the next packet (Opus) to fill a
 * gap:
 *
 *     pull() returned CONCEAL for item.sequence,
 *     and peek() a PACKET with (uint16_t)(item.sequence + 1)
 *
 * data is valid until the next call with this playout other than peek(); the playout keeps a token.
 * Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_playout_peek(const livetcp_playout *playout,
                                                livetcp_playout_item *item);

/* Latest time of the next pull(), when a packet or a gap is due; in the past if one is due already.
 * LIVETCP_NEVER until another packet arrives. */
LIVETCP_API livetcp_usec livetcp_playout_next_deadline(const livetcp_playout *playout);

/* Drops everything held and restarts with the next packet. Statistics and path are kept. */
LIVETCP_API void livetcp_playout_flush(livetcp_playout *playout);

/* ---- the path, as reported by the sender ---- */

/* Loss repair by the sender's policy, which determines the delay that a repair needs. */
typedef enum livetcp_playout_repair {
    LIVETCP_PLAYOUT_REPAIR_TCP = 0,   /* TCP itself: RTT + 3/f, as mode static */
    LIVETCP_PLAYOUT_REPAIR_HEDGE,     /* hedge: RTT + hedge_delay_us */
    LIVETCP_PLAYOUT_REPAIR_DUPLICATE, /* duplicate: 10 ms, while copies are 2 or more */
    LIVETCP_PLAYOUT_REPAIR_PARITY     /* parity: parity_group packets + 10 ms */
} livetcp_playout_repair;

/* Number of values of livetcp_playout_repair. */
#define LIVETCP_PLAYOUT_REPAIRS 4

/* The path as the sender knows it. Zero is unknown, and keeps the previous value. */
typedef struct livetcp_playout_path {
    size_t struct_size;  /* sizeof(livetcp_playout_path) */
    livetcp_usec rtt_us; /* EWMA over the sender's connections; 1 us..60 s */
    livetcp_playout_repair repair;
    livetcp_usec hedge_delay_us; /* 0..60 s */
    unsigned copies;
    unsigned parity_group;                  /* 2..1000 */
    double shares[LIVETCP_PLAYOUT_REPAIRS]; /* 0..1: share of recent packets, by
                                               livetcp_playout_repair; all zero = unknown, `repair`
                                               applies to all */
    livetcp_usec copy_spacing_us; /* between copies, or packets of a parity group; with `shares`,
                                     zero is a value */
} livetcp_playout_path;

/* Takes the sender's feedback. Impossible values (an RTT that is negative, or of hours) are ignored
 * and counted (path_ignored); the others are used. The delay follows where it may change. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT (NULL, struct_size). */
LIVETCP_API livetcp_result livetcp_playout_set_path(livetcp_playout *playout,
                                                    const livetcp_playout_path *path);

/* ---- latency and statistics ---- */

/* For latency queries. Delays are beyond the minimum transit time. */
typedef struct livetcp_playout_latency {
    size_t struct_size;     /* set it to sizeof(livetcp_playout_latency) before the call */
    livetcp_usec delay_us;  /* of the latest packet */
    livetcp_usec target_us; /* the delay after its next change */
    livetcp_usec min_us;    /* minimum and maximum delay: equal with mode fixed, 0 and */
    livetcp_usec max_us;    /* 0 with mode none, else min_latency_us and max_latency_us */
} livetcp_playout_latency;

/* Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_playout_get_latency(const livetcp_playout *playout,
                                                       livetcp_playout_latency *latency);

/* Totals since the playout's creation, across restarts. Ratios are relative to the packets that
 * were due, 0..1; 0 without any. */
typedef struct livetcp_playout_stats {
    size_t struct_size; /* set it to sizeof(livetcp_playout_stats) before the call */

    uint64_t received;         /* all packets, also duplicates and those not played */
    uint64_t played;           /* in time, primary and secondary */
    uint64_t played_secondary; /* of these, REDUNDANT ones */
    uint64_t played_late;      /* video: after their time */
    uint64_t late;             /* too late to be played; video: includes played_late */
    uint64_t lost;             /* never received */
    uint64_t overflowed;       /* dropped for lack of capacity or memory */
    uint64_t duplicates;
    uint64_t concealed; /* audio: concealed packets, including those at the end of a stream */

    double played_ratio;         /* played / due, where due = played + late + lost + overflowed */
    double played_primary_ratio; /* its two parts: Zhang et al., 4.1.3 */
    double played_secondary_ratio;
    double saved_ratio; /* played_secondary / (played_secondary + late + lost + overflowed) */
    double loss_ratio;  /* 1 - played_ratio: Ppl of the E-model */
    double burst_ratio; /* BurstR of G.107: mean length of loss bursts over the mean length with
                           random loss; 1 without loss */

    livetcp_usec delay_us;      /* current playout delay, beyond the minimum transit time */
    livetcp_usec mean_delay_us; /* mean and standard deviation over talkspurts (Zhang et al.);
                                   video: over seconds */
    livetcp_usec stddev_delay_us;
    uint64_t talkspurts;          /* video: seconds */
    livetcp_usec mouth_to_ear_us; /* mean_delay_us + RTT/2 + one packet; without RTT/2 if the RTT is
                                     unknown */

    uint64_t freezes; /* intervals without new media for more than max(3 d, d + 150 ms) although
                         media was due, d = frame or packet duration (as in W3C webrtc-stats) */
    livetcp_usec longest_freeze_us;
    livetcp_usec total_freeze_us;

    livetcp_usec queueing_us; /* of the latest packet: transit time beyond the minimum */
    livetcp_usec jitter_us;   /* RFC 3550, 6.4.1 */
    /* common queueing delay of all packets of the last half second */
    livetcp_usec standing_queue_us;
    livetcp_usec max_standing_queue_us;
    double skew_ppm;    /* the sender's media clock relative to ours: positive = slower */
    double packet_rate; /* f, packets per second of media; 0 = unknown */
    livetcp_usec packet_duration_us; /* of an audio packet or a video frame; 0 = unknown */
    uint32_t measured_clock_rate;    /* Hz, if timestamps do not run at clock_rate; otherwise 0 */

    uint64_t ssrc_changes;
    uint64_t foreign; /* packets of another SSRC that no second one confirmed */
    uint64_t sequence_resets;
    uint64_t timestamp_resets;
    uint64_t stray; /* packets of another sequence or time that no second one confirmed */
    uint64_t base_moves;
    uint64_t resyncs;
    uint64_t delay_changes; /* at talkspurts or key frames */
    uint64_t path_ignored;  /* impossible values in livetcp_playout_set_path() */
    size_t held_packets;    /* currently */
    size_t held_bytes;
    uint32_t ssrc; /* of the current stream; 0 before the first packet */
} livetcp_playout_stats;

/* Fills in the fields within `stats->struct_size`. Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_playout_get_stats(const livetcp_playout *playout,
                                                     livetcp_playout_stats *stats);

/*
 * ---- quality of a call ----
 *
 * Quality of a voice call by the E-model of ITU-T G.107 (06/2015), from the mouth-to-ear delay, the
 * packets that were not played, and the codec.
 *
 * The scale is that of narrowband telephony (300 to 3400 Hz): R from 0 to 93.2, the limit of the
 * telephone itself, and MOS from 1 to 4.41. The terminals' parameters have G.107's defaults. It is
 * a planning model: it compares settings, and does not predict the opinion of one listener.
 *
 * Pure functions; any thread.
 */

/* Parameters of a codec in the E-model. An application may use its own values. */
typedef struct livetcp_speech_codec {
    const char *name;  /* "g711-plc" */
    double impairment; /* Ie: impairment of R by the codec itself, 0..95 */
    double robustness; /* Bpl, packet-loss robustness factor, > 0: larger conceals better */
} livetcp_speech_codec;

/*
 * The codec with that name, or NULL:
 *
 * - "g711": G.711 without concealment, Ie 0, Bpl 4.3 (G.113, Appendix I)
 * - "g711-plc": G.711 with the concealment of its Appendix I, 0 and 25.1 (G.113, Appendix I)
 * - "g729a": G.729 Annex A with voice activity detection, 11 and 19.0 (G.113, Appendix I). These
 *   three are from the editions of Appendix I from 2001 to 2007, which all public implementations
 *   known to us use; the current G.113 has no Bpl.
 * - "opus": Opus in narrowband at 11 kbit/s, 2.03 and 15.95. G.113 has no value for Opus on this
 *   scale; these were derived by instrumental measurement with random loss (Alahmadi, Pocta and
 *   Melvin, ACM TOMM 17(4), 2021, article 133, in the table that its authors published). It is the
 *   best of their narrowband rates. At higher rates Opus uses more than 3400 Hz, and sounds better
 *   than this scale can express.
 */
LIVETCP_API const livetcp_speech_codec *livetcp_speech_codec_find(const char *name);

/* The known codecs in order; NULL past the last. */
LIVETCP_API const livetcp_speech_codec *livetcp_speech_codec_at(size_t position);

/* Parameters of a call for its listener. */
typedef struct livetcp_call {
    size_t struct_size;    /* set by livetcp_call_init() */
    double impairment;     /* Ie of the codec, 0..95 */
    double robustness;     /* Bpl of the codec, > 0 */
    livetcp_usec delay_us; /* one-way delay from mouth to ear, >= 0: coding, network and playout
                              buffer. Echo returns with the same delay: G.107's Ta = T = Tr / 2 */
    double loss;           /* share of packets not played, lost or late, 0..1; G.107 is
                              valid up to 0.2 */
    /* BurstR, > 0: see livetcp_burst_ratio(); below 1 counts as 1, random loss */
    double burst_ratio;
    double echo_loss_db; /* TELR, 0..200: attenuation of the talker's echo at the far end */
    double advantage;    /* A, 0..20: advantage factor, tolerance for mobile or remote access */
} livetcp_call;

/* Result of livetcp_call_rate(). */
typedef struct livetcp_quality {
    size_t struct_size;      /* set it to sizeof(livetcp_quality) before the call */
    double rating;           /* R; may be below 0 */
    double mos;              /* 1..4.5 */
    double delay_impairment; /* Id: impairment by delay and echo */
    double loss_impairment;  /* Ie,eff: impairment by codec and packets not played */
} livetcp_quality;

/* Initializes a call with this codec (NULL = "g711-plc"), without delay and loss, TELR 65 dB, A 0.
 * The macro passes the caller's size; the function of that name is for programs built with 0.1. */
LIVETCP_API void livetcp_call_init(livetcp_call *call, const livetcp_speech_codec *codec);
LIVETCP_API void livetcp_call_init_sized(livetcp_call *call, size_t size,
                                         const livetcp_speech_codec *codec);
#define livetcp_call_init(call, codec) livetcp_call_init_sized((call), sizeof *(call), (codec))

/* Rates the call. LIVETCP_ERR_INVALID_ARGUMENT, with a message that names the field, for values out
 * of range and NaN; *quality is unchanged then. */
LIVETCP_API livetcp_result livetcp_call_rate(const livetcp_call *call, livetcp_quality *quality,
                                             livetcp_error *error);

/* MOS of a rating (G.107, Annex B): 1 for R <= 0, 4.5 for R >= 100. Between 0 and 6.5, where the
 * formula is below 1, it is 1. NaN for NaN. */
LIVETCP_API double livetcp_mos(double rating);

/* BurstR (G.107, 7.5): mean length of `bursts` runs of `missing` packets out of `packets`, relative
 * to the mean length with random loss. 1 if no packet or every packet is missing, and for
 * contradictory counts. */
LIVETCP_API double livetcp_burst_ratio(uint64_t packets, uint64_t missing, uint64_t bursts);

#ifdef __cplusplus
}
#endif

#endif
