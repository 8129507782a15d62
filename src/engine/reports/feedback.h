/* SPDX-License-Identifier: MIT */
/* Feedback messages between the two ends of a session: when they are due, their contents, the
 * plausibility of the peer's, and the newest of these. */
#ifndef LT_ENGINE_REPORTS_FEEDBACK_H
#define LT_ENGINE_REPORTS_FEEDBACK_H

#include "engine/arrival.h"
#include "engine/reports/delays.h"
#include "engine/reports/protection.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/engine.h>

/* Maximum duration in a message; one with a longer duration is rejected. */
#define LT_FEEDBACK_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Number of our last messages to which the peer's may refer. */
#define LT_FEEDBACK_SENT 16

/* Schedule of one message type: due at once when media starts after a pause, and at intervals while
 * it flows. */
typedef struct lt_feedback_clock {
    livetcp_usec due_us;  /* LIVETCP_NEVER = no media since the last message */
    livetcp_usec last_us; /* INT64_MIN = none yet */
    uint32_t number;      /* of the last message */
} lt_feedback_clock;

void lt_feedback_clock_start(lt_feedback_clock *clock);

/* Media was sent, or received. */
void lt_feedback_clock_media(lt_feedback_clock *clock, livetcp_usec interval_us, livetcp_usec now);

/* Returns the number of the message that is written now. */
uint32_t lt_feedback_clock_write(lt_feedback_clock *clock, livetcp_usec now);

typedef struct lt_feedback {
    livetcp_usec interval_us; /* 0 = no feedback */
    livetcp_usec hedge_delay_us;
    unsigned parity_group;
    lt_feedback_clock reception_clock, transmission_clock;
    uint64_t sent, received, invalid;

    /* Our own state. */
    lt_min_protection protection;
    uint64_t delivered;   /* packets received from the peer, */
    uint64_t unreported;  /*   and bytes since the last RECEPTION */
    uint32_t newest_ssrc; /* of the one that arrived last */
    uint16_t newest_sequence;
    livetcp_usec newest_us;
    bool playing; /* a playout report exists: */
    livetcp_playout_report playout;
    bool margin_sent; /* its margin was sent in a message */

    livetcp_usec written_us[LT_FEEDBACK_SENT]; /* of our last TRANSMISSION messages, by number */
    livetcp_usec rtt_us;                       /* -1 = unknown */

    /* The peer's newest messages. */
    bool has_reception, has_transmission;
    lt_reception reception;
    lt_transmission transmission;
    livetcp_usec transmission_us; /* time of arrival */
} lt_feedback;

void lt_feedback_init(lt_feedback *feedback, const livetcp_config *config);

/* Sends no messages any more. */
void lt_feedback_stop(lt_feedback *feedback);

/* The peer is another one, which restarts its numbers. */
void lt_feedback_forget_peer(lt_feedback *feedback);

/* ---- our messages ---- */

/* A packet of the application was placed; was written. */
void lt_feedback_on_placed(lt_feedback *feedback, lt_protection protection);
void lt_feedback_on_written(lt_feedback *feedback, livetcp_usec now);

/* A packet of the peer is delivered. */
void lt_feedback_on_delivered(lt_feedback *feedback, const lt_arrival *arrival, livetcp_usec now);

/* False without feedback, and when it has stopped. */
static inline bool lt_feedback_is_on(const lt_feedback *feedback)
{
    return feedback->interval_us > 0;
}

/* True if the peer has sent media lately. */
bool lt_feedback_is_answered(const lt_feedback *feedback, livetcp_usec now);

/* Errors: LIVETCP_ERR_INVALID_ARGUMENT for values out of range. */
livetcp_result lt_feedback_on_playout(lt_feedback *feedback, const livetcp_playout_report *report);

/* Time of the next message, if a connection takes it. */
static inline livetcp_usec lt_feedback_deadline(const lt_feedback *feedback)
{
    livetcp_usec reception_us = feedback->reception_clock.due_us;
    livetcp_usec transmission_us = feedback->transmission_clock.due_us;

    return reception_us < transmission_us ? reception_us : transmission_us;
}

/* Fields of RECEPTION that other components count. */
typedef struct lt_feedback_received {
    livetcp_usec hold_us; /* from arrival to delivery; -1 = unknown */
    int64_t missing;
    uint64_t late_order;
} lt_feedback_received;

/* Fills in the message that is written now. */
void lt_feedback_make_reception(lt_feedback *feedback, const lt_feedback_received *received,
                                lt_reception *message, livetcp_usec now);
void lt_feedback_make_transmission(lt_feedback *feedback, const lt_round_trip *rtt,
                                   const livetcp_delays *delays, livetcp_usec copy_spacing_us,
                                   lt_transmission *message, livetcp_usec now);

/* Returns the number of the TRANSMISSION that is written now. */
uint32_t lt_feedback_write_transmission(lt_feedback *feedback, livetcp_usec now);

/* ---- the peer's messages ---- */

/* Takes a message, unless it is older than the newest one, or implausible, which is counted. */
void lt_feedback_take_reception(lt_feedback *feedback, const lt_reception *message,
                                livetcp_usec now);
void lt_feedback_take_transmission(lt_feedback *feedback, const lt_transmission *message,
                                   livetcp_usec now);

/* Fills in the message counters and the contents of the peer's messages, without delays. */
void lt_feedback_gather(const lt_feedback *feedback, livetcp_session_stats *stats);

/* ---- durations ---- */

/* Duration as encoded in a message: -1 is LT_UNKNOWN_US, and longer ones are capped. */
uint32_t lt_feedback_duration(livetcp_usec us);

/* The reverse of lt_feedback_duration(). */
livetcp_usec lt_feedback_us(uint32_t duration);

#endif
