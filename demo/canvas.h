/* SPDX-License-Identifier: MIT */
/* The window of --window: received pictures of all legs side by side on one canvas, each shown when
 * it has been decoded. */
#ifndef DEMO_CANVAS_H
#define DEMO_CANVAS_H

#include "leg.h"
#include "stage.h"

typedef struct demo_canvas {
    demo_stage *stage;
    gint64 start_us; /* start of the programme; 0: unknown */
    guint timer;
} demo_canvas;

/* Adds the canvas to the description of the stage's pipeline, before the legs. */
void demo_canvas_append(GString *description);

/* Adds the elements after the decoder of the leg of this index. */
void demo_canvas_append_leg(GString *description, int index);

/* Initializes the elements once the stage has its pipeline; `stage` is borrowed. */
void demo_canvas_init(demo_canvas *canvas, demo_stage *stage);

/* True if there is a display; otherwise sets *error. The pipeline must be playing. */
gboolean demo_canvas_visible(const demo_canvas *canvas, GError **error);

/* Starts to show the current time of the programme, until demo_canvas_stop(). */
void demo_canvas_start(demo_canvas *canvas);
void demo_canvas_stop(demo_canvas *canvas);

#endif
