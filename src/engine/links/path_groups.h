/* SPDX-License-Identifier: MIT */
/*
 * Groups of connections that share a route. Load balancers spread connections over routes of equal
 * cost by their ports, and a multihomed host has several; neither tells. A longer route must not
 * read as a queue, and a queue on one route says nothing about the others, so connections are
 * clustered by what is measured: the round trip without queues, and the queue that their packets
 * meet.
 *
 * TCP tells its average round trip only. Each acknowledgement moves it by an eighth of the
 * difference (RFC 6298, section 2), so that the movement shows the round trip that ended: exact to
 * microseconds, while polling the platform is exact to the milliseconds between polls.
 *
 * A packet of 1500 bytes takes longer than one of 60 on a thin link. The difference of the least
 * round trips of large and small packets is taken off. A small packet that follows a large one
 * waits behind it and shows nothing, so only those that follow a pause count: the handshake's among
 * them.
 */
#ifndef LT_ENGINE_LINKS_PATH_GROUPS_H
#define LT_ENGINE_LINKS_PATH_GROUPS_H

#include "engine/links/path_sample.h"
#include "engine/links/rtt_average.h"
#include "engine/links/rtt_floor.h"

#include <livetcp/policy.h>

#define LT_ROUTE_TICKS 16

#define LT_GROUP_WRITES 32

typedef struct lt_group_write {
    uint64_t end; /* of all bytes that were written */
    livetcp_usec at_us;
    uint32_t size;
    bool alone; /* nothing of ours was written for a while before */
    bool media; /* it ended a packet of the application's, for the first time */
} lt_group_write;

typedef struct lt_group_member {
    bool known; /* it has a floor; else it goes with whoever is there */
    uint64_t acknowledged, retransmitted;
    livetcp_usec rtt_us;        /* TCP's average, then */
    livetcp_usec disordered_us; /* round trips that began before were hurt by a repair */
    lt_rtt_floor small, large;  /* by size of the packet */
    bool small_known;           /* measured, not derived from large ones */
    uint64_t large_samples;
    livetcp_usec floor_us;              /* when it was last known; LIVETCP_NEVER = never */
    livetcp_usec excess_us;             /* average */
    livetcp_usec deviation_us;          /* from the average */
    livetcp_usec sampled_us;            /* the last one */
    double segments, lost;              /* lately */
    livetcp_usec ticks[LT_ROUTE_TICKS]; /* least of each, a ring; LIVETCP_NEVER = none */
    unsigned tick;
    livetcp_usec tick_us;
    unsigned group;
    lt_group_write writes[LT_GROUP_WRITES]; /* not acknowledged, a ring */
    unsigned first_write, write_count;
} lt_group_member;

/* The thinnest part of a link of the session. */
typedef struct lt_thin_part {
    double per_byte_us;          /* the time that a byte takes there */
    livetcp_usec least_small_us; /* round trips of small packets that met nothing, */
    livetcp_usec least_large_us; /*   and of large ones; LIVETCP_NEVER = none */
    livetcp_usec free_us;        /* when all that was written has left it */
} lt_thin_part;

typedef struct lt_path_groups {
    lt_group_member members[LIVETCP_MAX_CONNECTIONS];
    lt_thin_part thin[LIVETCP_MAX_LINKS];
    uint8_t link_of[LIVETCP_MAX_CONNECTIONS];
    livetcp_usec grouped_us, decayed_us, described_us;
    livetcp_usec written_us; /* the last write, on any connection */
} lt_path_groups;

void lt_path_groups_init(lt_path_groups *groups);

/* The slot, which has no connection, is on that link from now on; else it is on link 0. */
void lt_path_groups_set_link(lt_path_groups *groups, unsigned slot, unsigned link);

/* The slot's connection is gone. */
void lt_path_groups_reset_slot(lt_path_groups *groups, unsigned slot);

/* Bytes were written to the slot; `end`: of all that were. */
void lt_path_groups_wrote(lt_path_groups *groups, unsigned slot, uint64_t end, size_t size,
                          livetcp_usec now);

/* The last write ended a packet of the application's, for the first time. */
void lt_path_groups_wrote_media(lt_path_groups *groups, unsigned slot);

/* When the oldest write that is not acknowledged was made; LIVETCP_NEVER = there is none, INT64_MIN
 * = not known, since there are too many. */
livetcp_usec lt_path_groups_oldest_write(const lt_path_groups *groups, unsigned slot);

/* What path info with so many acknowledged bytes, of all that were written, acknowledges. */
lt_acknowledged lt_path_groups_acknowledged(const lt_path_groups *groups, unsigned slot,
                                            uint64_t acknowledged);

/* Takes path info; `acknowledged`: bytes, of all that were written. */
lt_path_sample lt_path_groups_on_path_info(lt_path_groups *groups, unsigned slot,
                                           const livetcp_path *path, uint64_t acknowledged,
                                           livetcp_usec now);

/* Clusters the `count` connections again if it is time, and fills in the group's part of their
 * paths. */
void lt_path_groups_update(lt_path_groups *groups, livetcp_path *paths, unsigned count,
                           livetcp_usec now);

/* Fills in when the slot's link is free, in the paths of all connections on it. To be called when
 * bytes were written there, and when path info has come. */
void lt_path_groups_update_free(lt_path_groups *groups, livetcp_path *paths, unsigned count,
                                unsigned slot, livetcp_usec now);

#endif
