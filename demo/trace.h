/* SPDX-License-Identifier: MIT */
/* Records the time at which each RTP packet passes a pad, into a CSV file. */
#ifndef DEMO_TRACE_H
#define DEMO_TRACE_H

#include <gst/gst.h>

typedef struct demo_trace demo_trace;

/* Creates the file `name`.csv in `directory`, replacing one that is there. On failure returns NULL
 * and fills in *error. */
demo_trace *demo_trace_open(const char *directory, const char *name, GError **error);

/* Records each packet that passes `pad` from now on. Any number of pads; the trace must outlive the
 * data flow. Any thread. */
void demo_trace_watch(demo_trace *trace, GstPad *pad);

/* Writes the records since the last flush. Not on a streaming thread: a slow disk must not delay
 * the measured packets. FALSE with *error if the file cannot be written. */
gboolean demo_trace_flush(demo_trace *trace, GError **error);

/* Packets recorded so far. Any thread. */
guint64 demo_trace_packets(demo_trace *trace);

/* Flushes and closes; clears *trace, which may already be NULL. */
void demo_trace_close(demo_trace **trace);

#endif
