/* SPDX-License-Identifier: MIT */
/* Fills in a livetcp_error. */
#ifndef LT_BASE_ERROR_H
#define LT_BASE_ERROR_H

#include <livetcp/base.h>

/* For a compiler targeting Windows, "printf" is Microsoft's format; our builds use the C library's.
 */
#ifdef __MINGW32__
#define LT_PRINTF gnu_printf
#else
#define LT_PRINTF printf
#endif

/* Fills in *error (may be NULL) and returns `code`, so that a failing function can end with `return
 * lt_fail(error, CODE, "...")`. A message that is too long is truncated. A copy is kept per thread
 * for lt_last_failure(). */
livetcp_result lt_fail(livetcp_error *error, livetcp_result code, const char *format, ...)
    __attribute__((format(LT_PRINTF, 3, 4)));

/* lt_fail() with the text of an errno appended after a colon. */
livetcp_result lt_fail_errno(livetcp_error *error, livetcp_result code, int system_errno,
                             const char *format, ...) __attribute__((format(LT_PRINTF, 4, 5)));

/* Reports a failure of another thread on behalf of the caller as the calling thread's own. */
livetcp_result lt_fail_again(livetcp_error *error, const livetcp_error *failure);

/* The last failure of this thread; its code is LIVETCP_OK if there was none. */
const livetcp_error *lt_last_failure(void);

#endif
