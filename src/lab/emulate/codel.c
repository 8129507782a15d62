/* SPDX-License-Identifier: MIT */
/* The pseudocode of RFC 8289 section 5, with ECN as section 3.5 permits: instead of dropping a
 * packet that supports ECN, CoDel marks and sends it. */
#include "lab/emulate/codel.h"

#include "lab/emulate/ecn.h"

#include <math.h>

/* Section 5.3. */
static livetcp_usec control_law(const lt_codel_params *params, livetcp_usec t, uint32_t count)
{
    return t + (livetcp_usec)((double)params->interval / sqrt(count));
}

/* dodequeue() of section 5.6. */
static bool take(lt_codel *codel, const lt_codel_params *params, lt_fifo *queue, livetcp_usec now,
                 lt_held *out, bool *ok_to_drop)
{
    *ok_to_drop = false;
    if (!lt_fifo_pop(queue, out)) {
        codel->above = false;
        return false;
    }
    if (out->size > codel->max_packet)
        codel->max_packet = out->size;
    if (now - out->arrival < params->target || queue->bytes <= codel->max_packet) {
        codel->above = false;
    } else if (!codel->above) {
        codel->above = true;
        codel->first_above = now + params->interval;
    } else {
        *ok_to_drop = now >= codel->first_above;
    }
    return true;
}

/* True if the packet was marked, and is sent. */
static bool mark(const lt_codel_params *params, lt_held *packet)
{
    if (!params->ecn || packet->ecn == LT_ECN_NOT_ECT)
        return false;
    packet->marked |= packet->ecn != LT_ECN_CE;
    return true;
}

static void enter_dropping(lt_codel *codel, const lt_codel_params *params, livetcp_usec now)
{
    const uint32_t delta = codel->count - codel->last_count;

    codel->dropping = true;
    /* Soon after the last dropping state, its drop rate is a good start value. */
    codel->count = delta > 1 && now - codel->drop_next < 16 * params->interval ? delta : 1;
    codel->drop_next = control_law(params, now, codel->count);
    codel->last_count = codel->count;
}

/* In the dropping state: true with a packet in *out. */
static bool go_on_dropping(lt_codel *codel, const lt_codel_params *params, lt_fifo *queue,
                           livetcp_usec now, lt_held *out, lt_fifo *dropped)
{
    bool ok_to_drop, there = true;

    while (there && now >= codel->drop_next && codel->dropping) {
        codel->count++;
        if (mark(params, out)) {
            codel->drop_next = control_law(params, codel->drop_next, codel->count);
            return true;
        }
        lt_fifo_push(dropped, out);
        there = take(codel, params, queue, now, out, &ok_to_drop);
        if (ok_to_drop)
            codel->drop_next = control_law(params, codel->drop_next, codel->count);
        else
            codel->dropping = false;
    }
    return there;
}

bool lt_codel_pull(lt_codel *codel, const lt_codel_params *params, lt_fifo *queue, livetcp_usec now,
                   lt_held *out, lt_fifo *dropped)
{
    bool ok_to_drop;
    bool there = take(codel, params, queue, now, out, &ok_to_drop);

    if (codel->dropping) {
        if (ok_to_drop)
            return go_on_dropping(codel, params, queue, now, out, dropped);
        codel->dropping = false;
    } else if (ok_to_drop) {
        if (!mark(params, out)) {
            lt_fifo_push(dropped, out);
            there = take(codel, params, queue, now, out, &ok_to_drop);
        }
        enter_dropping(codel, params, now);
    }
    return there;
}
