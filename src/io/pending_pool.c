/* SPDX-License-Identifier: MIT */
#include "io/pending_pool.h"

#include <stdlib.h>
#include <string.h>

/* Number of empty addresses that are remembered; the one left longest ago is forgotten first. */
#define REMEMBERED_MAX 1024

/* Share of the turns for addresses with many failures. */
#define BLAMED_SHARE 0.5

struct lt_io_pool_source {
    uint8_t key[LT_ADDRESS_KEY];
    lt_io_pool_source *next; /* next in the hash bucket */
    lt_list in_turn;         /* in a list of `turns` if members wait, else in `empty` or in none */
    lt_list in_count;        /* in a list of `by_count`; in none without members */
    lt_list members;         /* the oldest first */
    lt_list waiting;         /* the newest first */
    unsigned count;
    unsigned unproved;  /* members that had a turn and have not proved themselves */
    lt_bucket forgiven; /* failures that are still forgiven */
};

/* ---- addresses ---- */

static double turn_rate(const lt_io_pool *pool)
{
    return pool->limits.agreements;
}

static double blamed_rate(const lt_io_pool *pool)
{
    return BLAMED_SHARE * pool->limits.agreements;
}

static lt_io_pool_source *source_at(lt_list *link)
{
    return link ? LT_LIST_ELEMENT(link, lt_io_pool_source, in_turn) : NULL;
}

static lt_io_pool_source **bucket_of(lt_io_pool *pool, const uint8_t key[LT_ADDRESS_KEY])
{
    uint64_t halves[2];

    memcpy(halves, key, sizeof halves);
    uint64_t hash = pool->seed;
    for (int i = 0; i < 2; i++) {
        hash ^= halves[i];
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        hash += pool->seed;
    }
    return &pool->sources[(hash ^ hash >> 17) % LT_IO_POOL_HASH];
}

static void forget(lt_io_pool *pool, lt_io_pool_source *source)
{
    lt_io_pool_source **at = bucket_of(pool, source->key);

    while (*at != source)
        at = &(*at)->next;
    *at = source->next;
    lt_list_remove(&source->in_turn);
    lt_list_remove(&source->in_count);
    free(source);
}

static void forget_first_empty(lt_io_pool *pool)
{
    pool->empty_count--;
    forget(pool, source_at(lt_list_first(&pool->empty)));
}

static lt_io_pool_source *find(lt_io_pool *pool, const uint8_t key[LT_ADDRESS_KEY])
{
    lt_io_pool_source *source = *bucket_of(pool, key);

    while (source && memcmp(source->key, key, LT_ADDRESS_KEY) != 0)
        source = source->next;
    return source;
}

static lt_io_pool_source *make(lt_io_pool *pool, const uint8_t key[LT_ADDRESS_KEY])
{
    lt_io_pool_source **bucket = bucket_of(pool, key);
    lt_io_pool_source *source = calloc(1, sizeof *source);

    if (!source)
        return NULL;
    memcpy(source->key, key, LT_ADDRESS_KEY);
    lt_list_init(&source->in_turn);
    lt_list_init(&source->in_count);
    lt_list_init(&source->members);
    lt_list_init(&source->waiting);
    source->forgiven.tokens = LT_IO_POOL_FORGIVEN;
    source->forgiven.filled_us = 0;
    source->next = *bucket;
    *bucket = source;
    return source;
}

static double forgiven(const lt_io_pool_source *source, livetcp_usec now)
{
    return lt_bucket_level(&source->forgiven, 1, LT_IO_POOL_FORGIVEN, now);
}

static bool is_blamed(const lt_io_pool_source *source, livetcp_usec now)
{
    return forgiven(source, now) < 1;
}

/* Rank of a source with waiting members. */
static lt_io_pool_rank rank_of(const lt_io_pool_source *source, livetcp_usec now)
{
    const lt_io_pool_member *next =
        LT_LIST_ELEMENT(lt_list_first(&source->waiting), lt_io_pool_member, in_turn);

    if (is_blamed(source, now))
        return LT_IO_POOL_BLAMED;
    return forgiven(source, now) < LT_IO_POOL_FORGIVEN || source->unproved > next->had_turn
               ? LT_IO_POOL_DOUBTED
               : LT_IO_POOL_CLEAN;
}

static void take_rank(lt_io_pool *pool, lt_io_pool_source *source, livetcp_usec now)
{
    lt_list_remove(&source->in_turn);
    lt_list_insert_last(&pool->waiting[rank_of(source, now)], &source->in_turn);
}

/* Updates the member count, and the list of that count. */
static void set_count(lt_io_pool *pool, lt_io_pool_source *source, unsigned count)
{
    source->count = count;
    lt_list_remove(&source->in_count);
    if (count)
        lt_list_insert_last(&pool->by_count[count < LT_IO_POOL_MANY ? count : LT_IO_POOL_MANY],
                            &source->in_count);
}

