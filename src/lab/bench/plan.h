/* SPDX-License-Identifier: MIT */
/* What is sent when: constant bit rate streams with random phases, maybe with silence between
 * talkspurts, the frames of an encoder, or as many packets as the transport takes. Both ends of a
 * run and the report work from the same plan. */
#ifndef LT_LAB_BENCH_PLAN_H
#define LT_LAB_BENCH_PLAN_H

#include "lab/bench/encoder.h"
#include "lab/bench/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which way media flows; near calls, far listens. Bits. */
typedef enum lt_media_direction {
    LT_MEDIA_FORWARD = 1, /* near to far */
    LT_MEDIA_BACKWARD = 2,
    LT_MEDIA_BOTH = 3, /* on the same sessions */
} lt_media_direction;

enum {
    LT_BENCH_MAX_FLOWS = 200,
    LT_BENCH_FRAMING = 2, /* RFC 4571 length field */
    LT_BENCH_RTP = 12,
    LT_BENCH_PROBE = 16, /* what the bench writes after the RTP header: see packet.h */
    LT_BENCH_MIN_SIZE = LT_BENCH_FRAMING + LT_BENCH_RTP + LT_BENCH_PROBE,
    LT_BENCH_MAX_SIZE = 65535 + LT_BENCH_FRAMING,
};

/* One stream is one direction of one flow: flow s % flows, forward streams first. */
typedef struct lt_plan {
    unsigned flows;
    lt_media_direction direction;
    size_t size;   /* bytes a packet takes in the byte stream: framing, RTP header and payload */
    bool greedy;   /* packets are sent as they are taken, and not before */
    bool adaptive; /* frames of `encoder`, each in as many packets of up to `size` as it takes */
    lt_encoder_config encoder;           /* if adaptive; its interval is the plan's */
    lt_window times[LT_BENCH_MAX_FLOWS]; /* adaptive: when each flow joins and leaves; it connects
                                            when it joins; all 0: it is there from start to end */
    livetcp_usec interval;  /* greedy: no more packets than one per interval find room in memory */
    livetcp_usec talkspurt; /* then silence, then the next, all streams together; 0 = no silence */
    livetcp_usec silence;
    uint32_t opening; /* packets at the start of each talkspurt that are reported by themselves */
    livetcp_usec warmup; /* sent, but not counted */
    livetcp_usec duration;

    unsigned streams;
    uint32_t packets;           /* of each stream, warm-up included; greedy, adaptive: at most */
    uint32_t rounds;            /* adaptive: frames of each stream; else its packets */
    uint32_t warmup_rounds;     /* of these; means nothing if greedy */
    uint32_t spurt_packets;     /* in a talkspurt; 0 = no silence */
    livetcp_usec measured_from; /* from the start of the run to its measured part */
    livetcp_usec length;        /* of the run */
    livetcp_usec phase[2 * LT_BENCH_MAX_FLOWS]; /* 0 to interval, of each stream */
    unsigned order[2 * LT_BENCH_MAX_FLOWS];     /* streams by phase: the order to send in */
} lt_plan;

/* Whether how many packets there are shows only when they are sent. */
bool lt_plan_open_ended(const lt_plan *plan);

/* Whether the packet counts; `sent` is from the start of the run. What was not sent was due all the
 * same, unless the plan is open-ended. */
bool lt_plan_measured(const lt_plan *plan, uint32_t index, livetcp_usec sent);

/* Whether the packet is one of the first of a talkspurt, with a silence before it. */
bool lt_plan_opens(const lt_plan *plan, uint32_t index);

/* Derives everything below `duration` from what is above it. Fails when the numbers are out of
 * range or make more packets than memory should hold. */
livetcp_result lt_plan_make(lt_plan *plan, uint64_t seed, livetcp_error *error);

lt_media_direction lt_plan_stream_direction(const lt_plan *plan, unsigned stream);

/* Whether the flow joins only after the start. */
bool lt_plan_joins_late(const lt_plan *plan, unsigned flow);

/* Whether the flow has joined by `at`, from the start of the run, and not left. */
bool lt_plan_takes_part(const lt_plan *plan, unsigned flow, livetcp_usec at);

/* When packet `index` of a stream, or frame `index` of an encoder, is to be sent, from the start of
 * the run. */
livetcp_usec lt_plan_due(const lt_plan *plan, unsigned stream, uint32_t index);

#endif
