/* SPDX-License-Identifier: MIT */
/* A relay's messages on standard error, as text or as lines of JSON. */
#ifndef LT_RELAY_JOURNAL_H
#define LT_RELAY_JOURNAL_H

#include <livetcp/session.h>

typedef struct lt_relay_journal {
    livetcp_log_level level;
    bool json;
} lt_relay_journal;

/* Writes one line. `route` is "" for messages about the relay, or with a single route. */
void lt_relay_log(const lt_relay_journal *journal, livetcp_log_level level, const char *route,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A livetcp_log_fn; `user` is the journal. */
void lt_relay_on_log(livetcp_log_level level, const char *category, const char *text, void *user);

#endif
