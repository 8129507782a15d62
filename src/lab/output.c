/* SPDX-License-Identifier: MIT */
#include "lab/output.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

FILE *lt_output_open(const char *path, livetcp_error *error)
{
    FILE *out = strcmp(path, "-") != 0 ? fopen(path, "w") : stdout;
    if (!out)
        lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot write %.100s", path);
    return out;
}

livetcp_result lt_output_close(FILE *out, const char *path, livetcp_result result,
                               livetcp_error *error)
{
    int cause = ferror(out) ? errno : 0;
    if (fflush(out) != 0)
        cause = errno;
    if (out != stdout && fclose(out))
        cause = errno;
    if (cause)
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, cause, "cannot write %.100s", path);
    return result;
}
