/* SPDX-License-Identifier: MIT */
#include "engine/rate/rate.h"

/* Path info may come thousands of times a second; the estimate does not change so often. */
#define INTERVAL_US 5000

void lt_rate_init(lt_rate *rate, const livetcp_config *config)
{
    *rate = (lt_rate){.update_from_us = INT64_MIN};
    lt_bitrate_init(&rate->bitrate, config->min_bitrate, config->max_bitrate);
}

bool lt_rate_set_bounds(lt_rate *rate, uint32_t min, uint32_t max)
{
    return lt_bitrate_set_bounds(&rate->bitrate, min, max);
}

void lt_rate_reset_slot(lt_rate *rate, unsigned slot)
{
    rate->slots[slot] = (lt_rate_slot){.written = 0};
}

void lt_rate_on_written(lt_rate *rate, unsigned slot, size_t size, size_t media_size)
{
    rate->slots[slot].written += size;
    rate->written += size;
    rate->media += media_size;
}

/* The peer has all that was written but what is queued, selectively acknowledged bytes excepted.
 * Both counts include what was written since the platform was asked, so the difference only changes
 * with its answers. */
static void count_delivered(lt_rate *rate, lt_rate_slot *slot, const livetcp_path *path)
{
    uint64_t away = 0;

    if (path->known & LIVETCP_PATH_QUEUED)
        away = path->queued_bytes;
    if (path->known & LIVETCP_PATH_SACKED)
        away -= path->sacked_bytes < away ? path->sacked_bytes : away;
    if (slot->written < slot->delivered + away)
        return;
    uint64_t delivered = slot->written - away;
    rate->delivered += delivered - slot->delivered;
    slot->delivered = delivered;
}

bool lt_rate_update(lt_rate *rate, const lt_rate_view *view, livetcp_usec now)
{
    rate->path_info_came = false;
    rate->update_from_us = now + INTERVAL_US;
    for (unsigned i = 0; i < view->count; i++)
        count_delivered(rate, &rate->slots[i], &view->paths[i]);
    lt_bitrate_sample sample = {.now_us = now,
                                .delivered = rate->delivered,
                                .written = rate->written,
                                .media = rate->media,
                                .media_rate = view->media_rate,
                                .queue_delay_us = view->queue_delay_us,
                                .paths = view->paths,
                                .path_count = view->count};
    return lt_bitrate_update(&rate->bitrate, &sample);
}

uint32_t lt_rate_get(const lt_rate *rate)
{
    return lt_bitrate_get(&rate->bitrate);
}
