/* SPDX-License-Identifier: MIT */
#include "relay/report.h"

#include "lab/json.h"

#include <stdlib.h>

typedef struct listing {
    json_t *list;
    bool *failed;
} listing;

static void add_session(livetcp_session *session, const char *remote, void *user)
{
    const listing *l = user;
    const size_t size = livetcp_session_stats_json(session, NULL, 0) + 1024; /* they may grow */
    char *text = malloc(size);
    json_t *one;

    if (text)
        livetcp_session_stats_json(session, text, size);
    one = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    lt_json_put(one, "remote", lt_json_text(remote), l->failed);
    lt_json_append(l->list, one, l->failed);
}

static json_t *end_json(lt_relay_end *end, bool *failed)
{
    const lt_relay_counts *c = &end->counts;
    json_t *one = json_object(), *lost = json_object();

    lt_json_put(one, "uri", lt_json_text(end->location.text), failed);
    lt_json_put(one, "side", lt_json_text(end->index ? "out" : "in"), failed);
    lt_json_put(one, "packets_in", lt_json_count(c->packets_in), failed);
    lt_json_put(one, "bytes_in", lt_json_count(c->bytes_in), failed);
    lt_json_put(one, "packets_out", lt_json_count(c->packets_out), failed);
    lt_json_put(one, "bytes_out", lt_json_count(c->bytes_out), failed);
    for (unsigned i = 0; i < LT_RELAY_CAUSES; i++)
        lt_json_put(lost, lt_relay_cause_name((lt_relay_cause)i), lt_json_count(c->lost[i]),
                    failed);
    lt_json_put(one, "not_relayed", lost, failed);
    if (end->kind->sessions) {
        listing l = {.list = json_array(), .failed = failed};
        end->kind->sessions(end, add_session, &l);
        lt_json_put(one, "sessions_total", lt_json_count(c->sessions), failed);
        lt_json_put(one, "sessions", l.list, failed);
    }
    return one;
}

json_t *lt_relay_report_json(lt_relay_route *const *routes, unsigned count, livetcp_usec start,
                             bool *failed)
{
    json_t *root = lt_json_document("livetcp/relay/1", failed), *list = json_array();

    lt_json_put(root, "seconds", lt_json_number((double)(lt_relay_now() - start) / 1e6), failed);
    for (unsigned i = 0; i < count; i++) {
        json_t *one = json_object(), *ends = json_array();
        lt_json_put(one, "name", lt_json_text(routes[i]->name), failed);
        for (unsigned j = 0; j < routes[i]->count; j++)
            lt_json_append(ends, end_json(routes[i]->ends[j], failed), failed);
        lt_json_put(one, "ends", ends, failed);
        lt_json_append(list, one, failed);
    }
    lt_json_put(root, "routes", list, failed);
    return root;
}

void lt_relay_report_summary(lt_relay_route *const *routes, unsigned count,
                             const lt_relay_journal *journal, livetcp_usec start)
{
    const double seconds = (double)(lt_relay_now() - start) / 1e6;

    for (unsigned i = 0; i < count; i++) {
        const lt_relay_route *route = routes[i];
        uint64_t forth = route->ends[0]->counts.packets_in, back = 0, lost = 0, sessions = 0;
        for (unsigned j = 0; j < route->count; j++) {
            const lt_relay_counts *c = &route->ends[j]->counts;
            back += j ? c->packets_in : 0;
            sessions += c->sessions;
            for (unsigned k = 0; k < LT_RELAY_CAUSES; k++)
                lost += c->lost[k];
        }
        lt_relay_log(
            journal, LIVETCP_LOG_INFO, route->name,
            "relayed %llu packets from IN and %llu from OUT in %.1f s; %llu sessions; %llu "
            "packets not relayed",
            (unsigned long long)forth, (unsigned long long)back, seconds,
            (unsigned long long)sessions, (unsigned long long)lost);
        for (unsigned j = 0; lost && j < route->count; j++)
            for (unsigned k = 0; k < LT_RELAY_CAUSES; k++)
                if (route->ends[j]->counts.lost[k])
                    lt_relay_log(journal, LIVETCP_LOG_INFO, route->name, "  %s: %llu %s",
                                 route->ends[j]->location.text,
                                 (unsigned long long)route->ends[j]->counts.lost[k],
                                 lt_relay_cause_name((lt_relay_cause)k));
    }
}
