/* SPDX-License-Identifier: MIT */
/*
 * Connections that are not authenticated yet: how many may wait, from which address, and in which
 * order they get the key agreement that a CREATE or a TLS handshake costs. Bounds the memory and
 * computing time that strangers can cause; knows no socket and no clock.
 *
 * - Room: `total` connections, `per_address` for one address. A further one evicts the oldest
 *   connection of its address, or of the address with the most: a newcomer always gets in, and has
 * as long to authenticate as it takes the others to evict it.
 * - Turns: `agreements` key agreements a second, round robin over addresses, so that an address
 *   with thousands of requests takes nothing from another. Within an address the newest goes first:
 *   its peer is the most likely to be waiting still. Every other turn is for a clean address, one
 *   without failures and without an agreement that still waits for its PROOF: of hundreds of
 *   attacking addresses each is clean once a second at most, and a newcomer is clean. Addresses
 * with many failures share half of the turns and come after all others.
 *
 * An address is an IPv4 address or the first 64 bits of an IPv6 address.
 */
#ifndef LT_IO_PENDING_POOL_H
#define LT_IO_PENDING_POOL_H

#include "base/bucket.h"
#include "base/list.h"
#include "platform/address.h"

/* Key agreements that may follow each other at once, after a quiet time. */
#define LT_IO_POOL_BURST 64

/* Failures of an address that are forgiven; one more each second. */
#define LT_IO_POOL_FORGIVEN 20

typedef struct lt_io_pool_limits {
    unsigned total;       /* maximum number of connections */
    unsigned per_address; /* maximum number from one address */
    unsigned agreements;  /* per second */
} lt_io_pool_limits;

typedef struct lt_io_pool_source lt_io_pool_source;

/* Embedded in each connection. */
typedef struct lt_io_pool_member {
    lt_list in_pool;
    lt_list in_source;
    lt_list in_turn; /* while it waits for a turn */
    lt_io_pool_source *source;
    bool had_turn;
} lt_io_pool_member;

#define LT_IO_POOL_HASH 256

/* Sources with this many members or more are not sorted by their number. */
#define LT_IO_POOL_MANY 32

/* Rank of a source with waiting members. */
typedef enum lt_io_pool_rank {
    LT_IO_POOL_CLEAN,   /* no failures, and no other member that had a turn */
    LT_IO_POOL_DOUBTED, /* neither clean nor blamed */
    LT_IO_POOL_BLAMED,  /* too many failures */
    LT_IO_POOL_RANKS
} lt_io_pool_rank;

typedef struct lt_io_pool {
    lt_io_pool_limits limits;
    uint64_t seed;
    lt_list members; /* the oldest first */
    unsigned count;
    lt_io_pool_source *sources[LT_IO_POOL_HASH];
    lt_list empty; /* sources without members, remembered for their failures */
    unsigned empty_count;
    lt_list waiting[LT_IO_POOL_RANKS]; /* sources with waiting members, by rank */
    lt_list by_count[LT_IO_POOL_MANY + 1];
    bool clean_was_last; /* the last turn went to a clean source */
    lt_bucket turns, blamed_turns;
} lt_io_pool;

/* `seed` is the secret key of the hash table: an attacker must not choose addresses that
 * collide. */
void lt_io_pool_init(lt_io_pool *pool, const lt_io_pool_limits *limits, uint64_t seed);

/* Frees remembered sources. There must be no members. */
void lt_io_pool_clear(lt_io_pool *pool);

/* Adds a connection of that address. *leaves: the member that is evicted for it, which the caller
 * removes; NULL = none. False without memory: nothing has changed. */
bool lt_io_pool_add(lt_io_pool *pool, lt_io_pool_member *member, const lt_address *address,
                    lt_io_pool_member **leaves);

/* Accounts the member to another address, which a proxy in front has stated; it must not be waiting
 * for a turn. *leaves as in lt_io_pool_add(). False without memory: nothing has changed. */
bool lt_io_pool_move(lt_io_pool *pool, lt_io_pool_member *member, const lt_address *address,
                     livetcp_usec now, lt_io_pool_member **leaves);

/* `failed`: the member had a key agreement and did not authenticate. */
void lt_io_pool_remove(lt_io_pool *pool, lt_io_pool_member *member, bool failed, livetcp_usec now);

/* The oldest member, and the one that is evicted next; NULL if there are none. */
lt_io_pool_member *lt_io_pool_oldest(const lt_io_pool *pool);
lt_io_pool_member *lt_io_pool_surplus(const lt_io_pool *pool);

/* The member needs a key agreement: next_turn() returns it when its turn comes. */
void lt_io_pool_want_turn(lt_io_pool *pool, lt_io_pool_member *member, livetcp_usec now);
bool lt_io_pool_wants_turn(const lt_io_pool_member *member);

/* True if many connections of its address failed to authenticate lately. */
bool lt_io_pool_is_blamed(const lt_io_pool_member *member, livetcp_usec now);

/* The member whose turn it is; NULL if none. */
lt_io_pool_member *lt_io_pool_next_turn(lt_io_pool *pool, livetcp_usec now);

/* Earliest time at which next_turn() returns a member; LIVETCP_NEVER if none waits. */
livetcp_usec lt_io_pool_turn_at(const lt_io_pool *pool);

#endif
