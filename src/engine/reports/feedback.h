/* SPDX-License-Identifier: MIT */
/* Feedback messages: when they are due, which ones are believed, and what they last said. */
#ifndef LT_ENGINE_REPORTS_FEEDBACK_H
#define LT_ENGINE_REPORTS_FEEDBACK_H

#include "wire/control.h"

/* Nothing here lasts longer. A peer that says so is not believed. */
#define LT_FEEDBACK_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Messages of ours that an answer may still refer to. */
#define LT_FEEDBACK_SENT 16

/* One kind of message, on its way out: due at once when media flows again, at intervals while it
 * does. */
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
    lt_feedback_clock reception_clock, transmission_clock;
    uint64_t sent, received, invalid;

    livetcp_usec written_us[LT_FEEDBACK_SENT]; /* of our last TRANSMISSIONs, by number */
    livetcp_usec rtt_us;                       /* -1 = not known */

    bool has_reception, has_transmission;
    lt_reception reception;       /* the peer's newest */
    lt_transmission transmission; /* the peer's newest, */
    livetcp_usec transmission_us; /*   and when it came */
} lt_feedback;

void lt_feedback_start(lt_feedback *feedback);

/* Another peer from here on, which numbers its messages anew. */
void lt_feedback_forget_peer(lt_feedback *feedback);

/* The number of the TRANSMISSION that is written now. */
uint32_t lt_feedback_write_transmission(lt_feedback *feedback, livetcp_usec now);

/* Takes a message of the peer's over, unless it is older than one that came, or says what cannot
 * be, which is counted. */
void lt_feedback_take_reception(lt_feedback *feedback, const lt_reception *message,
                                livetcp_usec now);
void lt_feedback_take_transmission(lt_feedback *feedback, const lt_transmission *message,
                                   livetcp_usec now);

/* A duration as a message has it: -1 is LT_UNKNOWN_US, and what is too long is cut off. */
uint32_t lt_feedback_duration(livetcp_usec us);

/* And back. */
livetcp_usec lt_feedback_us(uint32_t duration);

#endif
