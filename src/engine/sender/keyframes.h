/* SPDX-License-Identifier: MIT */
/* Which streams need a fresh key frame because packets of theirs were dropped, and when to ask. */
#ifndef LT_ENGINE_SENDER_KEYFRAMES_H
#define LT_ENGINE_SENDER_KEYFRAMES_H

#include "engine/packet.h"

/* Maximum number of streams; the one that was touched longest ago is replaced. A stream that is
 * forgotten is asked for again at its next drop. */
#define LT_KEYFRAME_STREAMS 16

/* Why packets are dropped. */
typedef enum lt_drop_reason { LT_DROP_LATE, LT_DROP_QUEUE_FULL } lt_drop_reason;

typedef struct lt_keyframe_stream {
    bool used;
    uint32_t ssrc;
    uint64_t touched;           /* number of the drop that touched it last */
    bool wanted;                /* references are broken, and no key frame followed */
    livetcp_usec asked_us;      /* when it was last asked for; INT64_MIN = never */
    livetcp_usec interval_us;   /* between that and the next time */
    livetcp_usec not_before_us; /* when it may be asked for */
    bool broken;                /* a frame is incomplete: */
    lt_drop_reason reason;      /*   why, */
    uint32_t timestamp;         /*   which, */
    livetcp_importance lost;    /*   importance of the lost packet, */
    livetcp_usec lost_us;       /*   and when that was enqueued */
    bool key_behind;            /* scratch, for a walk of the queue from its end */
} lt_keyframe_stream;

typedef struct lt_keyframes {
    lt_keyframe_stream streams[LT_KEYFRAME_STREAMS];
    uint64_t drops;
} lt_keyframes;

/* A packet is dropped: the rest of the same frame is useless from now on. Does nothing for audio
 * and RTCP. */
void lt_keyframes_dropped(lt_keyframes *keyframes, const lt_packet *packet, lt_drop_reason reason);

/* Later packets refer to that packet, which was dropped, and no key frame waits behind it. Nothing
 * for packets that none refers to. */
void lt_keyframes_want(lt_keyframes *keyframes, const lt_packet *packet);

/* True if this packet, just handed over, is the rest of a frame that was dropped; *reason is the
 * reason. */
bool lt_keyframes_is_remnant(const lt_keyframes *keyframes, const lt_packet *packet,
                             lt_drop_reason *reason);

/* A packet enters the queue: a key frame ends the request for one. */
void lt_keyframes_queued(lt_keyframes *keyframes, const lt_packet *packet);

/* The stream's record, or NULL. */
lt_keyframe_stream *lt_keyframes_find(lt_keyframes *keyframes, uint32_t ssrc);

/* One is asked for now. The next time is a round trip away, and longer while drops go on: key
 * frames are large, and requests for many of them keep a slow path full. */
void lt_keyframes_asked(lt_keyframe_stream *stream, livetcp_usec round_trip, livetcp_usec now);

/* When one may be asked for; LIVETCP_NEVER if none is wanted. */
livetcp_usec lt_keyframes_due(const lt_keyframes *keyframes);

#endif
