/* SPDX-License-Identifier: MIT */
#include "lab/bench/shared.h"

#include "base/error.h"

#include <errno.h>
#include <sys/mman.h>

livetcp_result lt_shared_create(lt_shared **out, const lt_plan *plan, livetcp_error *error)
{
    size_t size = sizeof(lt_shared) + sizeof(lt_record) * plan->all_streams * (size_t)plan->packets;
    lt_shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *out = NULL;
    if (shared == MAP_FAILED)
        return lt_fail_errno(error, LIVETCP_ERR_NO_MEMORY, errno,
                             "no %.0f MiB of memory for the measurements; shorten the run",
                             (double)size / (1 << 20));
    shared->mapped = size;
    *out = shared;
    return LIVETCP_OK;
}

void lt_shared_destroy(lt_shared **shared)
{
    if (*shared)
        munmap(*shared, (*shared)->mapped);
    *shared = NULL;
}

livetcp_usec lt_shared_due(const lt_record *record, const lt_plan *plan, unsigned stream,
                           uint32_t index, livetcp_usec start)
{
    if (plan->greedy)
        return lt_shared_load(&record->sent);
    return start + lt_plan_due(plan, stream, plan->adaptive ? record->frame : index);
}
