/* SPDX-License-Identifier: MIT */
/* The server's metrics for Prometheus, over HTTP; updated once a second. */
#ifndef TV_METRICS_H
#define TV_METRICS_H

#include "viewer.h"

typedef struct metrics metrics;

/* Serves http://ADDRESS/metrics; ADDRESS is HOST:PORT, numeric. NULL, with a message for the user.
 * *port is the actual port, also for port 0. */
metrics *metrics_open(const char *address, unsigned *port, char *message, size_t size);
void metrics_close(metrics **m);

void metrics_update(metrics *m, const viewer_channels *channels, viewer *const *viewers,
                    size_t count, int64_t now_us);

#endif
