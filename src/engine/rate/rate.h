/* SPDX-License-Identifier: MIT */
/* The rate component: counts what a session's connections were given and have delivered, and shows
 * it to the estimate of engine/rate/bitrate.h when path info has come. */
#ifndef LT_ENGINE_RATE_RATE_H
#define LT_ENGINE_RATE_RATE_H

#include "engine/rate/bitrate.h"

/* Bytes of one connection. */
typedef struct lt_rate_slot {
    uint64_t written;
    uint64_t delivered; /* of these, the peer has: counted so far */
} lt_rate_slot;

typedef struct lt_rate {
    lt_bitrate bitrate;
    uint64_t written, media, delivered; /* on all connections there ever were */
    bool path_info_came;                /* since the last update */
    livetcp_usec update_from_us;        /* not before */
    lt_rate_slot slots[LIVETCP_MAX_CONNECTIONS];
} lt_rate;

void lt_rate_init(lt_rate *rate, const livetcp_config *config);

/* Other bounds from now on; 0 = none. True if the estimate has changed for that. */
bool lt_rate_set_bounds(lt_rate *rate, uint32_t min, uint32_t max);

/* The slot's connection is gone. */
void lt_rate_reset_slot(lt_rate *rate, unsigned slot);

/* The kernel took `size` bytes, framing and control included. `media_size` is the size of the
 * application's packet that was written whole with them, for the first time; 0 if none was. */
void lt_rate_on_written(lt_rate *rate, unsigned slot, size_t size, size_t media_size);

static inline void lt_rate_on_path_info(lt_rate *rate)
{
    rate->path_info_came = true;
}

/* What rate does not count itself. */
typedef struct lt_rate_view {
    const livetcp_path *paths; /* of all slots */
    unsigned count;
    uint64_t media_rate;         /* bytes per second that the application has sent of late */
    livetcp_usec queue_delay_us; /* age of the oldest packet in the send queue */
} lt_rate_view;

/* Whether it is time for an update: path info has come, and the last one is some time ago. Ask
 * before each write, since what waits then has been waiting. */
static inline bool lt_rate_wants_update(const lt_rate *rate, livetcp_usec now)
{
    return rate->path_info_came && now >= rate->update_from_us;
}

/* True if the estimate has changed by so much that the application should know. */
bool lt_rate_update(lt_rate *rate, const lt_rate_view *view, livetcp_usec now);

/* bit/s; 0 = not known yet. */
uint32_t lt_rate_get(const lt_rate *rate);

#endif