/* The source has no members: keeps it only while it has failures. */
static void left_by_all(lt_io_pool *pool, lt_io_pool_source *source, livetcp_usec now)
{
    if (forgiven(source, now) >= LT_IO_POOL_FORGIVEN) {
        forget(pool, source);
        return;
    }
    lt_list_insert_last(&pool->empty, &source->in_turn);
    if (++pool->empty_count > REMEMBERED_MAX)
        forget_first_empty(pool);
}

/* ---- members ---- */

static lt_io_pool_member *in_pool(lt_list *link)
{
    return link ? LT_LIST_ELEMENT(link, lt_io_pool_member, in_pool) : NULL;
}

static lt_io_pool_member *oldest_of(const lt_io_pool_source *source)
{
    return LT_LIST_ELEMENT(lt_list_first(&source->members), lt_io_pool_member, in_source);
}

void lt_io_pool_init(lt_io_pool *pool, const lt_io_pool_limits *limits, uint64_t seed)
{
    memset(pool, 0, sizeof *pool);
    pool->limits = *limits;
    pool->seed = seed;
    lt_list_init(&pool->members);
    lt_list_init(&pool->empty);
    for (unsigned i = 0; i < LT_IO_POOL_RANKS; i++)
        lt_list_init(&pool->waiting[i]);
    for (unsigned i = 0; i <= LT_IO_POOL_MANY; i++)
        lt_list_init(&pool->by_count[i]);
    pool->turns.tokens = pool->blamed_turns.tokens = LT_IO_POOL_BURST;
}

void lt_io_pool_clear(lt_io_pool *pool)
{
    while (pool->empty_count)
        forget_first_empty(pool);
}

/* The source of an address that is about to get a member; NULL without memory. */
static lt_io_pool_source *take_source(lt_io_pool *pool, const lt_address *address)
{
    uint8_t key[LT_ADDRESS_KEY];
    lt_io_pool_source *source;

    lt_address_key(address, key);
    source = find(pool, key);
    if (!source)
        return make(pool, key);
    if (!source->count && !lt_list_is_empty(&source->in_turn)) {
        lt_list_remove(&source->in_turn);
        pool->empty_count--;
    }
    return source;
}

bool lt_io_pool_add(lt_io_pool *pool, lt_io_pool_member *member, const lt_address *address,
                    lt_io_pool_member **leaves)
{
    lt_io_pool_source *source = take_source(pool, address);

    *leaves = NULL;
    if (!source)
        return false;
    if (source->count >= pool->limits.per_address)
        *leaves = oldest_of(source);
    else if (pool->count >= pool->limits.total)
        *leaves = lt_io_pool_surplus(pool);
    member->source = source;
    member->had_turn = false;
    lt_list_init(&member->in_turn);
    lt_list_insert_last(&pool->members, &member->in_pool);
    lt_list_insert_last(&source->members, &member->in_source);
    set_count(pool, source, source->count + 1);
    pool->count++;
    return true;
}

bool lt_io_pool_move(lt_io_pool *pool, lt_io_pool_member *member, const lt_address *address,
                     livetcp_usec now, lt_io_pool_member **leaves)
{
    lt_io_pool_source *from = member->source, *to = take_source(pool, address);

    *leaves = NULL;
    if (!to || to == from)
        return to != NULL;
    if (to->count >= pool->limits.per_address)
        *leaves = oldest_of(to);
    member->source = to;
    lt_list_remove(&member->in_source);
    lt_list_insert_last(&to->members, &member->in_source);
    to->unproved += member->had_turn;
    from->unproved -= member->had_turn;
    set_count(pool, to, to->count + 1);
    set_count(pool, from, from->count - 1);
    if (!from->count)
        left_by_all(pool, from, now);
    return true;
}

static void stop_waiting(lt_io_pool_member *member)
{
    lt_list_remove(&member->in_turn);
    if (lt_list_is_empty(&member->source->waiting))
        lt_list_remove(&member->source->in_turn);
}

void lt_io_pool_remove(lt_io_pool *pool, lt_io_pool_member *member, bool failed, livetcp_usec now)
{
    lt_io_pool_source *source = member->source;

    if (failed)
        lt_bucket_take(&source->forgiven, 1, LT_IO_POOL_FORGIVEN, now);
    if (lt_io_pool_wants_turn(member))
        stop_waiting(member);
    lt_list_remove(&member->in_pool);
    lt_list_remove(&member->in_source);
    source->unproved -= member->had_turn;
    pool->count--;
    set_count(pool, source, source->count - 1);
    if (!source->count)
        left_by_all(pool, source, now);
}

