/* SPDX-License-Identifier: MIT */
/*
 * Probes upwards: trains of padding that follow a frame, at a multiple of the told rate. Redundancy
 * pays for the probe, and not the encoder: it is told a higher rate only once that rate has been
 * delivered. Padding is written only when no media waits, and a train ends once a queue shows. A
 * path that carries less than the train's rate disperses it, and engine/rate/packet_trains.h shows
 * by how much; one that carries more shows no queue, and the next train is faster.
 *
 * Sources: the probe clusters of WebRTC's congestion control (three and six times the first rate,
 * and twice that of a source that is limited by its application); "Packet pairs and trains", as in
 * engine/rate/packet_trains.h.
 */
#ifndef LT_ENGINE_RATE_UPWARD_PROBE_H
#define LT_ENGINE_RATE_UPWARD_PROBE_H

#include "engine/rate/packet_trains.h"

typedef struct lt_upward_probe {
    bool wanted;            /* at the last update, */
    bool stood;             /*   and a queue had stood before */
    livetcp_usec pad_us;    /* time of a train's next packet; LIVETCP_NEVER = no train */
    livetcp_usec pause_us;  /* no train before this time */
    livetcp_usec base_us;   /* round trip without queues */
    double estimate;        /* bytes per second that the encoder is told, */
    double shown;           /*   and that packet trains show; HUGE_VAL = not known */
    livetcp_usec shown_us;  /* the last of these */
    unsigned trains;        /* number of packet trains so far */
    uint64_t retransmitted; /* segments, at the last update */
    double carried;         /* bytes per second of a train that met no queue; 0 = none did */

    struct {
        livetcp_usec begun_us; /* LIVETCP_NEVER = it waits for the end of the frame */
        double rate;           /* bytes per second */
        uint64_t size, sent;   /* bytes */
        unsigned trains;       /* as above, when it began */
        livetcp_usec queue_us; /* the longest since */
        bool asked;            /* its result has been taken, or there was no train */
    } train;                   /* the present one, or the last */
} lt_upward_probe;

typedef struct lt_upward_probe_view {
    livetcp_usec now_us;
    livetcp_usec base_us;   /* round trip without queues */
    livetcp_usec queue_us;  /* of a round trip that ended just now, LIVETCP_NEVER = none did */
    double estimate;        /* bytes per second that the encoder is told */
    uint64_t retransmitted; /* segments, ever */
    bool stood;             /* a queue has stood before */
    bool wanted;            /* the encoder uses the estimate, and no queue stands */
} lt_upward_probe_view;

void lt_upward_probe_init(lt_upward_probe *probe);

/* A packet of the application was written. */
void lt_upward_probe_on_media(lt_upward_probe *probe, livetcp_usec now);

void lt_upward_probe_update(lt_upward_probe *probe, const lt_upward_probe_view *view,
                            const lt_packet_trains *trains);

/* Bytes of padding to be written now. */
uint64_t lt_upward_probe_due(lt_upward_probe *probe, livetcp_usec now);

/* `size` bytes of it were written; 0 = no connection takes more, and the train ends. */
void lt_upward_probe_on_padding(lt_upward_probe *probe, size_t size, livetcp_usec now);

/* Bytes per second of a train that met no queue; 0 = none did. */
double lt_upward_probe_carried(const lt_upward_probe *probe);

/* True while a train is under way: path info is wanted more often. */
static inline bool lt_upward_probe_is_under_way(const lt_upward_probe *probe, livetcp_usec now)
{
    return probe->train.sent > 0 && now < probe->pause_us;
}

livetcp_usec lt_upward_probe_deadline(const lt_upward_probe *probe);

#endif
