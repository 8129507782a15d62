/* SPDX-License-Identifier: MIT */
/* Secrets in settings: the value itself, "file:NAME" or "env:NAME". */
#ifndef LT_IO_SECRET_H
#define LT_IO_SECRET_H

#include <livetcp/base.h>

#include <stddef.h>

/* Resolves `value` into `secret`, NUL-terminated; of a file the first line counts. The caller wipes
 * it. Errors name `setting` and the source, never the secret: LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_io_secret_read(const char *setting, const char *value, char *secret, size_t size,
                                 livetcp_error *error);

/* The same for all non-empty lines, separated by '\n'. */
livetcp_result lt_io_secret_read_lines(const char *setting, const char *value, char *lines,
                                       size_t size, livetcp_error *error);

#endif
