/* SPDX-License-Identifier: MIT */
/*
 * A rate component for each link of the session. Links (networks of this host, or hosts of the
 * peer) share no bottleneck, so each has a congestion control of its own; the session's estimate is
 * the sum of theirs.
 */
#ifndef LT_ENGINE_RATE_LINK_RATES_H
#define LT_ENGINE_RATE_LINK_RATES_H

#include "engine/rate/rate.h"

typedef struct lt_link_rates {
    lt_rate *links[LIVETCP_MAX_LINKS]; /* NULL: no connection is on that link */
    uint8_t link_of[LIVETCP_MAX_CONNECTIONS];
    uint32_t min, max; /* bounds of the sum, bit/s; 0 = none */
    uint32_t told;     /* the sum when the application was last told */
    uint64_t media;    /* bytes on all links, and of each when the shares were last looked at */
    uint64_t seen[LIVETCP_MAX_LINKS];
    double share[LIVETCP_MAX_LINKS]; /* 0..1, of the media */
    livetcp_usec share_us;
    livetcp_usec short_us; /* since when less than `min` gets through; LIVETCP_NEVER = not so */
    bool short_told;
} lt_link_rates;

/* Every slot is on link 0. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_link_rates_init(lt_link_rates *rates, const livetcp_config *config);
void lt_link_rates_clear(lt_link_rates *rates);

/* The slot, which has no connection, is on that link from now on. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_link_rates_set_link(lt_link_rates *rates, unsigned slot, unsigned link);

/* The rate component of a link, NULL if no slot is on it. */
static inline lt_rate *lt_link_rates_at(const lt_link_rates *rates, unsigned link)
{
    return rates->links[link];
}

/* That of a slot's link. */
static inline lt_rate *lt_link_rates_of(const lt_link_rates *rates, unsigned slot)
{
    return rates->links[rates->link_of[slot]];
}

/* The peer's report of when a frame began to arrive. It does not tell the link, and is ignored
 * where there are several. */
void lt_link_rates_on_arrival(lt_link_rates *rates, const lt_frame_arrival *arrival,
                              livetcp_usec now);

bool lt_link_rates_wants_update(const lt_link_rates *rates, livetcp_usec now);

/* Updates every link that wants it; `view` is the session's. True if the estimate has changed by so
 * much that the application should know. */
bool lt_link_rates_update(lt_link_rates *rates, const lt_rate_view *view, livetcp_usec now);

/* bit/s of media that get through, once in a session, when that has been less than the lower bound
 * for a while; else 0. */
uint32_t lt_link_rates_take_shortage(lt_link_rates *rates, livetcp_usec now);

/* As the functions of rate.h, of all links. */
bool lt_link_rates_set_bounds(lt_link_rates *rates, uint32_t min, uint32_t max);
uint32_t lt_link_rates_wants_path_info(const lt_link_rates *rates);
livetcp_usec lt_link_rates_deadline(const lt_link_rates *rates);
void lt_link_rates_expire(lt_link_rates *rates, livetcp_usec now);
void lt_link_rates_gather(const lt_link_rates *rates, livetcp_session_stats *stats);
uint32_t lt_link_rates_get(const lt_link_rates *rates);

/* True if the source has heeded the estimate. */
bool lt_link_rates_adapts(const lt_link_rates *rates);

#endif
