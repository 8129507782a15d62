/* SPDX-License-Identifier: MIT */
/*
 * Lower bound of a path's rate, from frames that are too short for a packet train: the packets of a
 * frame are written at once, on all connections together, and they are delivered within the time
 * that the platform's answers leave. A link that has become faster shows so, without probing.
 *
 * Source: packet pairs (Keshav, 1991), as in engine/rate/packet_trains.h. Deviation: the answers of
 * the platform come every few milliseconds, so that a pair gives a bound and no rate.
 */
#ifndef LT_ENGINE_RATE_FRAME_BURSTS_H
#define LT_ENGINE_RATE_FRAME_BURSTS_H

#include <livetcp/policy.h>

#define LT_FRAME_BURSTS 4

typedef struct lt_frame_bursts {
    uint64_t bytes; /* of the present burst, */
    uint64_t first; /*   and of its first write */
    livetcp_usec from_us, last_us;
    uint16_t number;                /* of the present burst, modulo 2^16 */
    uint16_t looked;                /* the burst that the last bound is of */
    double bounds[LT_FRAME_BURSTS]; /* bytes per second, of the last bursts, a ring */
    unsigned count;                 /* bursts so far that gave a bound */
    double best;                    /* the highest rate that they showed so far */
} lt_frame_bursts;

/* The place of a write in its burst. There is one for each write that is not delivered. */
typedef struct lt_burst_place {
    uint32_t behind; /* bytes of the burst from the end of its first write to the end of this one */
    uint16_t time_us; /* from the first write to this one */
    uint16_t number;
} lt_burst_place;

void lt_frame_bursts_init(lt_frame_bursts *bursts);

/* `size` bytes were written. */
lt_burst_place lt_frame_bursts_on_written(lt_frame_bursts *bursts, size_t size, livetcp_usec now);

/* That write, made at `written_us`, has been delivered by now. `base_us`: round trip without
 * queues. */
void lt_frame_bursts_on_delivered(lt_frame_bursts *bursts, const lt_burst_place *place,
                                  livetcp_usec written_us, livetcp_usec base_us, livetcp_usec now);

/* Bytes of the present burst, beyond its first write. */
size_t lt_frame_bursts_behind(const lt_frame_bursts *bursts);

/* The path has carried a burst at so many bytes per second, again and again; 0 = not known. */
double lt_frame_bursts_rate(const lt_frame_bursts *bursts);

/* The highest of these rates so far: other flows slow bursts down. 0 = not known. */
double lt_frame_bursts_best(const lt_frame_bursts *bursts);

#endif
