/* SPDX-License-Identifier: MIT */
/* Report files: opening, closing, and the errors of both. */
#include "tool/bench/report.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

const char *lt_report_transport(const lt_scheme *scheme)
{
    if (scheme->kind == LT_TRANSPORT_SOCKET)
        return "socket";
    return scheme->config.wire == LIVETCP_WIRE_PLAIN ? "plain" : "session";
}

livetcp_result lt_report_write(const lt_outcomes *outcomes, const char *path,
                               livetcp_result (*write)(const lt_outcomes *outcomes, FILE *out,
                                                       livetcp_error *error),
                               livetcp_error *error)
{
    bool standard = !strcmp(path, "-");
    FILE *out = standard ? stdout : fopen(path, "w");
    if (!out)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot write %.100s", path);
    livetcp_result result = write(outcomes, out, error);
    bool bad = fflush(out) != 0 || ferror(out);
    if (!standard && fclose(out))
        bad = true;
    if (bad && result == LIVETCP_OK)
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot write %.100s", path);
    return result;
}
