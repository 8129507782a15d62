/* SPDX-License-Identifier: MIT */
/* Fills in a livetcp_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A failure is queried by the thread on which it happened, so no lock is needed. */
static _Thread_local livetcp_error last;

static void format_message(livetcp_error *error, livetcp_result code, int system_errno,
                           const char *format, va_list args)
{
    int used = vsnprintf(last.message, sizeof last.message, format, args);

    last.code = code;
    last.system_errno = system_errno;
    if (system_errno && used >= 0 && (size_t)used < sizeof last.message)
        snprintf(last.message + used, sizeof last.message - (size_t)used, ": %s",
                 strerror(system_errno));
    if (error)
        *error = last;
}

livetcp_result lt_fail(livetcp_error *error, livetcp_result code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_message(error, code, 0, format, args);
    va_end(args);
    return code;
}

livetcp_result lt_fail_errno(livetcp_error *error, livetcp_result code, int system_errno,
                             const char *format, ...)
{
    va_list args;

    va_start(args, format);
    format_message(error, code, system_errno, format, args);
    va_end(args);
    return code;
}

livetcp_result lt_fail_again(livetcp_error *error, const livetcp_error *failure)
{
    last = *failure;
    if (error)
        *error = last;
    return last.code;
}

const livetcp_error *lt_last_failure(void)
{
    return &last;
}
