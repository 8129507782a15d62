/* SPDX-License-Identifier: MIT */
/*
 * Connections that have proved nothing yet: how many may wait, from which address, and whose turn
 * it is for the key agreement that a CREATE costs, and a TLS handshake. Bounds what strangers can
 * make a listener hold and compute; knows no socket and no clock.
 *
 * - Room: `total` connections, `per_address` of one address. One more makes the oldest leave, of
 * its address or of the address that has the most: a newcomer always gets in, and has as long to
 * prove itself as the others take to push it out.
 * - Turns: `agreements` key agreements a second, by addresses in turn, so that an address that asks
 *   for thousands takes nothing from another. Within an address the newest goes first: its peer is
 *   the most likely to be waiting still. Every other turn is for a clean address, one that has no
 *   failures and no agreement that waits for its proof: of hundreds that attack, each is clean once
 *   a second at most, and a newcomer is. Addresses of which many did not prove themselves share
 * half of the turns, and come after all others.
 *
 * An address is an IPv4 address or the first 64 bits of an IPv6 address.
 */
#ifndef LT_IO_PENDING_POOL_H
#define LT_IO_PENDING_POOL_H

#include "base/bucket.h"
#include "base/list.h"
#include "platform/address.h"

/* Key agreements at once, after a quiet time. */
#define LT_IO_POOL_BURST 64

/* Failures of an address that are forgiven; one more is forgiven each second. */
#define LT_IO_POOL_FORGIVEN 20

typedef struct lt_io_pool_limits {
    unsigned total;       /* connections */
    unsigned per_address; /* of these */
    unsigned agreements;  /* a second */
} lt_io_pool_limits;

typedef struct lt_io_pool_source lt_io_pool_source;

/* Part of each connection. */
typedef struct lt_io_pool_member {
    lt_list in_pool;
    lt_list in_source;
    lt_list in_turn; /* while it waits for its turn */
    lt_io_pool_source *source;
    bool had_turn;
} lt_io_pool_member;

#define LT_IO_POOL_HASH 256

/* Sources with so many members or more are not sorted by how many. */
#define LT_IO_POOL_MANY 32

/* Of a source with members that wait. */
typedef enum lt_io_pool_rank {
    LT_IO_POOL_CLEAN,   /* no failure, and no other member that has had a turn */
    LT_IO_POOL_DOUBTED, /* less than that */
    LT_IO_POOL_BLAMED,  /* too many failures */
    LT_IO_POOL_RANKS
} lt_io_pool_rank;

typedef struct lt_io_pool {
    lt_io_pool_limits limits;
    uint64_t seed;
    lt_list members; /* the oldest first */
    unsigned count;
    lt_io_pool_source *sources[LT_IO_POOL_HASH];
    lt_list empty; /* sources without members, which are remembered for their failures */
    unsigned empty_count;
    lt_list waiting[LT_IO_POOL_RANKS]; /* sources with members that wait for a turn */
    lt_list by_count[LT_IO_POOL_MANY + 1];
    bool clean_was_last; /* to be served */
    lt_bucket turns, blamed_turns;
} lt_io_pool;

/* `seed` is secret: nobody may choose addresses that are slow to find. */
void lt_io_pool_init(lt_io_pool *pool, const lt_io_pool_limits *limits, uint64_t seed);

/* Frees what it remembers. There must be no members. */
void lt_io_pool_clear(lt_io_pool *pool);

/* Takes in a connection of that address. *leaves: the one that has to leave for it, NULL if none;
 * the caller removes it. False without memory; nothing has changed then. */
bool lt_io_pool_add(lt_io_pool *pool, lt_io_pool_member *member, const lt_address *address,
                    lt_io_pool_member **leaves);

/* Counts it as of another address from now on, which a proxy in front has named; it does not wait
 * for a turn. *leaves as in lt_io_pool_add(). False without memory; nothing has changed then. */
bool lt_io_pool_move(lt_io_pool *pool, lt_io_pool_member *member, const lt_address *address,
                     livetcp_usec now, lt_io_pool_member **leaves);

/* `failed`: it cost a key agreement and has proved nothing. */
void lt_io_pool_remove(lt_io_pool *pool, lt_io_pool_member *member, bool failed, livetcp_usec now);

/* The oldest, and the one that would have to leave for another; NULL if there are none. */
lt_io_pool_member *lt_io_pool_oldest(const lt_io_pool *pool);
lt_io_pool_member *lt_io_pool_surplus(const lt_io_pool *pool);

/* The member wants a key agreement: next_turn() returns it when it is its turn. */
void lt_io_pool_want_turn(lt_io_pool *pool, lt_io_pool_member *member, livetcp_usec now);
bool lt_io_pool_wants_turn(const lt_io_pool_member *member);

/* Many of its address did not prove themselves lately. */
bool lt_io_pool_is_blamed(const lt_io_pool_member *member, livetcp_usec now);

/* The member whose turn it is now, NULL if nobody's. */
lt_io_pool_member *lt_io_pool_next_turn(lt_io_pool *pool, livetcp_usec now);

/* When next_turn() may return one; LIVETCP_NEVER if nobody waits. */
livetcp_usec lt_io_pool_turn_at(const lt_io_pool *pool);

#endif
