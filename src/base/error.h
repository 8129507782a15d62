/* SPDX-License-Identifier: MIT */
/* Filling in a livetcp_error. */
#ifndef LT_BASE_ERROR_H
#define LT_BASE_ERROR_H

#include <livetcp/base.h>

/* "printf" means Microsoft's to a compiler for Windows, where the C library's own is asked for. */
#ifdef __MINGW32__
#define LT_PRINTF gnu_printf
#else
#define LT_PRINTF printf
#endif

/* Fills *error, which may be NULL, and returns `code`, so that a failing function can end with
 * `return lt_fail(error, CODE, "...")`. A message that does not fit is cut at the end. The calling
 * thread's copy is kept for lt_last_failure(). */
livetcp_result lt_fail(livetcp_error *error, livetcp_result code, const char *format, ...)
    __attribute__((format(LT_PRINTF, 3, 4)));

/* The same with an errno, whose text is appended after a colon. */
livetcp_result lt_fail_errno(livetcp_error *error, livetcp_result code, int system_errno,
                             const char *format, ...) __attribute__((format(LT_PRINTF, 4, 5)));

/* Fails as another thread did on behalf of this one. */
livetcp_result lt_fail_again(livetcp_error *error, const livetcp_error *failure);

/* The latest failure of this thread; its code is LIVETCP_OK if there was none. */
const livetcp_error *lt_last_failure(void);

#endif
