/* SPDX-License-Identifier: MIT */
/* Files that subcommands write; "-" is standard output. And JSON for them. */
#ifndef LT_LAB_OUTPUT_H
#define LT_LAB_OUTPUT_H

#include <livetcp/result.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* NULL, with a message that names the file, when it cannot be written. */
FILE *lt_output_open(const char *path, livetcp_error *error);

/* Closes `out`, at once after writing. Returns `result`, which is how writing went, or, when the
 * file is to blame, an error that names it. */
livetcp_result lt_output_close(FILE *out, const char *path, livetcp_result result,
                               livetcp_error *error);

/* Takes over `value`. Like all of Jansson this accepts NULL, the sign of memory that ran out, and
 * sets *failed then: one check at the end sees it. */
void lt_json_put(json_t *object, const char *key, json_t *value, bool *failed);

/* Writes `root`, and releases it; fails if `failed` says that it is not complete. */
livetcp_result lt_json_write(json_t *root, bool failed, FILE *out, livetcp_error *error);

#endif
