/* SPDX-License-Identifier: MIT */
/* Lets the encoder of the LiveTCP leg follow the bit rate that livetcpsink estimates. */
#ifndef DEMO_ADAPT_H
#define DEMO_ADAPT_H

#include <gst/gst.h>
#include <stdio.h>

typedef struct demo_adapt {
    GstElement *encoder, *sink;
    gulong handler;
    guint best; /* kbit/s of the video */
    gint now;   /* the same at present, atomic */
    FILE *file; /* encoder.csv: a line for each change */
} demo_adapt;

/* The bounds of the estimate, in bit/s, for video of up to `kbit` kbit/s, the sound beside it and
 * the headers of both. */
guint demo_adapt_most(guint kbit);
guint demo_adapt_least(guint kbit);

/* From here on `encoder`, an x264enc, follows `sink`, between a minimum rate and `best` kbit/s.
 * Takes over both references. Writes encoder.csv in `directory`, with the lines time_us,kbit. FALSE
 * with *error filled in if it cannot. */
gboolean demo_adapt_start(demo_adapt *adapt, GstElement *encoder, GstElement *sink, guint best,
                          const char *directory, GError **error);

/* When the pipeline has stopped; also without start(). */
void demo_adapt_stop(demo_adapt *adapt);

#endif
