/* SPDX-License-Identifier: MIT */
/* Clock rate of an RTP timestamp. Static payload types define it (RFC 3551); otherwise it is
 * estimated from the stream, as the common rate that fits. */
#ifndef LT_RTP_RTCP_CLOCK_RATE_H
#define LT_RTP_RTCP_CLOCK_RATE_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_clock_rate {
    uint32_t rate; /* Hz; 0 = not known */
    bool certain;  /* from the payload type or sender reports: packets do not change it */
    bool told;     /* set by the application: nothing else changes it */

    /* The span that is being measured. */
    bool started;
    uint32_t first_timestamp, last_timestamp; /* the last: the furthest ahead */
    livetcp_usec first_us;
    uint32_t found;    /* by the last span */
    unsigned agreeing; /* spans in a row that found it */

    bool has_report;
    uint64_t report_ntp;
    uint32_t report_timestamp;
} lt_clock_rate;

/* Of a static payload type; 0 for all others. */
uint32_t lt_clock_rate_of_payload(uint8_t payload_type);

/* Sets the rate on behalf of the application. */
void lt_clock_rate_tell(lt_clock_rate *clock, uint32_t rate);

/* A packet with this timestamp was sent, or came, at `now`. Two spans of a second or more must
 * agree, within 3 %, on a rate in use before it counts. */
void lt_clock_rate_see(lt_clock_rate *clock, uint8_t payload_type, uint32_t timestamp,
                       livetcp_usec now);

/* A sender report: both times of one moment. The second one, a second or more after the first,
 * determines the rate if it is a common one. */
void lt_clock_rate_see_report(lt_clock_rate *clock, uint64_t ntp, uint32_t timestamp);

/* Timestamp units that pass in a time; with a rate only. */
static inline int64_t lt_clock_rate_units(const lt_clock_rate *clock, livetcp_usec us)
{
    return us / LIVETCP_USEC_SEC * clock->rate +
           us % LIVETCP_USEC_SEC * (int64_t)clock->rate / LIVETCP_USEC_SEC;
}

#endif
