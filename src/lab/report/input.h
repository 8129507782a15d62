/* SPDX-License-Identifier: MIT */
/* A file given to livetcp report: the output of a subcommand. */
#ifndef LT_LAB_REPORT_INPUT_H
#define LT_LAB_REPORT_INPUT_H

#include <livetcp/base.h>

#include <jansson.h>

/* Its document, to be released by the caller: JSON whose "schema" is one that the page can show, or
 * for the packets of `livetcp bench --raw` their distributions (raw.h). NULL on failure, with a
 * message that names the file. */
json_t *lt_report_read(const char *path, livetcp_error *error);

#endif
