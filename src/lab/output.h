/* SPDX-License-Identifier: MIT */
/* Files that commands write; "-" is standard output. */
#ifndef LT_LAB_OUTPUT_H
#define LT_LAB_OUTPUT_H

#include <livetcp/base.h>

#include <stdio.h>

/* NULL, with a message that names the file, when it cannot be written. */
FILE *lt_output_open(const char *path, livetcp_error *error);

/* Closes `out`, at once after writing. Returns `result`, which is how writing went, or, when the
 * file is to blame, an error that names it. */
livetcp_result lt_output_close(FILE *out, const char *path, livetcp_result result,
                               livetcp_error *error);

#endif
