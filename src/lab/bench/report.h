/* SPDX-License-Identifier: MIT */
/* Outcomes as a table for people, and as CSV and JSON for programs. Lost packets count as
 * infinitely late: "never" in the table, "inf" in CSV, null in JSON. */
#ifndef LT_LAB_BENCH_REPORT_H
#define LT_LAB_BENCH_REPORT_H

#include "lab/bench/outcome.h"

#include <stdio.h>

void lt_report_table(const lt_outcomes *outcomes, FILE *out);

/* A header line, then one line per outcome; times in ms. */
void lt_report_csv(const lt_outcomes *outcomes, FILE *out);

/* A header line, then one line per packet, warm-up included; times in µs. */
void lt_report_raw(const lt_outcomes *outcomes, FILE *out);

livetcp_result lt_report_json(const lt_outcomes *outcomes, FILE *out, livetcp_error *error);

/* Opens `path` ("-" = standard output), calls one of these, and closes it. */
livetcp_result lt_report_write(const lt_outcomes *outcomes, const char *path,
                               livetcp_result (*write)(const lt_outcomes *outcomes, FILE *out,
                                                       livetcp_error *error),
                               livetcp_error *error);

/* The parts of a table and of a CSV file about playout delays; nothing unless they were asked for.
 */
void lt_report_playout(const lt_outcomes *outcomes, bool backward, int width, FILE *out);
void lt_report_playout_header(const lt_playout_list *list, FILE *out);
void lt_report_playout_fields(const lt_outcome *outcome, FILE *out);

/* Names for what schemes are made of. */
const char *lt_report_transport(const lt_scheme *scheme); /* "session", "plain" or "socket" */

#endif
