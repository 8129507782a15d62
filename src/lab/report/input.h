/* SPDX-License-Identifier: MIT */
/* An input file of livetcp report: the output of a subcommand. */
#ifndef LT_LAB_REPORT_INPUT_H
#define LT_LAB_REPORT_INPUT_H

#include <livetcp/base.h>

#include <jansson.h>

/* Its document, which the caller releases: JSON with a "schema" that the page can display, or the
 * distributions (raw.h) of packets from `livetcp bench --raw`. NULL on failure, with a message that
 * names the file. */
json_t *lt_report_read(const char *path, livetcp_error *error);

#endif