lt_io_pool_member *lt_io_pool_oldest(const lt_io_pool *pool)
{
    return in_pool(lt_list_first(&pool->members));
}

/* The source with the most members, NULL if there are none. */
static const lt_io_pool_source *largest_of(const lt_io_pool *pool)
{
    const lt_io_pool_source *largest = NULL;

    for (unsigned i = LT_IO_POOL_MANY; i > 0 && !largest; i--) {
        const lt_list *list = &pool->by_count[i];
        for (lt_list *link = lt_list_first(list); link; link = lt_list_next(list, link)) {
            const lt_io_pool_source *source = LT_LIST_ELEMENT(link, lt_io_pool_source, in_count);
            if (!largest || source->count > largest->count)
                largest = source;
            if (i < LT_IO_POOL_MANY)
                break;
        }
    }
    return largest;
}

lt_io_pool_member *lt_io_pool_surplus(const lt_io_pool *pool)
{
    const lt_io_pool_source *largest = largest_of(pool);

    if (!largest)
        return NULL;
    return largest->count > 1 ? oldest_of(largest) : lt_io_pool_oldest(pool);
}

/* ---- turns ---- */

void lt_io_pool_want_turn(lt_io_pool *pool, lt_io_pool_member *member, livetcp_usec now)
{
    lt_io_pool_source *source = member->source;

    lt_list_insert_first(&source->waiting, &member->in_turn);
    if (lt_list_is_empty(&source->in_turn))
        take_rank(pool, source, now);
}

bool lt_io_pool_wants_turn(const lt_io_pool_member *member)
{
    return !lt_list_is_empty(&member->in_turn);
}

bool lt_io_pool_is_blamed(const lt_io_pool_member *member, livetcp_usec now)
{
    return is_blamed(member->source, now);
}

/* The first source in a rank's list whose rank is still the same; NULL if there is none. */
static lt_io_pool_source *first_of(lt_io_pool *pool, lt_io_pool_rank rank, livetcp_usec now)
{
    lt_io_pool_source *source;

    while ((source = source_at(lt_list_first(&pool->waiting[rank]))) && rank_of(source, now) > rank)
        take_rank(pool, source, now);
    return source;
}

/* The source whose turn it is, NULL if none. Clean and other sources alternate. */
static lt_io_pool_source *served(lt_io_pool *pool, livetcp_usec now)
{
    lt_io_pool_source *clean, *doubted;

    if (lt_bucket_level(&pool->turns, turn_rate(pool), LT_IO_POOL_BURST, now) < 1)
        return NULL;
    clean = first_of(pool, LT_IO_POOL_CLEAN, now);
    doubted = first_of(pool, LT_IO_POOL_DOUBTED, now);
    if (clean && (!doubted || !pool->clean_was_last)) {
        pool->clean_was_last = true;
        return clean;
    }
    pool->clean_was_last = false;
    if (doubted)
        return doubted;
    if (lt_bucket_level(&pool->blamed_turns, blamed_rate(pool), LT_IO_POOL_BURST, now) < 1)
        return NULL;
    return source_at(lt_list_first(&pool->waiting[LT_IO_POOL_BLAMED]));
}

lt_io_pool_member *lt_io_pool_next_turn(lt_io_pool *pool, livetcp_usec now)
{
    lt_io_pool_source *source = served(pool, now);

    if (!source)
        return NULL;
    lt_io_pool_member *member =
        LT_LIST_ELEMENT(lt_list_first(&source->waiting), lt_io_pool_member, in_turn);
    lt_bucket_take(&pool->turns, turn_rate(pool), LT_IO_POOL_BURST, now);
    if (is_blamed(source, now))
        lt_bucket_take(&pool->blamed_turns, blamed_rate(pool), LT_IO_POOL_BURST, now);
    source->unproved += !member->had_turn;
    member->had_turn = true;
    lt_list_remove(&member->in_turn);
    lt_list_remove(&source->in_turn);
    if (!lt_list_is_empty(&source->waiting))
        take_rank(pool, source, now);
    return member;
}

livetcp_usec lt_io_pool_turn_at(const lt_io_pool *pool)
{
    livetcp_usec turn = lt_bucket_ready_at(&pool->turns, turn_rate(pool));
    livetcp_usec blamed = lt_bucket_ready_at(&pool->blamed_turns, blamed_rate(pool));

    if (!lt_list_is_empty(&pool->waiting[LT_IO_POOL_CLEAN]) ||
        !lt_list_is_empty(&pool->waiting[LT_IO_POOL_DOUBTED]))
        return turn;
    if (lt_list_is_empty(&pool->waiting[LT_IO_POOL_BLAMED]))
        return LIVETCP_NEVER;
    return blamed > turn ? blamed : turn;
}
