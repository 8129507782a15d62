/* SPDX-License-Identifier: MIT */
/* Reads files and writes the page. */
#ifndef LT_LAB_REPORT_REPORT_H
#define LT_LAB_REPORT_REPORT_H

#include <livetcp/base.h>

typedef struct lt_report_options {
    const char *const *paths; /* input files, NULL-terminated */
    const char *output;       /* "-" is standard output */
    const char *title;        /* of the page, or NULL */
} lt_report_options;

/* Prints the name of the written file on standard output, unless the page is written there. */
livetcp_result lt_report_make(const lt_report_options *options, livetcp_error *error);

#endif
