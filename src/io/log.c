/* SPDX-License-Identifier: MIT */
/* Composes the lines of the log. */
#include "io/log.h"

#include <stdarg.h>
#include <stdio.h>

void lt_io_log_write(const lt_io_log *log, livetcp_log_level level, const char *category,
                     const char *format, ...)
{
    char text[320];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log->function(level, category, text, log->user);
}

const char *livetcp_log_level_name(livetcp_log_level level)
{
    static const char *const names[] = {"off", "error", "warning", "info", "debug", "trace"};

    return (unsigned)level < sizeof names / sizeof *names ? names[level] : "unknown";
}
