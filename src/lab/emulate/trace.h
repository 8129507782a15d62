/* SPDX-License-Identifier: MIT */
/* The varying rate of a link, from a file in Mahimahi's format (Netravali et al., "Mahimahi:
 * Accurate Record-and-Replay for HTTP", 2015): a line per delivery opportunity with its time in
 * whole ms from the beginning. An opportunity carries LT_OPPORTUNITY_BYTES, of one or several
 * packets; an unused rest is lost. The last time is the length, after which the trace repeats.
 * Public traces of LTE and 5G links have this format. */
#ifndef LT_LAB_EMULATE_TRACE_H
#define LT_LAB_EMULATE_TRACE_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

enum { LT_OPPORTUNITY_BYTES = 1504 };

typedef struct lt_rate_trace lt_rate_trace;

/* `name` is for error messages, which have the line and the expected format. On success the caller
 * destroys *out. */
livetcp_result lt_rate_trace_parse(const char *text, size_t size, const char *name,
                                   lt_rate_trace **out, livetcp_error *error);
livetcp_result lt_rate_trace_load(const char *file, lt_rate_trace **out, livetcp_error *error);
void lt_rate_trace_destroy(lt_rate_trace **trace);

/* Time of opportunity `number`, counted from 0 through all repetitions, from the beginning. */
livetcp_usec lt_rate_trace_time(const lt_rate_trace *trace, uint64_t number);

/* Number of the first opportunity after `t`, which may be negative. */
uint64_t lt_rate_trace_after(const lt_rate_trace *trace, livetcp_usec t);

#endif
