/* SPDX-License-Identifier: MIT */
/* Statistics of channels, viewers and their sessions in Prometheus' text format 0.0.4. */
#ifndef TV_METRICS_TEXT_H
#define TV_METRICS_TEXT_H

#include "viewer.h"

/* The caller frees the text, which has *size bytes. NULL without memory. */
char *metrics_text(const viewer_channels *channels, viewer *const *viewers, size_t count,
                   int64_t now_us, size_t *size);

#endif
