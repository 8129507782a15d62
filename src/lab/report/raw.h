/* SPDX-License-Identifier: MIT */
/* The packets of `livetcp bench --raw`, a line each, as distributions that a page can hold. */
#ifndef LT_LAB_REPORT_RAW_H
#define LT_LAB_REPORT_RAW_H

#include <livetcp/base.h>

#include <jansson.h>
#include <stdio.h>

/* "livetcp/report-raw/1": {"schemes": [{"scheme", "direction", "sent", "lost", "near_stall",
 * "ccdf": [[ms, share of packets later than that], ...]}]}. Packets of the warm-up do not count,
 * those near a stall of the machine are counted apart. NULL on failure, with a message that names
 * the file and the line. */
json_t *lt_raw_read(FILE *in, const char *path, livetcp_error *error);

/* As many points of a distribution as make no visible difference: `delays` is sorted, in µs,
 * `total` counts lost packets as well. The last share is that of lost packets, or of one packet.
 */
json_t *lt_raw_ccdf(const double *delays, size_t count, size_t total);

#endif
