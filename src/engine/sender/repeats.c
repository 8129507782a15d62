/* SPDX-License-Identifier: MIT */
#include "engine/sender/repeats.h"

#include <string.h>

static int find(const lt_repeats *repeats, uint32_t ssrc)
{
    for (unsigned i = 0; i < repeats->count; i++)
        if (repeats->streams[i].ssrc == ssrc)
            return (int)i;
    return -1;
}

/* Replaces the oldest entry. */
static lt_repeating *begin(lt_repeats *repeats, uint32_t ssrc)
{
    lt_repeating *stream = &repeats->streams[repeats->next];

    repeats->next = (repeats->next + 1) % LT_REPEATING_MAX;
    if (repeats->count < LT_REPEATING_MAX)
        repeats->count++;
    *stream = (lt_repeating){.ssrc = ssrc};
    return stream;
}

void lt_repeats_placed(lt_repeats *repeats, const lt_packet *packet, uint32_t connections)
{
    int found = packet->rtcp ? -1 : find(repeats, packet->ssrc);
    lt_repeating *stream = found >= 0 ? &repeats->streams[found] : NULL;

    if (!stream && packet->repeats)
        stream = begin(repeats, packet->ssrc);
    if (!stream)
        return;
    memmove(stream->carriers + 1, stream->carriers,
            (LT_REPEATS_MAX - 1) * sizeof *stream->carriers);
    stream->carriers[0] = connections;
}

uint32_t lt_repeats_carriers(const lt_repeats *repeats, const lt_packet *packet)
{
    int found = find(repeats, packet->ssrc);
    uint32_t carriers = 0;

    for (unsigned i = 0; found >= 0 && i < packet->repeats; i++)
        carriers |= repeats->streams[found].carriers[i];
    return carriers;
}
