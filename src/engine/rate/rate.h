/* SPDX-License-Identifier: MIT */
/* The rate component: the session's limit of bytes in flight and the bit rate for an encoder, from
 * the bytes written to and delivered by its connections. */
#ifndef LT_ENGINE_RATE_RATE_H
#define LT_ENGINE_RATE_RATE_H

#include "engine/rate/bitrate.h"
#include "engine/rate/congestion.h"
#include "engine/rate/frame_delays.h"
#include "engine/rate/headroom.h"
#include "engine/rate/initial_window.h"
#include "engine/rate/media_queue.h"
#include "engine/rate/round_trips.h"
#include "engine/rate/upward_probe.h"

#include <livetcp/engine.h>

typedef struct lt_rate {
    lt_congestion congestion;
    lt_initial_window initial;
    lt_bitrate bitrate;
    lt_headroom headroom;
    lt_upward_probe probe;
    lt_frame_bursts bursts;
    lt_media_queue media_queue;
    lt_frame_delays frame_delays;
    uint64_t written, media, delivered;  /* bytes on all connections so far */
    uint64_t media_writes;               /* writes with media */
    uint64_t key_media;                  /* of media: in key frames */
    uint64_t padded;                     /* of written: probes upwards */
    uint64_t share_written, share_media; /* when the media share was last looked at */
    double media_share;
    livetcp_usec share_us;
    lt_queue_samples samples;    /* minimum since the last update */
    bool sizes_known;            /* the platform reports the bytes in flight */
    bool path_info_came;         /* since the last update */
    livetcp_usec update_from_us; /* not before */
    livetcp_usec poll_us;        /* when path info is wanted next; LIVETCP_NEVER = not */
    bool poll_due;               /* it is wanted now */
    uint64_t in_flight;          /* at the last update, and written since */
    lt_round_trips slots[LIVETCP_MAX_CONNECTIONS];
} lt_rate;

void lt_rate_init(lt_rate *rate, const livetcp_config *config);

/* Other bounds from now on; 0 = none. True if the estimate has changed for that. */
bool lt_rate_set_bounds(lt_rate *rate, uint32_t min, uint32_t max);

/* The slot's connection has ended. */
void lt_rate_reset_slot(lt_rate *rate, unsigned slot);

/* The kernel took `size` bytes, framing and control included. `packet` is the application's that
 * was written whole with them, for the first time; NULL if none was. `path` is as it was before. */
void lt_rate_on_written(lt_rate *rate, unsigned slot, const livetcp_path *path, size_t size,
                        const lt_packet *packet, livetcp_usec now);

/* The peer's report of when a frame began to arrive. */
void lt_rate_on_arrival(lt_rate *rate, const lt_frame_arrival *arrival, livetcp_usec now);

void lt_rate_on_path_info(lt_rate *rate, unsigned slot, const livetcp_path *path, livetcp_usec now);

/* Path info of a connection's route. */
void lt_rate_on_path_sample(lt_rate *rate, const lt_path_sample *sample, livetcp_usec now);

/* Inputs from other components. */
typedef struct lt_rate_view {
    const livetcp_path *paths; /* of all slots */
    unsigned count;
    uint64_t media_rate;   /* bytes per second that the application has recently sent */
    uint64_t session_rate; /* the same on all links */
    uint64_t offered;      /* bytes that it has sent so far, on all links, without key frames */
    livetcp_usec queue_delay_us; /* age of the oldest packet in the send queue, */
    livetcp_usec limit_us;       /*   and beyond which packets are dropped; 0 = none */
    size_t queue_bytes;          /* in the send queue */
    uint32_t others;             /* bit i: slot i is on another link, and does not count */
    bool answered;               /* the peer has sent media lately */
} lt_rate_view;

/* True if an update is due: path info has come, and the last update is some time ago. Ask before
 * each write, since the queue at that time has been waiting. */
static inline bool lt_rate_wants_update(const lt_rate *rate, livetcp_usec now)
{
    return rate->path_info_came && now >= rate->update_from_us;
}

/* True if the estimate has changed by so much that the application should know. */
bool lt_rate_update(lt_rate *rate, const lt_rate_view *view, livetcp_usec now);

/* Slots (bit i = slot i) whose path info is wanted now: those that have bytes in flight. */
uint32_t lt_rate_wants_path_info(const lt_rate *rate);

livetcp_usec lt_rate_deadline(const lt_rate *rate);
void lt_rate_expire(lt_rate *rate, livetcp_usec now);

/* Bytes of padding to be written now, behind the media; and that `size` bytes were, 0 = no
 * connection takes more. They count as written, too. */
uint64_t lt_rate_padding_due(lt_rate *rate, livetcp_usec now);
void lt_rate_on_padding(lt_rate *rate, size_t size, livetcp_usec now);

/* Bytes that all connections together may have in flight; UINT64_MAX = no limit. */
static inline uint64_t lt_rate_window(const lt_rate *rate)
{
    uint64_t initial = lt_initial_window_get(&rate->initial);

    return initial < rate->congestion.window ? initial : rate->congestion.window;
}

/* Delivered bytes per second while the path is the limit; 0 = it is not. */
uint64_t lt_rate_carries(const lt_rate *rate);

/* The same in bit/s of media; 0 = the path is not the limit, or not known. The bounds of the
 * estimate do not apply. */
double lt_rate_carries_media(const lt_rate *rate);

/* True if the path takes copies and parity beside the media. */
static inline bool lt_rate_has_room(const lt_rate *rate)
{
    return lt_congestion_has_room(&rate->congestion);
}

/* True while other senders make the path lose many packets, whatever this session sends. */
static inline bool lt_rate_is_overrun(const lt_rate *rate)
{
    return lt_congestion_is_overrun(&rate->congestion);
}

/* True if an encoder that follows fills the link, which has lost nothing for a while: extra bytes
 * would take the place of media. */
bool lt_rate_is_filled(const lt_rate *rate, livetcp_usec now);

/* Extra bytes that the link takes now, for a byte of the session's media. */
static inline double lt_rate_headroom(const lt_rate *rate)
{
    return lt_headroom_get(&rate->headroom);
}

/* True if the link takes tail probes, too. Beside others its losses are theirs, and have to be
 * found soon. */
static inline bool lt_rate_takes_probes(const lt_rate *rate, livetcp_usec now)
{
    return rate->congestion.regime == LT_REGIME_COMPETING ||
           (lt_headroom_takes_probes(&rate->headroom) && !lt_rate_is_filled(rate, now));
}

/* Adds estimate, regime and window. */
void lt_rate_gather(const lt_rate *rate, livetcp_session_stats *stats);

/* bit/s; 0 = not known yet. */
uint32_t lt_rate_get(const lt_rate *rate);

#endif
