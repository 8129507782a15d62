/* SPDX-License-Identifier: MIT */
/* Feedback messages between the two ends of a session: when they are due, their contents, which of
 * the peer's are believed, and the newest of these. */
#ifndef LT_ENGINE_REPORTS_FEEDBACK_H
#define LT_ENGINE_REPORTS_FEEDBACK_H

#include "engine/reports/delays.h"
#include "engine/reports/protection.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/engine.h>

/* No duration here is longer. A message with a longer one is not believed. */
#define LT_FEEDBACK_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* So many of our last messages an answer may refer to. */
#define LT_FEEDBACK_SENT 16

/* The clock of one type of message: it is due at once when media flows again, and at intervals
 * while it does. */
typedef struct lt_feedback_clock {
    livetcp_usec due_us;  /* LIVETCP_NEVER = no media since the last one */
    livetcp_usec last_us; /* INT64_MIN = none yet */
    uint32_t number;      /* of the last one */
} lt_feedback_clock;

void lt_feedback_clock_start(lt_feedback_clock *clock);

/* Media was sent, or came. */
void lt_feedback_clock_media(lt_feedback_clock *clock, livetcp_usec interval_us, livetcp_usec now);

/* One is written now: its number. */
uint32_t lt_feedback_clock_write(lt_feedback_clock *clock, livetcp_usec now);

typedef struct lt_feedback {
    livetcp_usec interval_us; /* 0 = no feedback */
    livetcp_usec hedge_delay_us;
    unsigned parity_group;
    lt_feedback_clock reception_clock, transmission_clock;
    uint64_t sent, received, invalid;

    /* Of ours. */
    lt_min_protection protection;
    uint64_t delivered;   /* packets of the peer */
    uint32_t newest_ssrc; /* of these, the one that arrived last */
    uint16_t newest_sequence;
    livetcp_usec newest_us;
    bool playing; /* there is a playout report: */
    livetcp_playout_report playout;
    bool margin_sent; /* in a message, since that report */

    livetcp_usec written_us[LT_FEEDBACK_SENT]; /* of our last TRANSMISSIONs, by number */
    livetcp_usec rtt_us;                       /* -1 = not known */

    /* The peer's newest. */
    bool has_reception, has_transmission;
    lt_reception reception;
    lt_transmission transmission;
    livetcp_usec transmission_us; /* when it came */
} lt_feedback;

void lt_feedback_init(lt_feedback *feedback, const livetcp_config *config);

/* No messages of ours any more. */
void lt_feedback_stop(lt_feedback *feedback);

/* Another peer from here on, which numbers its messages anew. */
void lt_feedback_forget_peer(lt_feedback *feedback);

/* ---- messages of ours ---- */

/* A packet of the application's was placed; was written. */
void lt_feedback_on_placed(lt_feedback *feedback, lt_protection protection);
void lt_feedback_on_written(lt_feedback *feedback, livetcp_usec now);

/* A packet of the peer's that arrived at `arrival_us` is delivered. */
void lt_feedback_on_delivered(lt_feedback *feedback, const lt_rtp_header *header,
                              livetcp_usec arrival_us, livetcp_usec now);

/* Errors: LIVETCP_ERR_INVALID_ARGUMENT for values out of range. */
livetcp_result lt_feedback_on_playout(lt_feedback *feedback, const livetcp_playout_report *report);

/* When a message is due, if some connection takes it. */
static inline livetcp_usec lt_feedback_deadline(const lt_feedback *feedback)
{
    livetcp_usec reception_us = feedback->reception_clock.due_us;
    livetcp_usec transmission_us = feedback->transmission_clock.due_us;

    return reception_us < transmission_us ? reception_us : transmission_us;
}

/* Fields of a RECEPTION that others count. */
typedef struct lt_feedback_received {
    livetcp_usec hold_us; /* from arrival to delivery; -1 = not known */
    int64_t missing;
    uint64_t late_order;
} lt_feedback_received;

/* The message that is written now. */
void lt_feedback_make_reception(lt_feedback *feedback, const lt_feedback_received *received,
                                lt_reception *message, livetcp_usec now);
void lt_feedback_make_transmission(lt_feedback *feedback, const lt_round_trip *rtt,
                                   const livetcp_delays *delays, livetcp_usec copy_spacing_us,
                                   lt_transmission *message, livetcp_usec now);

/* The number of the TRANSMISSION that is written now. */
uint32_t lt_feedback_write_transmission(lt_feedback *feedback, livetcp_usec now);

/* ---- messages of the peer's ---- */

/* Takes over a message, unless it is older than one that came, or makes no sense, which is
 * counted. */
void lt_feedback_take_reception(lt_feedback *feedback, const lt_reception *message,
                                livetcp_usec now);
void lt_feedback_take_transmission(lt_feedback *feedback, const lt_transmission *message,
                                   livetcp_usec now);

/* Fills in the counters of messages and the contents of the peer's, delays excepted. */
void lt_feedback_gather(const lt_feedback *feedback, livetcp_session_stats *stats);

/* ---- durations ---- */

/* A duration as it is in a message: -1 is LT_UNKNOWN_US, and too long a duration is cut off. */
uint32_t lt_feedback_duration(livetcp_usec us);

/* And back. */
livetcp_usec lt_feedback_us(uint32_t duration);

#endif
