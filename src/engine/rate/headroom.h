/* SPDX-License-Identifier: MIT */
/*
 * The redundancy that a link carries beside the media: measured, not assumed. Extra bytes (copies,
 * parity) begin with a tenth of the media's and grow while they are used and the media behind them
 * arrives as before. When it comes later, waits, or is lost more often, extra bytes pause for as
 * long as it takes to see whether that ends with them. If it does, the link is full: it gets less
 * from then on than it carried, and more is tried again after half a minute, and slowly; or as soon
 * as nothing waits, where it carried as much for long. If it does not, random loss or other traffic
 * was the reason, and they go on.
 */
#ifndef LT_ENGINE_RATE_HEADROOM_H
#define LT_ENGINE_RATE_HEADROOM_H

#include "engine/links/path_sample.h"
#include "engine/rate/proved_share.h"

#include <stdint.h>

#define LT_HEADROOM_TICKS 10

typedef enum lt_headroom_phase {
    LT_HEADROOM_BEGIN = 0, /* hardly any extra bytes yet */
    LT_HEADROOM_SPEND,     /* they are sent */
    LT_HEADROOM_SETTLE,    /* they pause; packets sent before are still under way, */
    LT_HEADROOM_TRIAL      /*   and now no more */
} lt_headroom_phase;

typedef struct lt_headroom {
    lt_headroom_phase phase;
    livetcp_usec since_us; /* the phase began */
    livetcp_usec begun_us; /* the first phase began */
    bool flowed;           /* media has been sent without a wait */
    bool spends;           /* extra bytes were sent in the last second */
    double share;          /* extra bytes for a byte of media, while they are sent */
    livetcp_usec grown_us; /* when it last grew */
    bool spares_probes;    /* it had room for tail probes when the link was last full */
    double max_share;      /* the share does not grow beyond; HUGE_VAL = not known yet */

    livetcp_usec normal_us, deviation_us; /* lateness of media without extra bytes: average */
    double normal_loss;                   /* loss without extra bytes, where it was measured */
    livetcp_usec lost_us;                 /* when a loss was last counted */

    /* Sums that only grow while media is later, or more is lost, than normal (CUSUM; Page, 1954).
     */
    double late, lost, away;
    double late_us;               /* lateness with extra bytes, average */
    double suspect_lost, suspect; /* segments since the sum of losses left zero */

    struct {
        bool late, lost;                /* its reasons: lateness of media, losses */
        bool drained;                   /* for so long that the link's rate showed */
        livetcp_usec late_us;           /* average before, */
        double loss, carried;           /* share of lost segments, delivered bytes per second */
        double share;                   /*   and the share then */
        double proved;                  /* the share that the link had carried; 0 = none */
        uint64_t delivered;             /* bytes so far, then, */
        double all_segments, all_lost;  /*   and these, a second before */
        double average_us;              /* lateness since */
        double lost_segments, segments; /* of the present part, */
        double loss_before;             /*   and the loss of the part before */
        unsigned samples;
    } trial;
    lt_proved_share proved;
    unsigned full, cleared;       /* successive trials that found the link full, or not */
    livetcp_usec exempt_until_us; /* no trial before this time */
    uint64_t padded;              /* bytes of probes, */
    livetcp_usec padded_us;       /*   and when they last grew */
    livetcp_usec retry_us;        /* when `max_share` grows again */

    double all_segments, all_lost; /* so far; a burst of losses counts once */
    double unlost_segments;        /* before the first loss */

    struct {
        uint64_t delivered, written, media;
        double segments, lost;
    } ticks[LT_HEADROOM_TICKS]; /* counters, a ring */
    unsigned tick;
    livetcp_usec tick_us;
} lt_headroom;

typedef struct lt_headroom_view {
    livetcp_usec now_us;
    uint64_t delivered, written, media; /* bytes on the link so far, */
    uint64_t padded;                    /*   and those of probes, which `written` lacks */
    double packet;                      /* bytes of a packet of media with headers, mean, */
    double link_rate;                   /*   and how much media the link carries, bytes per second,
                                             by the time of a packet; 0 = not known */
    uint64_t media_rate;                /* bytes per second of the link's media, */
    uint64_t session_rate;              /*   and of the session's */
    livetcp_usec wait_us;               /* age of the oldest packet in the send queue */
    livetcp_usec rtt_us;                /* of the link; 0 = not known */
    uint64_t undelivered;               /* bytes that the peer has not, */
    uint64_t frame;                     /*   and of the last frame, beyond its first packet */
} lt_headroom_view;

void lt_headroom_init(lt_headroom *headroom);

/* Path info of a connection has come. */
void lt_headroom_on_sample(lt_headroom *headroom, const lt_path_sample *sample, livetcp_usec now);

/* To be called every few milliseconds while media is sent. */
void lt_headroom_update(lt_headroom *headroom, const lt_headroom_view *view);

/* Extra bytes for a byte of the session's media that the link takes now. */
double lt_headroom_get(const lt_headroom *headroom);

/* True while it is tried whether extra bytes are why media is later, or lost. */
bool lt_headroom_tries(const lt_headroom *headroom);

/* True while it is tried whether the link loses what the session has sent beside its media. Until
 * TCP has delivered that, it loses segments without extra bytes, too. */
bool lt_headroom_tries_losses(const lt_headroom *headroom);

/* True if the link takes tail probes beside its media. */
bool lt_headroom_takes_probes(const lt_headroom *headroom);

#endif
