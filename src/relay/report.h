/* SPDX-License-Identifier: MIT */
/* A relay's statistics: JSON for its lines and its summary. */
#ifndef LT_RELAY_REPORT_H
#define LT_RELAY_REPORT_H

#include "relay/route.h"

#include <jansson.h>

/* The routes as a document, schema livetcp/relay/1; *failed without memory. */
json_t *lt_relay_report_json(lt_relay_route *const *routes, unsigned count, livetcp_usec start,
                             bool *failed);

/* Writes one line per route. */
void lt_relay_report_summary(lt_relay_route *const *routes, unsigned count,
                             const lt_relay_journal *journal, livetcp_usec start);

#endif
