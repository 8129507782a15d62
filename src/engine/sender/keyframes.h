/* SPDX-License-Identifier: MIT */
/* Decides which streams need a new key frame because their packets were dropped, and when to
 * request it. */
#ifndef LT_ENGINE_SENDER_KEYFRAMES_H
#define LT_ENGINE_SENDER_KEYFRAMES_H

#include "engine/packet.h"

/* Maximum number of streams. The least recently used one is replaced; its next drop causes a new
 * request. */
#define LT_KEYFRAME_STREAMS 16

/* Reason of a drop. */
typedef enum lt_drop_reason { LT_DROP_LATE, LT_DROP_QUEUE_FULL } lt_drop_reason;

typedef struct lt_keyframe_stream {
    bool used;
    uint32_t ssrc;
    uint64_t touched;           /* value of `drops` at its last use */
    bool wanted;                /* references are broken, and no key frame has been queued since */
    livetcp_usec requested_us;  /* last request; INT64_MIN = none */
    livetcp_usec interval_us;   /* minimum time from then to the next request */
    livetcp_usec not_before_us; /* earliest time of the next request */
    bool broken;                /* the last frame is incomplete: */
    lt_drop_reason reason;      /* reason of the drop, */
    uint32_t timestamp;         /* its RTP timestamp, */
    livetcp_importance lost;    /* importance of the dropped packet, */
    livetcp_usec lost_us;       /* enqueued_us of that packet */
    bool key_behind;            /* scratch of a backward walk over the queue */
} lt_keyframe_stream;

typedef struct lt_keyframes {
    lt_keyframe_stream streams[LT_KEYFRAME_STREAMS];
    uint64_t drops;
} lt_keyframes;

/* A packet is dropped, which makes the rest of its frame useless. Ignores audio and RTCP. */
void lt_keyframes_dropped(lt_keyframes *keyframes, const lt_packet *packet, lt_drop_reason reason);

/* References to the dropped packet are broken, and no key frame in the queue follows it. Ignores
 * packets that no other refers to. */
void lt_keyframes_want(lt_keyframes *keyframes, const lt_packet *packet);

/* True if a new packet belongs to a frame of which a part was dropped; *reason is that of the drop.
 */
bool lt_keyframes_is_remnant(const lt_keyframes *keyframes, const lt_packet *packet,
                             lt_drop_reason *reason);

/* A packet enters the queue; a key frame cancels the request for one. */
void lt_keyframes_queued(lt_keyframes *keyframes, const lt_packet *packet);

/* The stream's entry, or NULL. */
lt_keyframe_stream *lt_keyframes_find(lt_keyframes *keyframes, uint32_t ssrc);

/* A request is made now. The next one is at least a round trip later, and the interval doubles
 * while drops continue: key frames are large, and many of them keep a slow path full. */
void lt_keyframes_requested(lt_keyframe_stream *stream, livetcp_usec round_trip, livetcp_usec now);

/* Time of the next request; LIVETCP_NEVER = none. */
livetcp_usec lt_keyframes_due(const lt_keyframes *keyframes);

#endif
