/* SPDX-License-Identifier: MIT */
#include "gstlivetcpcounters.h"

#include <stdlib.h>

/* A peer whose bit rate is below the median divided by this is far below. */
#define FAR_BELOW 8

void gst_livetcp_counters_add(livetcp_session_stats *totals, const livetcp_session_stats *stats)
{
    totals->reconnects += stats->reconnects;
    totals->rerouted += stats->rerouted;
    totals->sent.accepted += stats->sent.accepted;
    totals->sent.accepted_bytes += stats->sent.accepted_bytes;
    totals->sent.packets += stats->sent.packets;
    totals->sent.bytes += stats->sent.bytes;
    totals->dropped.queue_full += stats->dropped.queue_full;
    totals->dropped.connection += stats->dropped.connection;
    totals->sent.refused += stats->sent.refused;
    totals->received.packets += stats->received.packets;
    totals->received.bytes += stats->received.bytes;
    totals->received.bytes_read += stats->received.bytes_read;
    totals->received.duplicates += stats->received.duplicates;
    totals->received.late_discarded += stats->received.late_discarded;
    totals->received.sequence_gaps += stats->received.sequence_gaps;
    totals->received.null_frames += stats->received.null_frames;
    totals->received.protocol_errors += stats->received.protocol_errors;
    totals->sent.resent += stats->sent.resent;
    totals->sent.acknowledged_lost += stats->sent.acknowledged_lost;
    totals->sent.acknowledged_resent += stats->sent.acknowledged_resent;
    totals->sent.unconfirmed += stats->sent.unconfirmed;
    totals->received.acknowledged_lost += stats->received.acknowledged_lost;
    totals->received.acknowledged_resent += stats->received.acknowledged_resent;
    totals->sent.copies += stats->sent.copies;
    totals->sent.copies_useful += stats->sent.copies_useful;
    totals->sent.extra_bytes += stats->sent.extra_bytes;
    totals->sent.parity += stats->sent.parity;
    totals->sent.parity_dropped += stats->sent.parity_dropped;
    totals->received.parity += stats->received.parity;
    totals->received.parity_rebuilt += stats->received.parity_rebuilt;
    totals->received.parity_useful += stats->received.parity_useful;
    totals->received.parity_invalid += stats->received.parity_invalid;
    totals->sent.padding += stats->sent.padding;
    totals->sent.policy_errors += stats->sent.policy_errors;
    totals->dropped.late += stats->dropped.late;
    totals->dropped.late_droppable += stats->dropped.late_droppable;
    totals->dropped.late_delta += stats->dropped.late_delta;
    totals->dropped.late_audio += stats->dropped.late_audio;
    totals->dropped.late_key += stats->dropped.late_key;
    totals->dropped.full_droppable += stats->dropped.full_droppable;
    totals->dropped.full_delta += stats->dropped.full_delta;
    totals->dropped.full_audio += stats->dropped.full_audio;
    totals->dropped.full_key += stats->dropped.full_key;
    totals->losses.known += stats->losses.known;
    totals->losses.lost += stats->losses.lost;
    totals->losses.arrived_twice += stats->losses.arrived_twice;
    totals->losses.arrived_once += stats->losses.arrived_once;
    totals->losses.arrived_never += stats->losses.arrived_never;
    totals->losses.copies_dropped += stats->losses.copies_dropped;
    totals->sent.keyframes_wanted += stats->sent.keyframes_wanted;
    totals->control.reports_sent += stats->control.reports_sent;
    totals->control.reports_received += stats->control.reports_received;
    totals->control.reports_invalid += stats->control.reports_invalid;
    totals->control.feedback_sent += stats->control.feedback_sent;
    totals->control.feedback_received += stats->control.feedback_received;
    totals->control.feedback_invalid += stats->control.feedback_invalid;
    totals->sent.timestamped += stats->sent.timestamped;
    totals->received.timestamped_reads += stats->received.timestamped_reads;
    totals->control.timestamps_invalid += stats->control.timestamps_invalid;
    totals->sent.max_queue_delay_us =
        MAX(totals->sent.max_queue_delay_us, stats->sent.max_queue_delay_us);
}

static int compare_rates(const void *a, const void *b)
{
    guint first = *(const guint *)a, other = *(const guint *)b;

    return (first > other) - (first < other);
}

guint gst_livetcp_rate_for_all(guint *rates, guint count, gdouble quantile)
{
    if (count == 0) {
        return 0;
    }
    qsort(rates, count, sizeof(*rates), compare_rates);
    guint minimum = quantile > 0 ? rates[count / 2] / FAR_BELOW : 0;
    gdouble part = quantile * count;
    guint at = (guint)part;

    if (at > 0 && (gdouble)at >= part) {
        at--;
    }
    at = MIN(at, count - 1);
    while (rates[at] < minimum) { /* ends at the median, at the latest */
        at++;
    }
    return rates[at];
}
