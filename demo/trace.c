/* SPDX-License-Identifier: MIT */
/* Packet traces. All times are of CLOCK_MONOTONIC, which processes in different network namespaces
 * share. */
#include "trace.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>

enum { RTP_HEADER = 12 };

typedef struct record {
    gint64 time_us;
    guint32 ssrc;
    guint32 timestamp;
    guint16 sequence;
    guint8 payload_type;
    guint8 marker;
    gsize size;
} record;

struct demo_trace {
    FILE *file;
    char *path;
    GMutex lock;     /* protects the following */
    GArray *records; /* of record: not yet written */
    guint64 packets;
};

demo_trace *demo_trace_open(const char *directory, const char *name, GError **error)
{
    demo_trace *trace = g_new0(demo_trace, 1);
    trace->path = g_strdup_printf("%s/%s.csv", directory, name);
    trace->records = g_array_new(FALSE, FALSE, sizeof(record));
    g_mutex_init(&trace->lock);
    trace->file = g_fopen(trace->path, "we");
    if (trace->file == NULL ||
        fputs("time_us,ssrc,sequence,timestamp,payload_type,marker,size\n", trace->file) < 0) {
        g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
                    "cannot write the trace %s: %s", trace->path, g_strerror(errno));
        demo_trace_close(&trace);
    }
    return trace;
}

static void note(demo_trace *trace, GstBuffer *buffer, gint64 now)
{
    guint8 header[RTP_HEADER];
    if (gst_buffer_extract(buffer, 0, header, RTP_HEADER) < RTP_HEADER || header[0] >> 6 != 2) {
        return;
    }
    if (header[1] >= 192 && header[1] <= 223) { /* RTCP, RFC 5761 */
        return;
    }
    record r = {
        .time_us = now,
        .ssrc = GST_READ_UINT32_BE(header + 8),
        .timestamp = GST_READ_UINT32_BE(header + 4),
        .sequence = GST_READ_UINT16_BE(header + 2),
        .payload_type = header[1] & 0x7f,
        .marker = header[1] >> 7,
        .size = gst_buffer_get_size(buffer),
    };
    g_mutex_lock(&trace->lock);
    g_array_append_val(trace->records, r);
    trace->packets++;
    g_mutex_unlock(&trace->lock);
}

static GstPadProbeReturn on_data(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    (void)pad;
    demo_trace *trace = user;
    gint64 now = g_get_monotonic_time();
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
        GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
        for (guint i = 0; i < gst_buffer_list_length(list); i++) {
            note(trace, gst_buffer_list_get(list, i), now);
        }
    } else {
        note(trace, GST_PAD_PROBE_INFO_BUFFER(info), now);
    }
    return GST_PAD_PROBE_OK;
}

void demo_trace_watch(demo_trace *trace, GstPad *pad)
{
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_data,
                      trace, NULL);
}

gboolean demo_trace_flush(demo_trace *trace, GError **error)
{
    GArray *fresh = g_array_new(FALSE, FALSE, sizeof(record));
    g_mutex_lock(&trace->lock);
    GArray *records = trace->records;
    trace->records = fresh;
    g_mutex_unlock(&trace->lock);

    for (guint i = 0; i < records->len; i++) {
        const record *r = &g_array_index(records, record, i);
        fprintf(trace->file, "%" G_GINT64_FORMAT ",%08x,%u,%u,%u,%u,%zu\n", r->time_us, r->ssrc,
                r->sequence, r->timestamp, r->payload_type, r->marker, (size_t)r->size);
    }
    g_array_unref(records);
    if (fflush(trace->file) != 0) {
        g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
                    "cannot write the trace %s: %s", trace->path, g_strerror(errno));
        return FALSE;
    }
    return TRUE;
}

guint64 demo_trace_packets(demo_trace *trace)
{
    g_mutex_lock(&trace->lock);
    guint64 packets = trace->packets;
    g_mutex_unlock(&trace->lock);
    return packets;
}

void demo_trace_close(demo_trace **trace)
{
    demo_trace *t = *trace;
    *trace = NULL;
    if (t == NULL) {
        return;
    }
    if (t->file != NULL) {
        (void)demo_trace_flush(t, NULL);
        fclose(t->file);
    }
    g_array_unref(t->records);
    g_mutex_clear(&t->lock);
    g_free(t->path);
    g_free(t);
}
