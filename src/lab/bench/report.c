/* SPDX-License-Identifier: MIT */
/* Report files: opening, closing, and the errors of both. */
#include "lab/bench/report.h"

#include "lab/output.h"

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
    FILE *out = lt_output_open(path, error);
    if (!out)
        return LIVETCP_ERR_SYSTEM;
    return lt_output_close(out, path, write(outcomes, out, error), error);
}
