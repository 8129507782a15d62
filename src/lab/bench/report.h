/* SPDX-License-Identifier: MIT */
/* Outcomes as a table, CSV and JSON. Lost packets count as infinitely late: "never" in the table,
 * "inf" in CSV, null in JSON. */
#ifndef LT_LAB_BENCH_REPORT_H
#define LT_LAB_BENCH_REPORT_H

#include "lab/bench/outcome.h"

#include <stdio.h>

void lt_report_table(const lt_outcomes *outcomes, FILE *out);

/* A header line, then one line per outcome; times in ms. */
void lt_report_csv(const lt_outcomes *outcomes, FILE *out);

/* A header line, then a line per packet, warm-up included; times in us. For an adaptive source also
 * its frame, its bytes without framing and the rate of its encoder. */
void lt_report_raw(const lt_outcomes *outcomes, FILE *out);

livetcp_result lt_report_json(const lt_outcomes *outcomes, FILE *out, livetcp_error *error);

typedef livetcp_result lt_report_writer(const lt_outcomes *outcomes, FILE *out,
                                        livetcp_error *error);

/* Opens `path` ("-" = standard output), calls one of the functions above, and closes it. */
livetcp_result lt_report_write(const lt_outcomes *outcomes, const char *path,
                               lt_report_writer *write, livetcp_error *error);

/* The table, and the files that the options name. */
livetcp_result lt_report_all(const lt_bench_options *options, const lt_outcomes *outcomes,
                             livetcp_error *error);

#endif
