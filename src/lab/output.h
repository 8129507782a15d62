/* SPDX-License-Identifier: MIT */
/* Output files of commands; "-" is standard output. */
#ifndef LT_LAB_OUTPUT_H
#define LT_LAB_OUTPUT_H

#include <livetcp/base.h>

#include <stdio.h>

/* NULL, with a message that names the file, if it cannot be opened. */
FILE *lt_output_open(const char *path, livetcp_error *error);

/* Closes `out`. Returns `result`, the result of writing, or an error that names the file if writing
 * or closing it failed. */
livetcp_result lt_output_close(FILE *out, const char *path, livetcp_result result,
                               livetcp_error *error);

#endif
