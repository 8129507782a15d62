/* SPDX-License-Identifier: MIT */
/* Memory shared by all sessions of a listener, for data that peers cause beyond the fixed bounds of
 * each session. Used by one thread. */
#ifndef LT_ENGINE_MEMORY_H
#define LT_ENGINE_MEMORY_H

#include <livetcp/engine.h>

typedef struct lt_memory {
    size_t limit, used; /* bytes */
} lt_memory;

/* The engine accounts such data here from now on; `memory` must outlive it. Without it, only the
 * bounds of each session apply. */
void lt_engine_share_memory(livetcp_engine *engine, lt_memory *memory);

#endif
