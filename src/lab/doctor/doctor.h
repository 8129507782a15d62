/* SPDX-License-Identifier: MIT */
/* Runs all of livetcp doctor: gathers host information, runs the checks and reports. */
#ifndef LT_LAB_DOCTOR_DOCTOR_H
#define LT_LAB_DOCTOR_DOCTOR_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_doctor_options {
    const char *host;      /* peer whose route is checked; NULL = the default route */
    const char *interface; /* NULL = the route's interface */
    const char
        *json; /* output file for JSON, "-" for standard output in place of the text; NULL = none */
} lt_doctor_options;

/* Reports on standard output. *costs: a check found something that costs delay. */
livetcp_result lt_doctor_run(const lt_doctor_options *options, bool *costs, livetcp_error *error);

#endif
