/* SPDX-License-Identifier: MIT */
#include "tool/probe/clock_sync.h"

#include "base/error.h"
#include "tool/probe/clock.h"
#include "tool/probe/interrupt.h"

#define PINGS         8
#define ANSWER_WITHIN (5 * LIVETCP_USEC_SEC)
#define DRIFT_AFTER   (60 * LIVETCP_USEC_SEC) /* before, jitter would look like drift */

/* A ping as good as the best, give or take what the ends themselves need. */
#define AS_GOOD(rtt, least) ((rtt) <= (least) + (least) / 20 + 200)

void lt_clock_sync_take(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec came,
                        livetcp_usec peer_came, livetcp_usec peer_sent)
{
    livetcp_usec rtt = came - sent - (peer_sent - peer_came);

    if (rtt < 0)
        rtt = 0;
    if (sync->known && !AS_GOOD(rtt, sync->least_rtt))
        return;
    sync->offset = (peer_came - sent + peer_sent - came) / 2;
    sync->at = came;
    if (!sync->known || rtt < sync->least_rtt)
        sync->least_rtt = rtt;
    if (!sync->known) {
        sync->first_offset = sync->offset;
        sync->first_at = sync->at;
    }
    sync->known = true;
}

double lt_clock_sync_drift(const lt_clock_sync *sync)
{
    livetcp_usec span = sync->at - sync->first_at;

    return span < DRIFT_AFTER ? 0 : (double)(sync->offset - sync->first_offset) / (double)span;
}

livetcp_usec lt_clock_sync_ours(const lt_clock_sync *sync, livetcp_usec peers)
{
    livetcp_usec ours = peers - sync->offset;

    return ours - (livetcp_usec)(lt_clock_sync_drift(sync) * (double)(ours - sync->at));
}

/* The answer to what was sent at `sent`; other messages, which are late reports, are passed over.
 */
static livetcp_result await_pong(lt_probe_connection *c, livetcp_usec sent,
                                 const lt_wire_message **pong, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    *pong = NULL;
    while (result == LIVETCP_OK && !lt_probe_interrupted()) {
        if ((result = lt_connection_write(c, error)) == LIVETCP_OK)
            result = lt_connection_read(c, pong, error);
        if (*pong && (*pong)->type == LT_WIRE_PONG && (*pong)->a == (uint64_t)sent)
            return LIVETCP_OK;
        if (*pong)
            continue;
        if (result == LIVETCP_OK && lt_probe_now() >= sent + ANSWER_WITHIN)
            return lt_fail(error, LIVETCP_ERR_PEER_TIMEOUT,
                           c->heard ? "%s has not answered for 5 s"
                                    : "%s takes connections and does not answer: is livetcp probe "
                                      "--listen what runs there?",
                           c->peer);
        lt_connection_wait(c, sent + ANSWER_WITHIN);
    }
    *pong = NULL;
    return result;
}

livetcp_result lt_clock_sync_round(lt_clock_sync *sync, lt_probe_connection *connection,
                                   livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    for (int i = 0; result == LIVETCP_OK && i < PINGS && !lt_probe_interrupted(); i++) {
        const lt_wire_message *pong;
        livetcp_usec sent = lt_probe_now();
        lt_connection_put(
            connection,
            &(lt_wire_message){.type = LT_WIRE_PING, .length = LT_WIRE_HEAD, .a = (uint64_t)sent},
            false);
        result = await_pong(connection, sent, &pong, error);
        if (result == LIVETCP_OK && pong)
            lt_clock_sync_take(sync, sent, lt_probe_now(), (livetcp_usec)pong->b,
                               (livetcp_usec)pong->c);
    }
    return result;
}
