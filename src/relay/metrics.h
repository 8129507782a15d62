/* SPDX-License-Identifier: MIT */
/* A relay's metrics for Prometheus, over HTTP. */
#ifndef LT_RELAY_METRICS_H
#define LT_RELAY_METRICS_H

#include "relay/route.h"

typedef struct lt_relay_metrics lt_relay_metrics;

/* Serves http://ADDRESS/metrics; `address` is HOST:PORT, numeric. The loop reads the routes through
 * both pointers. Errors: LIVETCP_ERR_NOT_SUPPORTED without libmicrohttpd,
 * LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_ADDRESS_IN_USE. */
livetcp_result lt_relay_metrics_create(uv_loop_t *loop, const char *address,
                                       lt_relay_route ***routes, const unsigned *count,
                                       const lt_relay_journal *journal, lt_relay_metrics **metrics,
                                       livetcp_error *error);

/* Clears *metrics, which may already be NULL; the loop must run until its handle is closed. */
void lt_relay_metrics_destroy(lt_relay_metrics **metrics);

#endif
