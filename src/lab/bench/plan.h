/* SPDX-License-Identifier: MIT */
/* The schedule of packets: constant bit rate streams with random phases, optionally with silence
 * between talkspurts; the frames of an encoder; or as many packets as the transport accepts. Both
 * ends of a run and the report use the same plan. */
#ifndef LT_LAB_BENCH_PLAN_H
#define LT_LAB_BENCH_PLAN_H

#include "lab/bench/encoder.h"
#include "lab/bench/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Direction of media; near connects, far listens. Bits. */
typedef enum lt_media_direction {
    LT_MEDIA_FORWARD = 1, /* near to far */
    LT_MEDIA_BACKWARD = 2,
    LT_MEDIA_BOTH = 3, /* on the same sessions */
} lt_media_direction;

enum {
    LT_BENCH_MAX_FLOWS = 200,
    LT_BENCH_FRAMING = 2, /* RFC 4571 length field */
    LT_BENCH_RTP = 12,
    LT_BENCH_PROBE = 16, /* size of the probe after the RTP header: see packet.h */
    LT_BENCH_MIN_SIZE = LT_BENCH_FRAMING + LT_BENCH_RTP + LT_BENCH_PROBE,
    LT_BENCH_MAX_SIZE = 65535 + LT_BENCH_FRAMING,
    LT_SPEECH_SIZE = 172, /* without framing: 20 ms of G.711 */
    LT_SPEECH_US = 20000, /* between packets of speech */
};

/* A stream is one direction of one flow: flow = s % flows, forward streams first. */
typedef struct lt_plan {
    unsigned flows;
    lt_media_direction direction;
    size_t size;   /* bytes of a packet in the byte stream: framing, RTP header and payload */
    bool greedy;   /* packets are sent as fast as the transport accepts them */
    bool adaptive; /* frames of `encoder`, each in packets of up to `size` */
    lt_encoder_config encoder;           /* if adaptive; its interval is the plan's */
    lt_window times[LT_BENCH_MAX_FLOWS]; /* adaptive: when each flow joins (connects) and leaves;
                                            all 0: from start to end */
    bool speech;                         /* beside each of these streams, in the same session */
    livetcp_usec interval;               /* greedy: bounds the number of packets */
    livetcp_usec talkspurt; /* length of a talkspurt, common to all streams; 0 = no silence */
    livetcp_usec silence;
    uint32_t opening;    /* packets at the start of each talkspurt that are reported separately */
    livetcp_usec warmup; /* sent, not counted */
    livetcp_usec duration;

    unsigned streams;
    unsigned all_streams;   /* the same and those of speech, in the same order */
    uint32_t packets;       /* of each stream, warm-up included; greedy, adaptive: the maximum */
    uint32_t rounds;        /* frames of each stream if adaptive, else packets */
    uint32_t warmup_rounds; /* of these, in the warm-up; unused if greedy */
    uint32_t spurt_packets; /* in a talkspurt; 0 = no silence */
    livetcp_usec measured_from;                 /* from the start of the run to its measured part */
    livetcp_usec length;                        /* of the run */
    livetcp_usec phase[2 * LT_BENCH_MAX_FLOWS]; /* 0 to interval, of each stream */
    unsigned order[2 * LT_BENCH_MAX_FLOWS];     /* streams by phase: the order to send in */
} lt_plan;

/* True if the number of packets is only known when they are sent. */
bool lt_plan_open_ended(const lt_plan *plan);

/* True if the packet counts; `sent` is from the start of the run. A packet that was not sent counts
 * unless the plan is open-ended. */
bool lt_plan_measured(const lt_plan *plan, uint32_t index, livetcp_usec sent);

/* True if the packet is one of the first of a talkspurt after a silence. */
bool lt_plan_opens(const lt_plan *plan, uint32_t index);

/* Computes everything below `duration` from the fields above. Fails if they are out of range or
 * need too much memory. */
livetcp_result lt_plan_make(lt_plan *plan, uint64_t seed, livetcp_error *error);

/* True if the stream, of all, is one of speech. */
bool lt_plan_is_speech(const lt_plan *plan, unsigned stream);

/* Scheduled time of packet `index` of speech, from the start of the run. */
livetcp_usec lt_plan_speech_due(const lt_plan *plan, unsigned stream, uint32_t index);

lt_media_direction lt_plan_stream_direction(const lt_plan *plan, unsigned stream);

/* True if the flow joins after the start. */
bool lt_plan_joins_late(const lt_plan *plan, unsigned flow);

/* True if the flow has joined by `at`, from the start of the run, and not left. */
bool lt_plan_takes_part(const lt_plan *plan, unsigned flow, livetcp_usec at);

/* Scheduled time of packet `index` of a stream, or frame `index` of an encoder, from the start of
 * the run. */
livetcp_usec lt_plan_due(const lt_plan *plan, unsigned stream, uint32_t index);

#endif
