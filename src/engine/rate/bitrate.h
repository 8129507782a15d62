/* SPDX-License-Identifier: MIT */
/*
 * The bit rate that an encoder should be set to: the path's rate for the session, less framing,
 * copies and control, and a little less, so that no queue grows. Follows the congestion control of
 * engine/rate/congestion.h.
 */
#ifndef LT_ENGINE_RATE_BITRATE_H
#define LT_ENGINE_RATE_BITRATE_H

#include "engine/rate/congestion.h"
#include "engine/rate/faster_path.h"
#include "engine/rate/overshoot.h"

#define LT_BITRATE_LOOKS 20

/* On longer round trips too much shows later, so that an estimate grows more slowly, in proportion.
 */
#define LT_LONG_TRIP_US 100000

/* A mean estimate, and then the media that the application sent, and that was written: bit/s. */
typedef struct lt_bitrate_answer {
    double told, offered, written;
} lt_bitrate_answer;

typedef struct lt_bitrate {
    double min, max;               /* bounds in bit/s; max = HUGE_VAL: none */
    double estimate;               /* bit/s of media that the path carries; 0 = not known yet */
    lt_overshoot overshoot;        /* of the source: it is told so much less */
    double moving;                 /* the estimate when the path last delivered something */
    double used;                   /* bit/s of media written recently; 0 = not known */
    bool follows;                  /* the source offered more soon after it was told more */
    bool adapts;                   /* it does, or has offered more when it was told more */
    lt_bitrate_answer least, most; /* of what was told so far */
    double same;                   /* bytes per second offered, about the same for a time, */
    double told_then;              /*   what was told when that began, */
    livetcp_usec ignored_us;       /*   and since when it is told otherwise; NEVER = it is not */
    double told;                   /* last value reported to the application */
    livetcp_usec told_us;
    livetcp_usec silent_until_us; /* not before, unless the estimate has been lowered */
    livetcp_usec key_us;          /* when a key frame was last written */

    struct {
        livetcp_usec at_us;
        uint64_t written; /* media, */
        uint64_t deltas;  /*   and without key frames, */
        uint64_t offered; /*   which may have waited */
        double estimate;
    } past[LT_BITRATE_LOOKS]; /* the last updates, a ring */
    unsigned looks;           /* number of updates */

    double ceiling;          /* bytes per second of all traffic when a queue last stood; 0 = none */
    lt_faster_path faster;   /* than that */
    bool by_windows;         /* it was caused by the connections' windows, kept small by losses */
    livetcp_usec updated_us; /* the last update */
    livetcp_usec lowered_us; /* when it was last lowered; INT64_MIN = never */
    livetcp_usec
        shown_us; /* when it last grew towards the packet trains' rate; INT64_MIN = never */
} lt_bitrate;

typedef struct lt_bitrate_sample {
    livetcp_usec now_us;
    double media_share;  /* bytes of media per byte written; 0 = not known */
    uint64_t media_rate; /* bytes per second that the application has recently sent */
    uint64_t media;      /* bytes of media written so far */
    uint64_t key_media;  /* of these in key frames */
    uint64_t offered;    /* bytes that the application has sent so far, without key frames */
    double probed;       /* lower bound from a probe, bytes per second; 0 = none */
    double admitted;     /* bytes per second that the windows admit; HUGE_VAL = not known */
} lt_bitrate_sample;

/* Bounds in bit/s, 0 = none. The estimate begins as `max`, or as unknown. */
void lt_bitrate_init(lt_bitrate *bitrate, uint32_t min, uint32_t max);

/* Changes the bounds; the estimate is clamped at once. Returns as lt_bitrate_update(). */
bool lt_bitrate_set_bounds(lt_bitrate *bitrate, uint32_t min, uint32_t max);

/* Updates the estimate. True if it has changed enough to tell the application. */
bool lt_bitrate_update(lt_bitrate *bitrate, const lt_congestion *congestion,
                       const lt_bitrate_sample *sample);

/* `rate`: lower bound of the path's rate from bursts, bytes per second. True if the path seems to
 * have become faster since a queue last stood; the rate of that time is then forgotten. */
bool lt_bitrate_on_burst_rate(lt_bitrate *bitrate, const lt_congestion *congestion, double rate,
                              livetcp_usec now);

/* True if the encoder gets through more than what a queue last stood at: it is not what the path
 * carries. */
bool lt_bitrate_exceeds_ceiling(const lt_bitrate *bitrate, const lt_congestion *congestion,
                                double media_share, livetcp_usec now);

/* Forgets the rate of the time when a queue last stood. */
void lt_bitrate_forget_ceiling(lt_bitrate *bitrate, livetcp_usec now);

/* True if the source follows the estimate and needs a larger one. */
bool lt_bitrate_is_used(const lt_bitrate *bitrate);

/* True if the source follows; or may, since it offers about the estimate at present, in bytes per
 * second. */
bool lt_bitrate_may_be_heeded(const lt_bitrate *bitrate, double offered);

/* True if the source, which offers this now, has offered the same while it was told otherwise. */
bool lt_bitrate_is_ignored(lt_bitrate *bitrate, double offered, livetcp_usec now);

/* True if the source, which offers this now, sends more than it was told lately. */
bool lt_bitrate_is_exceeded(const lt_bitrate *bitrate, double offered);

/* bit/s that the path carries; 0 = not known yet. */
double lt_bitrate_carried(const lt_bitrate *bitrate);

/* bit/s that the source is told; 0 = not known yet. */
uint32_t lt_bitrate_get(const lt_bitrate *bitrate);

#endif
