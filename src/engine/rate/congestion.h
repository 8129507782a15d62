/* SPDX-License-Identifier: MIT */
/*
 * The congestion control of a whole session: how many bytes all its connections together may have
 * in flight, so that the queue at the bottleneck stays short for any number of connections and any
 * congestion control of theirs. Packets beyond that wait in the send queue, where they can still be
 * dropped. docs/adr/0015 compares the candidate algorithms.
 */
#ifndef LT_ENGINE_RATE_CONGESTION_H
#define LT_ENGINE_RATE_CONGESTION_H

#include "engine/rate/competition.h"
#include "engine/rate/delay_history.h"
#include "engine/rate/let_through.h"
#include "engine/rate/max_rate.h"
#include "engine/rate/narrow_window.h"
#include "engine/rate/own_overflow.h"
#include "engine/rate/pacer.h"
#include "engine/rate/packet_trains.h"
#include "engine/rate/path_rate.h"
#include "engine/rate/queue_floor.h"
#include "engine/rate/queue_marks.h"
#include "engine/rate/route_change.h"
#include "engine/rate/short_buffer.h"
#include "engine/rate/silence.h"
#include "engine/rate/vain_periods.h"
#include "engine/rate/window_opening.h"
#include "engine/rate/window_push.h"

typedef enum lt_regime {
    LT_REGIME_OPEN = 0, /* no queue has been seen of late: no limit */
    LT_REGIME_ALONE,    /* the queue is ours, and is kept short */
    LT_REGIME_COMPETING /* others fill the queue whatever we do: a share of one flow */
} lt_regime;

typedef struct lt_congestion {
    lt_regime regime;
    uint64_t window; /* bytes; UINT64_MAX = no limit */

    lt_path_rate path; /* what the path lets through while a queue stands */
    double opening;    /* bytes per second that TCP's windows let through while they open,
                          and packets wait for that alone; 0 = they do not */

    lt_max_rate max_rate;       /* delivered, or shown by trains */
    livetcp_usec base_us;       /* round trip without queues of ours */
    livetcp_usec full_since_us; /* every sample since met a queue; NEVER = the last did not */
    livetcp_usec met_us;        /* the last sample */
    livetcp_usec share_us; /* the limit is the share that a session had beside others until then;
                              LIVETCP_NEVER = it is not */

    livetcp_usec set_us;    /* when the window was last set alone, */
    livetcp_usec looked_us; /*   and last looked at, */
    livetcp_usec fitted_us; /*   and when the source last sent no more than gets through */
    livetcp_usec excess_us; /* when more was last in flight than our own queue needs */
    livetcp_usec drained_us, drain_until_us; /* the last drain began and ends */

    bool told;              /* the peer tells of delays and trains, at the last sample, */
    bool back_room;         /*   and nothing is lost: acknowledgements may wait for long */
    uint64_t retransmitted; /* segments, at the last sample, */
    livetcp_usec lost_us;   /*   and when that last grew */

    bool overloads;         /* the source offers far more than the path has carried; */
    bool lasts;             /*   it has offered more for a while, over several connections */
    livetcp_usec begun_us;  /* first sample; INT64_MIN = none yet */
    livetcp_usec heeded_us; /* when the source last followed, or may have */
    lt_route_change route;
    lt_window_push push;
    lt_let_through let;
    lt_own_overflow overflow;
    lt_short_buffer short_buffer;
    lt_narrow_window narrow;
    lt_queue_marks marks;
    lt_window_opening window_opening;
    lt_silence silence;
    lt_vain_periods vain;
    lt_pacer pacer; /* beside others */
    lt_delay_history history;
    lt_packet_trains trains;
    lt_competition competition;
    lt_queue_floor others_floor; /* of the queue beside others */
} lt_congestion;

void lt_congestion_init(lt_congestion *congestion);

void lt_congestion_update(lt_congestion *congestion, const lt_congestion_sample *sample);

/* True if the path has capacity for copies and parity: a recent packet met almost no queue, and no
 * overload lasts. */
bool lt_congestion_has_room(const lt_congestion *congestion);

/* True if a queue has stood, or a train has shown what the path carries, and that counts still. */
bool lt_congestion_has_shown(const lt_congestion *congestion, livetcp_usec now);

/* Bytes that the path held without a queue at the rate at which one last stood; 0 = none did. */
uint64_t lt_congestion_held(const lt_congestion *congestion);

/* True if a window of a few segments carries a small part of what the path does, for a while. */
bool lt_congestion_is_narrow(const lt_congestion *congestion);

/* True if no segment was lost for a while. */
bool lt_congestion_is_lossless(const lt_congestion *congestion, livetcp_usec now);

/* When bytes were last delivered, or none were under way. */
livetcp_usec lt_congestion_progress(const lt_congestion *congestion);

/* True if the session took a share, the others have left, and nothing has stood since: neither that
 * share nor packet trains tell what the path carries now. */
bool lt_congestion_is_freed(const lt_congestion *congestion, livetcp_usec now);

/* The rate at which a queue stood says nothing about the path any more: no limit until the next
 * one, and the packet trains of that time are forgotten. */
void lt_congestion_begin_again(lt_congestion *congestion, livetcp_usec now);

/* True while others make the path lose many packets, whatever this session sends, and its media
 * does not wait. */
bool lt_congestion_is_overrun(const lt_congestion *congestion);

/* Lower bound of the bottleneck's rate in bytes per second: recently delivered, or shown before; 0
 * = not known. */
double lt_congestion_rate(const lt_congestion *congestion, livetcp_usec now);

/* The maximum rate that the path has recently carried for this session, bytes per second. */
double lt_congestion_max_carried(const lt_congestion *congestion);

/* The most that an encoder can be told, bytes per second: what the window lets through without a
 * queue, as all else would wait in the send queue. HUGE_VAL = no limit. Only on a path with losses:
 * trains show the rate of the link there, of which another flow may have a part. */
double lt_congestion_admitted(const lt_congestion *congestion, livetcp_usec now);

/* True if the standing queue is in the network. Otherwise packets wait for the connections'
 * windows, or no queue has stood. */
bool lt_congestion_is_path(const lt_congestion *congestion);

#endif
