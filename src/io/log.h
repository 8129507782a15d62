/* SPDX-License-Identifier: MIT */
/* The log of a context. Loop's thread only. */
#ifndef LT_IO_LOG_H
#define LT_IO_LOG_H

#include <livetcp/session.h>

typedef struct lt_io_log {
    livetcp_log_level level; /* LIVETCP_LOG_OFF = no log callback */
    livetcp_log_fn function;
    void *user;
} lt_io_log;

/* Writes one line, truncated where it is too long. Arguments are not evaluated below the log
 * level. */
#define LT_IO_LOG(log, at, ...)                                                                    \
    ((at) <= (log)->level ? lt_io_log_write((log), (at), __VA_ARGS__) : (void)0)

void lt_io_log_write(const lt_io_log *log, livetcp_log_level level, const char *category,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
