/* SPDX-License-Identifier: MIT */
/* Packets from `livetcp bench --raw`, one per line, reduced to distributions. */
#ifndef LT_LAB_REPORT_RAW_H
#define LT_LAB_REPORT_RAW_H

#include <livetcp/base.h>

#include <jansson.h>
#include <stdio.h>

/* Returns "livetcp/report-raw/1": {"schemes": [{"scheme", "direction", "sent", "lost",
 * "near_stall", "ccdf": [[ms, share of packets later than that], ...]}]}. Packets of the warm-up
 * are left out, those near a stall of the machine are counted separately. NULL on failure, with a
 * message that names file and line. */
json_t *lt_raw_read(FILE *in, const char *path, livetcp_error *error);

/* Reduces a distribution without a visible difference: `delays` is sorted, in us, `total` includes
 * lost packets. The last share is that of lost packets, or of one packet. */
json_t *lt_raw_ccdf(const double *delays, size_t count, size_t total);

#endif
