/* SPDX-License-Identifier: MIT */
/* Makes the encoder of the LiveTCP leg follow livetcpsink's estimated bit rate. */
#ifndef DEMO_ADAPT_H
#define DEMO_ADAPT_H

#include <gst/gst.h>
#include <stdio.h>

typedef struct demo_adapt {
    GstElement *encoder, *sink;
    gulong handler;
    guint best; /* maximum of the video, kbit/s */
    gint now;   /* current value, atomic */
    FILE *file; /* encoder.csv: a line per change */
} demo_adapt;

/* Limits of the estimate, in bit/s, for video of up to `kbit` kbit/s with sound and headers. */
guint demo_adapt_max(guint kbit);
guint demo_adapt_min(guint kbit);

/* Makes `encoder`, an x264enc, follow `sink`, between a minimum rate and `best` kbit/s. Takes over
 * both references. Writes encoder.csv with lines time_us,kbit in `directory`. FALSE with *error on
 * failure. */
gboolean demo_adapt_start(demo_adapt *adapt, GstElement *encoder, GstElement *sink, guint best,
                          const char *directory, GError **error);

/* Call after the pipeline has stopped; allowed without start(). */
void demo_adapt_stop(demo_adapt *adapt);

#endif
