/* SPDX-License-Identifier: MIT */
/* Memory that several sessions share, for what peers make them hold beyond what each may hold in
 * any case. One thread receives for all of them. */
#ifndef LT_ENGINE_MEMORY_H
#define LT_ENGINE_MEMORY_H

#include <livetcp/engine.h>

typedef struct lt_memory {
    size_t limit, used; /* bytes */
} lt_memory;

/* From now on the engine takes memory from it; it must outlive the engine. Without, the bounds of
 * each session hold alone. */
void lt_engine_share_memory(livetcp_engine *engine, lt_memory *memory);

#endif
