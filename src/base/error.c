/* SPDX-License-Identifier: MIT */
/* The one way to fill in a livetcp_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_message(livetcp_error *error, livetcp_result code, int system_errno,
                           const char *format, va_list args)
{
    int used = vsnprintf(error->message, sizeof error->message, format, args);
    error->code = code;
    error->system_errno = system_errno;
    if (system_errno && used >= 0 && (size_t)used < sizeof error->message)
        snprintf(error->message + used, sizeof error->message - (size_t)used, ": %s",
                 strerror(system_errno));
}

livetcp_result lt_fail(livetcp_error *error, livetcp_result code, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        format_message(error, code, 0, format, args);
        va_end(args);
    }
    return code;
}

livetcp_result lt_fail_errno(livetcp_error *error, livetcp_result code, int system_errno,
                             const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        format_message(error, code, system_errno, format, args);
        va_end(args);
    }
    return code;
}
