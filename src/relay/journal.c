/* SPDX-License-Identifier: MIT */
#include "relay/journal.h"

#include "lab/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* Unix time in seconds, with milliseconds. */
static double date(void)
{
    uv_timeval64_t now = {0};

    uv_gettimeofday(&now);
    return (double)now.tv_sec + (double)(now.tv_usec / 1000) / 1e3;
}

static void write_line(const lt_relay_journal *journal, livetcp_log_level level,
                       const char *category, const char *route, const char *text)
{
    bool failed = false;

    if (!journal->json) {
        fprintf(stderr, "livetcp relay: %s%s%s\n", route, *route ? ": " : "", text);
        return;
    }
    json_t *line = json_object();
    lt_json_put(line, "time", lt_json_number(date()), &failed);
    lt_json_put(line, "level", lt_json_text(livetcp_log_level_name(level)), &failed);
    lt_json_put(line, "category", lt_json_text(category), &failed);
    if (*route)
        lt_json_put(line, "route", lt_json_text(route), &failed);
    lt_json_put(line, "text", lt_json_text(text), &failed);
    char *dump = failed ? NULL : json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (dump)
        fprintf(stderr, "%s\n", dump);
    free(dump);
    json_decref(line);
}

void lt_relay_log(const lt_relay_journal *journal, livetcp_log_level level, const char *route,
                  const char *format, ...)
{
    char text[800];
    va_list arguments;

    if (level > journal->level)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(journal, level, "relay", route, text);
}

void lt_relay_on_log(livetcp_log_level level, const char *category, const char *text, void *user)
{
    const lt_relay_journal *journal = user;

    /* What ends a connection or a session, and where a listener is, the callbacks have told. */
    bool untold = !strcmp(category, "statistics") || !strcmp(category, "tls") ||
                  !strcmp(category, "fallback");

    if (level <= journal->level && (level >= LIVETCP_LOG_DEBUG || untold))
        write_line(journal, level, category, "", text);
}
