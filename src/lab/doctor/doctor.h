/* SPDX-License-Identifier: MIT */
/* A whole examination: asks the host, runs the checks and reports. */
#ifndef LT_LAB_DOCTOR_DOCTOR_H
#define LT_LAB_DOCTOR_DOCTOR_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_doctor_options {
    const char *host;      /* the peer whose route is looked at; NULL = the default route */
    const char *interface; /* NULL = the one that the route leads to */
    const char *json;      /* file to write, "-" for standard output instead of text, or NULL */
} lt_doctor_options;

/* Reports on standard output. *costs is true when a check found something that costs delay. */
livetcp_result lt_doctor_run(const lt_doctor_options *options, bool *costs, livetcp_error *error);

#endif
