/* SPDX-License-Identifier: MIT */
/* Secrets as settings have them: the bytes themselves, "file:NAME" or "env:NAME". */
#ifndef LT_IO_SECRET_H
#define LT_IO_SECRET_H

#include <livetcp/base.h>

#include <stddef.h>

/* Writes the secret that `value` means to `secret`, NUL-terminated: of a file its first line. The
 * caller wipes it. Errors name `setting` and the place, never the secret:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_io_secret_read(const char *setting, const char *value, char *secret, size_t size,
                                 livetcp_error *error);

/* The same of all lines that are not empty, with '\n' between them. */
livetcp_result lt_io_secret_read_lines(const char *setting, const char *value, char *lines,
                                       size_t size, livetcp_error *error);

#endif
