/* SPDX-License-Identifier: MIT */
/* Common part of the sending and the receiving program: one pipeline that runs until it fails, is
 * interrupted, or the file "<program's name>.stop" appears in its directory; traces; error
 * messages. */
#ifndef DEMO_STAGE_H
#define DEMO_STAGE_H

#include "trace.h"

#include <gst/gst.h>

enum { DEMO_STAGE_TRACES = 4 };

typedef struct demo_stage {
    const char *directory; /* where traces and control files are; borrowed */
    GMainLoop *loop;
    GstElement *pipeline;
    demo_trace *traces[DEMO_STAGE_TRACES]; /* flushed regularly, closed at the end */
    guint trace_count;
    gboolean failed;
    gint64 last_tick_us;
    gint64 longest_stall_us; /* maximum lateness of the stage's timer */
} demo_stage;

/* Builds the pipeline from `description`. The program ends with its parent. On failure sets *error;
 * call demo_stage_clear() in either case. */
gboolean demo_stage_init(demo_stage *stage, const char *directory, const char *description,
                         GError **error);

/* Opens trace `name` for the static pad `pad` of the element `element`. */
gboolean demo_stage_trace(demo_stage *stage, const char *name, const char *element, const char *pad,
                          GError **error);

/* The element `name`, which must exist. Free with gst_object_unref(). */
GstElement *demo_stage_element(demo_stage *stage, const char *name);

/* The running time of the pipeline, which must be playing. */
GstClockTime demo_stage_running_time(const demo_stage *stage);

/* Sets the pipeline playing. Prints an element's error. */
gboolean demo_stage_play(demo_stage *stage);

/* Runs the main loop until the end; FALSE after a failure, which has been printed. */
gboolean demo_stage_run(demo_stage *stage);

/* Writes `text` to the file `name` in the directory, atomically. */
gboolean demo_stage_publish(const demo_stage *stage, const char *name, const char *text,
                            GError **error);

/* Call at the end: prints *error, which may be NULL, and unless `ok` leaves the file "<program's
 * name>.failed" in `directory`, which may be NULL, for waiting programs. */
void demo_stage_report(const char *directory, gboolean ok, const GError *error);

/* Stops the pipeline and frees everything but the struct. */
void demo_stage_clear(demo_stage *stage);

#endif
