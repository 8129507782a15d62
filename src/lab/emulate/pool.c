/* SPDX-License-Identifier: MIT */
#include "lab/emulate/pool.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_PER_CHUNK = 512 };

struct lt_pool_chunk {
    lt_pool_chunk *next;
};

void lt_pool_init(lt_pool *pool, size_t slot)
{
    const size_t align = sizeof(max_align_t);
    *pool = (lt_pool){.slot = (slot + align - 1) / align * align};
}

static _Bool grow(lt_pool *pool)
{
    const size_t header = sizeof(max_align_t);
    const size_t size = header + pool->slot * SLOTS_PER_CHUNK;
    lt_pool_chunk *chunk = malloc(size);
    if (!chunk)
        return 0;
    memset(chunk, 0, size); /* takes the page faults here, not per packet */
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    for (size_t i = SLOTS_PER_CHUNK; i-- > 0;)
        lt_pool_give(pool, (uint8_t *)chunk + header + i * pool->slot);
    return 1;
}

uint8_t *lt_pool_take(lt_pool *pool)
{
    if (!pool->free && !grow(pool))
        return NULL;
    void *slot = pool->free;
    memcpy(&pool->free, slot, sizeof pool->free);
    return slot;
}

void lt_pool_give(lt_pool *pool, void *slot)
{
    memcpy(slot, &pool->free, sizeof pool->free);
    pool->free = slot;
}

void lt_pool_clear(lt_pool *pool)
{
    for (lt_pool_chunk *chunk = pool->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *pool = (lt_pool){.slot = pool->slot};
}
