/* SPDX-License-Identifier: MIT */
#include "engine/links/link_meter.h"

#define SPAN_US      1000000 /* duration of one rate measurement */
#define HALF_LIFE_US 10000000.0
#define TYPICAL_MSS  1448

void lt_link_meter_init(lt_link_meter *meter)
{
    *meter = (lt_link_meter){.links = {{.written = 0}}};
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        meter->links[i].since_us = INT64_MIN;
}

/* Decays the counts; HALF_US is their half-life. */
static void decay(lt_link_counts *counts, livetcp_usec span_us)
{
    double part = (double)span_us < HALF_LIFE_US ? 1 - (double)span_us / (2 * HALF_LIFE_US) : 0.5;

    counts->segments *= part;
    counts->retransmitted *= part;
    counts->spent *= part;
}

static void measure_rate(lt_link_counts *counts, livetcp_usec now)
{
    if (counts->since_us != INT64_MIN) {
        livetcp_usec span = now - counts->since_us;
        if (span < SPAN_US)
            return;
        counts->rate = (double)(counts->written - counts->seen) * LIVETCP_USEC_SEC / (double)span;
        decay(counts, span);
    }
    counts->seen = counts->written;
    counts->since_us = now;
}

void lt_link_meter_wrote(lt_link_meter *meter, const livetcp_path *path, size_t size,
                         livetcp_usec now)
{
    size_t mss = path->known & LIVETCP_PATH_MSS && path->mss_bytes ? path->mss_bytes : TYPICAL_MSS;

    /* All links decay at the same times, so that their shares are comparable. */
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        measure_rate(&meter->links[i], now);
    meter->links[path->link].written += size;
    meter->links[path->link].spent += (double)size;
    meter->links[path->link].segments += (double)((size + mss - 1) / mss);
}

void lt_link_meter_on_path_info(lt_link_meter *meter, unsigned slot, const livetcp_path *path)
{
    uint64_t before = meter->retransmitted[slot];

    if (!(path->known & LIVETCP_PATH_RETRANSMITS))
        return;
    if (path->retransmitted_segments > before)
        meter->links[path->link].retransmitted += (double)(path->retransmitted_segments - before);
    meter->retransmitted[slot] = path->retransmitted_segments;
}

void lt_link_meter_reset_slot(lt_link_meter *meter, unsigned slot)
{
    meter->retransmitted[slot] = 0;
}

void lt_link_meter_gather(const lt_link_meter *meter, unsigned link, livetcp_usec now,
                          livetcp_link_stats *stats)
{
    const lt_link_counts *counts = &meter->links[link];
    double all = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        all += meter->links[i].spent;
    stats->bytes_sent = counts->written;
    stats->share = all > 0 ? counts->spent / all : 0;
    stats->loss = counts->segments >= 1 ? counts->retransmitted / counts->segments : 0;
    if (stats->loss > 1)
        stats->loss = 1;
    if (counts->since_us == INT64_MIN)
        return;
    stats->rate = now - counts->since_us > 2 * SPAN_US
                      ? (uint64_t)((double)(counts->written - counts->seen) * LIVETCP_USEC_SEC /
                                   (double)(now - counts->since_us))
                      : (uint64_t)counts->rate;
}
