/* SPDX-License-Identifier: MIT */
#include "engine/rate/link_rates.h"

#include <stdlib.h>

/* Shares of the media are averaged over some of these. */
#define SHARE_US   100000
#define SHARE_GAIN 0.2

/* The first second finds the rate, and a fade passes. */
#define SHORT_US (2 * (livetcp_usec)LIVETCP_USEC_SEC)

static livetcp_result add_link(lt_link_rates *rates, unsigned link)
{
    livetcp_config none = {.min_bitrate = 0, .max_bitrate = 0};

    if (rates->links[link])
        return LIVETCP_OK;
    rates->links[link] = malloc(sizeof *rates->links[link]);
    if (!rates->links[link])
        return LIVETCP_ERR_NO_MEMORY;
    lt_rate_init(rates->links[link], &none);
    return LIVETCP_OK;
}

livetcp_result lt_link_rates_init(lt_link_rates *rates, const livetcp_config *config)
{
    livetcp_result result;

    *rates = (lt_link_rates){.min = config->min_bitrate,
                             .max = config->max_bitrate,
                             .share = {1},
                             .short_us = LIVETCP_NEVER,
                             .share_us = INT64_MIN};
    result = add_link(rates, 0);
    if (result == LIVETCP_OK)
        lt_rate_init(rates->links[0], config);
    return result;
}

void lt_link_rates_clear(lt_link_rates *rates)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        free(rates->links[i]);
        rates->links[i] = NULL;
    }
}

/* Bounds of the sum are the only link's, or nobody's. */
static bool has_one_link(const lt_link_rates *rates)
{
    for (unsigned i = 1; i < LIVETCP_MAX_LINKS; i++)
        if (rates->links[i])
            return false;
    return true;
}

livetcp_result lt_link_rates_set_link(lt_link_rates *rates, unsigned slot, unsigned link)
{
    livetcp_result result = add_link(rates, link);

    if (result != LIVETCP_OK)
        return result;
    lt_rate_reset_slot(lt_link_rates_of(rates, slot), slot);
    rates->link_of[slot] = (uint8_t)link;
    if (!has_one_link(rates))
        (void)lt_rate_set_bounds(rates->links[0], 0, 0);
    return LIVETCP_OK;
}

void lt_link_rates_on_arrival(lt_link_rates *rates, const lt_frame_arrival *arrival,
                              livetcp_usec now)
{
    if (has_one_link(rates) && rates->links[0])
        lt_rate_on_arrival(rates->links[0], arrival, now);
}

bool lt_link_rates_adapts(const lt_link_rates *rates)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        if (rates->links[i] && rates->links[i]->bitrate.adapts)
            return true;
    return false;
}

bool lt_link_rates_wants_update(const lt_link_rates *rates, livetcp_usec now)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        if (rates->links[i] && lt_rate_wants_update(rates->links[i], now))
            return true;
    return false;
}

/* ---- the media of each link ---- */

static void update_shares(lt_link_rates *rates, livetcp_usec now)
{
    uint64_t media = 0;

    if (rates->share_us > now - SHARE_US)
        return;
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        media += rates->links[i] ? rates->links[i]->media : 0;
    if (media == rates->media)
        return;
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        uint64_t own = rates->links[i] ? rates->links[i]->media : 0;
        double share = (double)(own - rates->seen[i]) / (double)(media - rates->media);
        rates->share[i] += SHARE_GAIN * (share - rates->share[i]);
        rates->seen[i] = own;
    }
    rates->media = media;
    rates->share_us = now;
}

static uint32_t others(const lt_link_rates *rates, unsigned link)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        slots |= rates->link_of[i] != link ? UINT32_C(1) << i : 0;
    return slots;
}

/* ---- the sum ---- */

/* Of several links: as lt_bitrate_update() tells one link's. */
static bool should_tell(lt_link_rates *rates)
{
    uint32_t sum = lt_link_rates_get(rates);
    uint32_t change = sum > rates->told ? sum - rates->told : rates->told - sum;

    if (change <= rates->told / 20)
        return false;
    rates->told = sum;
    return true;
}

bool lt_link_rates_update(lt_link_rates *rates, const lt_rate_view *view, livetcp_usec now)
{
    bool one = has_one_link(rates), changed = false;

    if (!one)
        update_shares(rates, now);
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        lt_rate_view own = *view;
        if (!rates->links[i] || !lt_rate_wants_update(rates->links[i], now))
            continue;
        own.others = others(rates, i);
        if (!one)
            own.media_rate = (uint64_t)((double)view->media_rate * rates->share[i]);
        changed |= lt_rate_update(rates->links[i], &own, now);
    }
    return one ? changed : changed && should_tell(rates);
}

uint32_t lt_link_rates_get(const lt_link_rates *rates)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        sum += rates->links[i] ? lt_rate_get(rates->links[i]) : 0;
    if (sum && sum < rates->min)
        sum = rates->min;
    if (rates->max && sum > rates->max)
        sum = rates->max;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* 0 = not known, or more than is sent. */
static double carried_media(const lt_link_rates *rates)
{
    double sum = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        double carried = rates->links[i] ? lt_rate_carries_media(rates->links[i]) : 0;
        if (rates->links[i] && carried <= 0)
            return 0;
        sum += carried;
    }
    return sum;
}

uint32_t lt_link_rates_take_shortage(lt_link_rates *rates, livetcp_usec now)
{
    double carried = rates->min && !rates->short_told ? carried_media(rates) : 0;

    if (carried <= 0 || carried >= rates->min) {
        rates->short_us = LIVETCP_NEVER;
        return 0;
    }
    if (rates->short_us == LIVETCP_NEVER)
        rates->short_us = now;
    if (now - rates->short_us < SHORT_US)
        return 0;
    rates->short_told = true;
    return carried >= 1 ? (uint32_t)carried : 1;
}

bool lt_link_rates_set_bounds(lt_link_rates *rates, uint32_t min, uint32_t max)
{
    rates->min = min;
    rates->max = max;
    rates->short_us = LIVETCP_NEVER;
    rates->short_told = false;
    return has_one_link(rates) ? lt_rate_set_bounds(rates->links[0], min, max) : should_tell(rates);
}

/* ---- all of them ---- */

uint32_t lt_link_rates_wants_path_info(const lt_link_rates *rates)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        slots |= rates->links[i] ? lt_rate_wants_path_info(rates->links[i]) : 0;
    return slots;
}

livetcp_usec lt_link_rates_deadline(const lt_link_rates *rates)
{
    livetcp_usec due = LIVETCP_NEVER;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        if (rates->links[i] && lt_rate_deadline(rates->links[i]) < due)
            due = lt_rate_deadline(rates->links[i]);
    return due;
}

void lt_link_rates_expire(lt_link_rates *rates, livetcp_usec now)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        if (rates->links[i])
            lt_rate_expire(rates->links[i], now);
}

/* Of several links: the most limited regime, and the windows' sum unless one has none. */
void lt_link_rates_gather(const lt_link_rates *rates, livetcp_session_stats *stats)
{
    livetcp_congestion regime = LIVETCP_CONGESTION_NONE;
    uint64_t windows = 0;
    bool limited = true;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        if (!rates->links[i])
            continue;
        lt_rate_gather(rates->links[i], stats);
        if (stats->sent.congestion > regime)
            regime = stats->sent.congestion;
        limited = limited && stats->sent.window_bytes;
        windows += stats->sent.window_bytes;
    }
    stats->sent.congestion = regime;
    stats->sent.window_bytes = limited ? windows : 0;
    stats->sent.estimated_bitrate = lt_link_rates_get(rates);
}
