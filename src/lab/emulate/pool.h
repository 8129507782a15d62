/* SPDX-License-Identifier: MIT */
/* Packet buffers of one size, without malloc() once the pool has grown. */
#ifndef LT_LAB_EMULATE_POOL_H
#define LT_LAB_EMULATE_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef struct lt_pool_chunk lt_pool_chunk;

typedef struct lt_pool {
    size_t slot; /* bytes, a multiple of the pointer size */
    void *free;  /* linked list through the free slots */
    lt_pool_chunk *chunks;
} lt_pool;

void lt_pool_init(lt_pool *pool, size_t slot);
uint8_t *lt_pool_take(lt_pool *pool); /* NULL: out of memory */
void lt_pool_give(lt_pool *pool, void *slot);
void lt_pool_clear(lt_pool *pool); /* frees all slots, in use or not */

#endif
