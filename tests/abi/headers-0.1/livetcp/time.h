/* SPDX-License-Identifier: MIT */
#ifndef LIVETCP_TIME_H
#define LIVETCP_TIME_H

#include <stdint.h>

/* Microseconds, of a monotonic clock where it is a point in time. Which clock is the caller's
 * business: LiveTCP only ever compares and subtracts. */
typedef int64_t livetcp_usec;

#define LIVETCP_USEC_MSEC 1000
#define LIVETCP_USEC_SEC  1000000

/* "No deadline". */
#define LIVETCP_NEVER INT64_MAX

#endif
