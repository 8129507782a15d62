/* SPDX-License-Identifier: MIT */
/* Converts bit/s of RTP packets to kbit/s of video; see adapt.h. */
#include "adapt.h"

#include <errno.h>
#include <glib/gstdio.h>

/* Opus at 32 kbit/s, with 50 RTP headers a second. */
#define SOUND_BITS 40000

/* RTP headers, and inaccuracy of the encoder's rate control. */
#define VIDEO_SHARE 1.03

/* Below this, 640x360 is of no use. */
#define MIN_KBIT 150

guint demo_adapt_max(guint kbit)
{
    return (guint)(kbit * 1000 * VIDEO_SHARE) + SOUND_BITS;
}

guint demo_adapt_min(guint kbit)
{
    return demo_adapt_max(MIN(MIN_KBIT, kbit));
}

static guint video_kbit(const demo_adapt *adapt, guint estimate)
{
    double kbit = ((double)estimate - SOUND_BITS) / VIDEO_SHARE / 1000 + 0.5;
    guint min_kbit = MIN(MIN_KBIT, adapt->best);
    return kbit < min_kbit ? min_kbit : MIN((guint)kbit, adapt->best);
}

typedef struct change {
    demo_adapt *adapt;
    gint64 at_us;
    guint kbit;
} change;

static gboolean write_change(gpointer user)
{
    change *made = user;
    FILE *file = made->adapt->file;
    if (file != NULL) {
        fprintf(file, "%" G_GINT64_FORMAT ",%u\n", made->at_us, made->kbit);
        fflush(file);
    }
    return G_SOURCE_REMOVE;
}

/* In the main loop, so that a slow disk does not delay the thread that notifies us. */
static void note(demo_adapt *adapt, guint kbit)
{
    change *made = g_new(change, 1);
    *made = (change){adapt, g_get_monotonic_time(), kbit};
    g_idle_add_full(G_PRIORITY_DEFAULT, write_change, made, g_free);
}

static void on_estimate(GObject *sink, GParamSpec *pspec, gpointer user)
{
    (void)pspec;
    demo_adapt *adapt = user;
    guint estimate = 0;
    g_object_get(sink, "estimated-bitrate", &estimate, NULL);
    guint kbit = video_kbit(adapt, estimate);
    if (estimate == 0 || kbit == (guint)g_atomic_int_get(&adapt->now)) {
        return;
    }
    g_atomic_int_set(&adapt->now, (gint)kbit);
    g_object_set(adapt->encoder, "bitrate", kbit, NULL);
    note(adapt, kbit);
}

gboolean demo_adapt_start(demo_adapt *adapt, GstElement *encoder, GstElement *sink, guint best,
                          const char *directory, GError **error)
{
    gchar *path = g_build_filename(directory, "encoder.csv", NULL);
    *adapt = (demo_adapt){.encoder = encoder, .sink = sink, .best = best, .now = (gint)best};
    adapt->file = g_fopen(path, "we");
    gboolean ok = adapt->file != NULL && fputs("time_us,kbit\n", adapt->file) >= 0;
    if (ok) {
        note(adapt, best);
        adapt->handler =
            g_signal_connect(sink, "notify::estimated-bitrate", G_CALLBACK(on_estimate), adapt);
    } else {
        g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno), "cannot write %s: %s",
                    path, g_strerror(errno));
    }
    g_free(path);
    return ok;
}

void demo_adapt_stop(demo_adapt *adapt)
{
    if (adapt->handler != 0) {
        g_signal_handler_disconnect(adapt->sink, adapt->handler);
    }
    g_clear_object(&adapt->encoder);
    g_clear_object(&adapt->sink);
    g_clear_pointer(&adapt->file, fclose);
}
