/* SPDX-License-Identifier: MIT */
/* Packets that repeat the frames of those before them go elsewhere than these: behind the same loss
 * a frame comes no sooner the second time (Zhang et al., section 4.2). */
#include "engine/session_internal.h"

#include <string.h>

static lt_repeating *find(livetcp_engine *session, uint32_t ssrc)
{
    for (unsigned i = 0; i < session->repeating_count; i++)
        if (session->repeating[i].ssrc == ssrc)
            return &session->repeating[i];
    return NULL;
}

/* Takes the place of the one begun first when there is no other. */
static lt_repeating *begin(livetcp_engine *session, uint32_t ssrc)
{
    lt_repeating *stream = &session->repeating[session->repeating_next];

    session->repeating_next = (session->repeating_next + 1) % LT_REPEATING_MAX;
    if (session->repeating_count < LT_REPEATING_MAX)
        session->repeating_count++;
    *stream = (lt_repeating){.ssrc = ssrc};
    return stream;
}

void lt_session_repeat_placed(livetcp_engine *session, const lt_packet *packet,
                              uint32_t connections)
{
    lt_repeating *stream = packet->rtcp ? NULL : find(session, packet->ssrc);

    if (!stream && packet->repeats)
        stream = begin(session, packet->ssrc);
    if (!stream)
        return;
    memmove(stream->carriers + 1, stream->carriers,
            (LT_REPEATS_MAX - 1) * sizeof *stream->carriers);
    stream->carriers[0] = connections;
}

bool lt_session_hide_repeated(livetcp_engine *session, const lt_packet *packet)
{
    const lt_repeating *stream = packet->repeats ? find(session, packet->ssrc) : NULL;
    uint32_t carriers = 0, ready = lt_session_ready_paths(session);

    if (!stream)
        return false;
    for (unsigned i = 0; i < packet->repeats; i++)
        carriers |= stream->carriers[i];
    if (!(ready & carriers) || !(ready & ~carriers))
        return false;
    for (unsigned i = 0; i < session->count; i++)
        if (carriers & UINT32_C(1) << i)
            session->paths[i].ready = false;
    return true;
}
