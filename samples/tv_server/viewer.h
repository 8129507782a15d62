/* SPDX-License-Identifier: MIT */
/* A viewer: a session, a channel, and a position in the channel's memory. Packets have timestamps
 * of the time at which they are to be seen, so that timestamps continue evenly across all requests.
 * A viewer that does not read misses pictures and affects no other one.
 *
 * All functions are for the loop's thread. */
#ifndef TV_VIEWER_H
#define TV_VIEWER_H

#include "channel.h"

#include "../tv_common/control.h"

#include <livetcp/livetcp.h>

typedef struct viewer_channels {
    channel **list;
    unsigned count;
} viewer_channels;

/* For a person who asks for a channel that does not exist, or that has `ended` (else NULL), and so
 * has no more pictures: those that there are. */
void viewer_channels_explain(const viewer_channels *all, const channel *ended, char *text,
                             size_t size);

typedef struct viewer_stats {
    uint64_t pictures, skipped; /* skipped: while waiting for a key frame after a drop */
    uint64_t requests, garbage, keys_wanted;
    tv_mode mode;
    int track; /* TRACK_HIGH or TRACK_LOW */
    int64_t behind_us;
} viewer_stats;

typedef struct viewer viewer;

/* The session stays the caller's and outlives the viewer. NULL without memory. */
viewer *viewer_create(const viewer_channels *channels, channel *first, livetcp_session *session,
                      const char *remote);
void viewer_destroy(viewer **v);

channel *viewer_channel(const viewer *v);
const char *viewer_remote(const viewer *v);
livetcp_session *viewer_session(const viewer *v);

/* Sends all that is due. */
void viewer_send(viewer *v, int64_t now_us);

/* Tells it where it is, unasked: when the session is open, and when its channel has ended. */
void viewer_tell(viewer *v, int64_t now_us);

/* False for a packet that no viewer sends; the caller says so once. */
bool viewer_take(viewer *v, const livetcp_packet *packet, int64_t now_us);

/* The session dropped packets that pictures refer to; its queue is empty again. */
void viewer_broke(viewer *v);
void viewer_drained(viewer *v, int64_t now_us);

/* True if its position follows the time, not the newest picture. */
bool viewer_is_shifted(const viewer *v);

void viewer_get_stats(const viewer *v, int64_t now_us, viewer_stats *stats);

#endif
