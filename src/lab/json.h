/* SPDX-License-Identifier: MIT */
/* JSON documents by Jansson. An allocation failure is a NULL value, which every function here
 * accepts and notes in *failed; lt_json_write() checks it once at the end. */
#ifndef LT_LAB_JSON_H
#define LT_LAB_JSON_H

#include <livetcp/base.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Both take over `value`. */
void lt_json_put(json_t *object, const char *key, json_t *value, bool *failed);
void lt_json_append(json_t *array, json_t *value, bool *failed);

/* Numbers; infinite and unknown values become null. */
json_t *lt_json_number(double value);
json_t *lt_json_count(uint64_t value);
json_t *lt_json_ms(double us);           /* µs as milliseconds */
json_t *lt_json_usec(livetcp_usec time); /* the same of a time; LIVETCP_NEVER is null */

/* Text that may not be UTF-8, such as a kernel message: then it is replaced by a remark. */
json_t *lt_json_text(const char *text);

/* An object that begins with "schema" and the version of LiveTCP. */
json_t *lt_json_document(const char *schema, bool *failed);

/* Writes `root`, and releases it; fails if `failed` marks it as incomplete. */
livetcp_result lt_json_write(json_t *root, bool failed, FILE *out, livetcp_error *error);

/* The same to a file, "-" for standard output. */
livetcp_result lt_json_save(json_t *root, bool failed, const char *path, livetcp_error *error);

#endif
