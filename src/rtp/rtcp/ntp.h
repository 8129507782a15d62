/* SPDX-License-Identifier: MIT */
/* NTP timestamps (RFC 3550, section 4): seconds since 1900 in 32.32 format, and their middle 32
 * bits, 16.16, which reports use. Wall-clock time is an argument, in microseconds since 1970. */
#ifndef LT_RTP_RTCP_NTP_H
#define LT_RTP_RTCP_NTP_H

#include <livetcp/base.h>

/* Seconds from 1900 to 1970. */
#define LT_NTP_UNIX_EPOCH 2208988800

/* Times before 1970 count as 1970. In February 2036 the seconds wrap, as NTP's do. */
static inline uint64_t lt_ntp_from_unix(livetcp_usec unix_us)
{
    uint64_t us = unix_us > 0 ? (uint64_t)unix_us : 0;
    uint64_t seconds = us / LIVETCP_USEC_SEC + LT_NTP_UNIX_EPOCH;

    return seconds << 32 | ((us % LIVETCP_USEC_SEC) << 32) / LIVETCP_USEC_SEC;
}

static inline uint32_t lt_ntp_middle(uint64_t ntp)
{
    return (uint32_t)(ntp >> 16);
}

/* A delay in units of 1/65536 s, as DLSR has it: clamped to 0..65535 s. */
static inline uint32_t lt_ntp_units(livetcp_usec delay_us)
{
    const livetcp_usec longest = INT64_C(65535) * LIVETCP_USEC_SEC;

    if (delay_us <= 0)
        return 0;
    return (uint32_t)((uint64_t)(delay_us < longest ? delay_us : longest) * 65536 /
                      LIVETCP_USEC_SEC);
}

static inline livetcp_usec lt_ntp_units_to_us(uint32_t units)
{
    return (livetcp_usec)((uint64_t)units * LIVETCP_USEC_SEC / 65536);
}

#endif
