/* SPDX-License-Identifier: MIT */
/*
 * The bit rate that an encoder should be set to: the path's rate for the session, less framing,
 * copies and control, and a little less, so that no queue grows. Follows the congestion control of
 * engine/rate/congestion.h.
 */
#ifndef LT_ENGINE_RATE_BITRATE_H
#define LT_ENGINE_RATE_BITRATE_H

#include "engine/rate/congestion.h"

#define LT_BITRATE_LOOKS 20

typedef struct lt_bitrate {
    double min, max; /* bit/s; bounds, max = HUGE_VAL when there is none */
    double estimate; /* bit/s of media; 0 = not known yet */
    double moving;   /* when something came through last */
    double used;     /* bit/s of media written of late; 0 = not known */
    bool follows;    /* the source was seen to send more when it was told more */
    double told;     /* last value reported to the application */
    livetcp_usec told_us;

    struct {
        livetcp_usec at_us;
        uint64_t written; /* media */
        double estimate;
    } past[LT_BITRATE_LOOKS]; /* the last looks, a ring, */
    unsigned looks;           /*   ever */

    double ceiling;  /* bytes per second, all, carried when something last stood; 0 = none */
    bool by_windows; /*   that was the connections' windows, kept small by losses */
    livetcp_usec updated_us; /* when the estimate was last thought about */
    livetcp_usec lowered_us; /* when it was last lowered; INT64_MIN = never */
    livetcp_usec shown_us;   /* when it last followed what packet trains show; INT64_MIN = never */
} lt_bitrate;

typedef struct lt_bitrate_sample {
    livetcp_usec now_us;
    double media_share;  /* bytes of media per byte written; 0 = not known */
    uint64_t media_rate; /* bytes per second that the application has sent of late */
    uint64_t media;      /* bytes of media written, ever */
    double probed;       /* bytes per second that a probe has shown at least; 0 = none has */
    double admitted;     /* bytes per second that the connections' windows admit; HUGE_VAL = ? */
} lt_bitrate_sample;

/* Bounds in bit/s, 0 = none. The estimate begins as `max`, or as unknown. */
void lt_bitrate_init(lt_bitrate *bitrate, uint32_t min, uint32_t max);

/* Other bounds from now on, which the estimate keeps to at once. True as lt_bitrate_update(). */
bool lt_bitrate_set_bounds(lt_bitrate *bitrate, uint32_t min, uint32_t max);

/* Takes a look. True if the estimate has changed by so much that the application should know. */
bool lt_bitrate_update(lt_bitrate *bitrate, const lt_congestion *congestion,
                       const lt_bitrate_sample *sample);

/* The path has carried `rate` (bytes per second) at least, in bursts. True if that shows that it
 * has become faster since something last stood: the rate of that time is then no bound any more. */
bool lt_bitrate_on_burst_rate(lt_bitrate *bitrate, double rate);

/* True if the source sends about what it was told, and might send more if it was told more. */
bool lt_bitrate_is_used(const lt_bitrate *bitrate);

/* bit/s; 0 = not known yet. */
uint32_t lt_bitrate_get(const lt_bitrate *bitrate);

#endif
