/* SPDX-License-Identifier: MIT */
/* Metrics of routes in Prometheus' text format 0.0.4: base units, counters end with _total. */
#ifndef LT_RELAY_METRICS_TEXT_H
#define LT_RELAY_METRICS_TEXT_H

#include "relay/route.h"

/* The caller frees the text; NULL without memory. */
char *lt_relay_metrics_text(lt_relay_route *const *routes, unsigned count, size_t *size);

#endif
