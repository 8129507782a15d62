/* SPDX-License-Identifier: MIT */
/* Clock rate of RTP timestamps. Static payload types define it (RFC 3551); otherwise it is
 * estimated from the stream, as the nearest rate in common use. */
#ifndef LT_RTP_RTCP_CLOCK_RATE_H
#define LT_RTP_RTCP_CLOCK_RATE_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_clock_rate {
    uint32_t rate; /* Hz; 0 = unknown */
    bool certain;  /* from the payload type or from sender reports: packets do not change it */
    bool set_by_application; /* set by the application: nothing else changes it */

    /* Current measurement. */
    bool started;
    uint32_t first_timestamp, last_timestamp; /* `last` is the furthest ahead */
    livetcp_usec first_us;
    uint32_t found;    /* rate found by the last span */
    unsigned agreeing; /* consecutive spans that found it */

    bool has_report;
    uint64_t report_ntp;
    uint32_t report_timestamp;
} lt_clock_rate;

/* Rate of a static payload type; 0 for all others. */
uint32_t lt_clock_rate_of_payload(uint8_t payload_type);

/* Sets the rate given by the application. */
void lt_clock_rate_set(lt_clock_rate *clock, uint32_t rate);

/* A packet with this timestamp was sent or received at `now`. Two consecutive spans of a second or
 * more must agree on a common rate, within 3 %. */
void lt_clock_rate_on_packet(lt_clock_rate *clock, uint8_t payload_type, uint32_t timestamp,
                             livetcp_usec now);

/* A sender report, which has both times of one moment. The second one, a second or more after the
 * first, determines the rate if it is a common one. */
void lt_clock_rate_on_report(lt_clock_rate *clock, uint64_t ntp, uint32_t timestamp);

/* Timestamp units in a duration; the rate must be known. */
static inline int64_t lt_clock_rate_units(const lt_clock_rate *clock, livetcp_usec us)
{
    return us / LIVETCP_USEC_SEC * clock->rate +
           us % LIVETCP_USEC_SEC * (int64_t)clock->rate / LIVETCP_USEC_SEC;
}

#endif
