/* SPDX-License-Identifier: MIT */
/*
 * Groups of connections that share a route. Load balancers spread connections over routes of equal
 * cost by their ports, and a multihomed host has several routes; neither is announced. A longer
 * route must not be read as a queue, and a queue on one route says nothing about the others.
 * Therefore connections are clustered by measurements: by the round trip without queues, and by the
 * queueing delay that their packets meet.
 *
 * TCP reports its average round trip only. Each acknowledgement moves it by 1/8 of the difference
 * (RFC 6298, section 2), so that the last round trip can be computed from the movement. This is
 * exact to microseconds, while the times at which the platform is polled are exact to milliseconds.
 *
 * On a slow link a packet of 1500 bytes takes longer than one of 60. This serialization time is
 * estimated from the difference between the minimum round trips of large and small packets, and
 * subtracted. A small packet that follows a large one waits behind it, so only small packets after
 * a pause of the large ones count, the handshake's included.
 */
#ifndef LT_ENGINE_LINKS_PATH_GROUPS_H
#define LT_ENGINE_LINKS_PATH_GROUPS_H

#include "engine/links/path_sample.h"
#include "engine/links/recent_min.h"
#include "engine/links/rtt_average.h"

#include <livetcp/policy.h>

#define LT_ROUTE_TICKS 16

#define LT_GROUP_WRITES 32

typedef struct lt_group_write {
    uint64_t end; /* offset in the stream: bytes written up to its end */
    livetcp_usec at_us;
    uint32_t size;
    bool alone; /* only small packets were written on any connection for PAUSE_US before */
    bool media; /* it ended the first copy of a media packet */
} lt_group_write;

typedef struct lt_group_member {
    bool known; /* it has a group of its own; otherwise it joins the first one of its link */
    uint64_t samples;
    uint64_t acknowledged, retransmitted;
    livetcp_usec rtt_us;        /* TCP's average at the last acknowledgement */
    livetcp_usec disordered_us; /* round trips that began before this time include a loss repair */
    lt_recent_min small, large; /* by packet size */
    livetcp_usec min_small_us;  /* minimum measured, and not derived from larger packets by the time
                                   that is to follow from it; LIVETCP_NEVER = none */
    uint64_t large_samples;
    livetcp_usec floor_us;     /* last known floor; LIVETCP_NEVER = never known */
    livetcp_usec excess_us;    /* average queueing delay */
    livetcp_usec deviation_us; /* mean deviation from that average, */
    livetcp_usec jump_us;      /*   and mean difference of successive delays */
    livetcp_usec last_excess_us;
    livetcp_usec sampled_us;            /* time of the last sample */
    double segments, lost;              /* exponentially decayed counts */
    livetcp_usec ticks[LT_ROUTE_TICKS]; /* ring of minimum round trips, one per TICK_US;
                                           LIVETCP_NEVER = none */
    unsigned tick;
    livetcp_usec tick_us;
    unsigned group;
    lt_group_write writes[LT_GROUP_WRITES]; /* ring of unacknowledged writes */
    unsigned first_write, write_count;
} lt_group_member;

/* The bottleneck of one of the session's links. */
typedef struct lt_bottleneck {
    double per_byte_us;         /* serialization time of a byte */
    livetcp_usec min_small_us;  /* minimum round trip of small packets without large ones before, */
    livetcp_usec min_large_us;  /* and of large ones; LIVETCP_NEVER = none */
    livetcp_usec min_speech_us; /* of packets of speech, while there are no large ones; */
    unsigned speech_bytes;      /*   and the size of that one, */
    unsigned speech_samples;    /*   and how many there were */
    livetcp_usec free_us;       /* time at which everything written so far has passed it */
} lt_bottleneck;

typedef struct lt_path_groups {
    lt_group_member members[LIVETCP_MAX_CONNECTIONS];
    lt_bottleneck bottleneck[LIVETCP_MAX_LINKS];
    uint8_t link_of[LIVETCP_MAX_CONNECTIONS];
    livetcp_usec grouped_us, decayed_us, described_us;
    livetcp_usec large_us; /* last write of more than a small packet, on any connection */
} lt_path_groups;

void lt_path_groups_init(lt_path_groups *groups);

/* Assigns a slot without a connection to a link; initially link 0. */
void lt_path_groups_set_link(lt_path_groups *groups, unsigned slot, unsigned link);

/* The slot's connection has ended. */
void lt_path_groups_reset_slot(lt_path_groups *groups, unsigned slot);

/* `size` bytes were written to the slot; `end` = offset in its stream after them. */
void lt_path_groups_wrote(lt_path_groups *groups, unsigned slot, uint64_t end, size_t size,
                          livetcp_usec now);

/* The last write ended the first copy of a media packet. */
void lt_path_groups_wrote_media(lt_path_groups *groups, unsigned slot);

/* Time of the oldest unacknowledged write. LIVETCP_NEVER = none; INT64_MIN = unknown, since more
 * writes are unacknowledged than are remembered. */
livetcp_usec lt_path_groups_oldest_write(const lt_path_groups *groups, unsigned slot);

/* The writes that path info with `acknowledged` bytes of the stream newly acknowledges. */
lt_acknowledged lt_path_groups_acknowledged(const lt_path_groups *groups, unsigned slot,
                                            uint64_t acknowledged);

/* Takes path info; `acknowledged` = bytes of the stream. */
lt_path_sample lt_path_groups_on_path_info(lt_path_groups *groups, unsigned slot,
                                           const livetcp_path *path, uint64_t acknowledged,
                                           livetcp_usec now);

/* Clusters the `count` connections again if that is due, and fills in the group fields of their
 * paths. */
void lt_path_groups_update(lt_path_groups *groups, livetcp_path *paths, unsigned count,
                           livetcp_usec now);

/* Fills in link_free_us in the paths of all connections on the slot's link. Call it after a write
 * there, and after path info. */
void lt_path_groups_update_free(lt_path_groups *groups, livetcp_path *paths, unsigned count,
                                unsigned slot, livetcp_usec now);

#endif
