/* SPDX-License-Identifier: MIT */
/* The link model; see link.h. */
#include "lab/emulate/link.h"

#include "base/error.h"
#include "lab/emulate/held.h"
#include "lab/emulate/transmitter.h"

#include <stdlib.h>
#include <string.h>

enum { NSEC_PER_USEC = 1000 };

struct lt_link {
    lt_link_params params;
    unsigned next_change; /* of params.changes */
    livetcp_usec epoch;   /* origin of planned times; LIVETCP_NEVER: not begun */
    lt_gilbert burst;     /* of params.loss and params.burst */
    lt_rng loss_rng; /* a generator per impairment, so that changing one leaves the draws of the
                        others unchanged */
    lt_rng jitter_rng;
    lt_rng route_rng;
    lt_gilbert_state burst_state;
    lt_gilbert_state gilbert_state;
    lt_policer policer;

    lt_queue *queue;
    lt_fifo dropped; /* dropped after acceptance, to be returned to the owner */
    lt_rate_trace *trace;
    lt_transmitter transmitter;
    bool busy; /* `sending` is in transmission */
    lt_held sending;
    int64_t tx_end; /* ns, end of the transmission */
    lt_flight flight;
    livetcp_usec last_departure[LT_MAX_ROUTES];
    uint64_t order;
    lt_link_counters counters;
};

static lt_queue_params queue_params(const lt_link_params *params)
{
    return (lt_queue_params){
        .aqm = params->aqm,
        .codel = {.target = params->aqm_target,
                  .interval = params->aqm_interval,
                  .ecn = params->ecn_classic},
        .flows = params->aqm_flows,
        .limit = params->queue,
        .l4s = params->ecn_l4s,
    };
}

/* Moves all packets of one queue into another, without a limit. */
static void move_packets(lt_link *link, lt_queue *to)
{
    lt_queue_params unlimited = queue_params(&link->params);
    lt_held held;
    unlimited.limit.unit = LT_LIMIT_NONE;
    lt_queue_change(to, &unlimited);
    while (link->queue && lt_queue_take_any(link->queue, &held))
        if (lt_queue_push(to, &held, NULL, &link->dropped) != LT_QUEUE_TAKEN)
            lt_fifo_push(&link->dropped, &held);
}

/* Switches to the discipline of the parameters. Out of memory: the old one stays. */
static bool use_queue(lt_link *link, const lt_link_params *before)
{
    const lt_queue_params params = queue_params(&link->params);
    if (link->queue && before->aqm == link->params.aqm &&
        before->aqm_flows == link->params.aqm_flows) {
        lt_queue_change(link->queue, &params);
        return true;
    }
    lt_queue *made = lt_queue_create(&params);
    if (!made)
        return false;
    move_packets(link, made);
    lt_queue_change(made, &params);
    lt_queue_destroy(&link->queue);
    link->queue = made;
    return true;
}

static livetcp_result use_trace(lt_link *link, const lt_link_params *before, livetcp_error *error)
{
    lt_rate_trace *loaded = NULL;
    if (!strcmp(before->trace, link->params.trace))
        return LIVETCP_OK;
    if (*link->params.trace) {
        livetcp_result result = lt_rate_trace_load(link->params.trace, &loaded, error);
        if (result)
            return result;
    }
    lt_rate_trace_destroy(&link->trace);
    link->trace = loaded;
    link->transmitter.trace = loaded;
    link->transmitter.opportunity = 0;
    return LIVETCP_OK;
}

/* On failure the link is unchanged. */
static livetcp_result use_params(lt_link *link, livetcp_usec now, const lt_link_params *params,
                                 livetcp_error *error)
{
    const lt_link_params before = link->params;
    link->params = *params;
    livetcp_result result = use_queue(link, &before) ? use_trace(link, &before, error)
                                                     : lt_fail(error, LIVETCP_ERR_NO_MEMORY,
                                                               "no memory for the queue of a link");
    if (result) {
        link->params = before;
        return result;
    }
    link->transmitter.rate = params->rate;
    if (before.policer.rate != params->policer.rate ||
        before.policer.burst != params->policer.burst)
        lt_policer_init(&link->policer, &params->policer, now);
    if (!lt_gilbert_from_means(params->loss, params->burst, &link->burst))
        link->burst = (lt_gilbert){0};
    return LIVETCP_OK;
}

lt_link *lt_link_create(const lt_link_params *params, uint64_t seed)
{
    if (lt_link_params_check(params, NULL))
        return NULL;
    lt_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    lt_rng seeds;
    lt_rng_seed(&seeds, seed);
    lt_rng_seed(&link->loss_rng, lt_rng_next(&seeds));
    lt_rng_seed(&link->jitter_rng, lt_rng_next(&seeds));
    lt_gilbert_init(&link->burst_state, lt_rng_next(&seeds));
    lt_gilbert_init(&link->gilbert_state, lt_rng_next(&seeds));
    lt_rng_seed(&link->route_rng, lt_rng_next(&seeds));
    for (int i = 0; i < LT_MAX_ROUTES; i++)
        link->last_departure[i] = INT64_MIN;
    link->epoch = LIVETCP_NEVER;
    if (use_params(link, 0, params, NULL))
        lt_link_destroy(&link);
    return link;
}

void lt_link_destroy(lt_link **link)
{
    if (!*link)
        return;
    lt_queue_destroy(&(*link)->queue);
    lt_fifo_clear(&(*link)->dropped);
    lt_flight_clear(&(*link)->flight);
    lt_rate_trace_destroy(&(*link)->trace);
    free(*link);
    *link = NULL;
}

/* Each process steps on every packet, also on one that another process has lost already. */
static lt_link_result draw_loss(lt_link *link)
{
    bool bursty = link->params.burst > 0;
    bool random = lt_rng_uniform(&link->loss_rng) < (bursty ? 0 : link->params.loss);
    bool burst = lt_gilbert_step(&link->burst_state, &link->burst);
    bool gilbert = lt_gilbert_step(&link->gilbert_state, &link->params.gilbert);

    if (random)
        return LT_LINK_LOST_RANDOM;
    return burst || gilbert ? LT_LINK_LOST_BURST : LT_LINK_TAKEN;
}

static livetcp_usec usec_after(int64_t nsec)
{
    return nsec / NSEC_PER_USEC + (nsec % NSEC_PER_USEC > 0);
}

static bool cut(const lt_link *link, livetcp_usec at)
{
    return link->epoch != LIVETCP_NEVER &&
           lt_outages_cover(&link->params.outages, at - link->epoch);
}

static livetcp_usec departure_of(const lt_link *link, const lt_held *held, livetcp_usec sent)
{
    const lt_routes *routes = &link->params.routes;
    livetcp_usec extra = (livetcp_usec)(held->spread * (double)link->params.jitter);
    if (held->route < routes->count)
        extra += routes->route[held->route].delay;
    livetcp_usec departure = sent + link->params.delay + extra;
    if (!link->params.reorder && departure < link->last_departure[held->route])
        departure = link->last_departure[held->route];
    return departure;
}

static void propagate(lt_link *link, lt_held *held, livetcp_usec sent)
{
    if (sent - held->arrival > link->counters.queue_max_delay)
        link->counters.queue_max_delay = sent - held->arrival;
    if (cut(link, sent)) {
        link->counters.lost_outage++;
        lt_fifo_push(&link->dropped, held);
        return;
    }
    held->departure = departure_of(link, held, sent);
    if (held->departure > link->last_departure[held->route])
        link->last_departure[held->route] = held->departure;
    lt_flight_push(&link->flight, held);
}

/* Moves the next packet of the queue to the transmitter, at `start` ns. */
static void transmit_next(lt_link *link, int64_t start, bool idle)
{
    const size_t before = link->dropped.count;
    link->busy = lt_queue_pull(link->queue, usec_after(start), &link->sending, &link->dropped);
    link->counters.dropped_aqm += link->dropped.count - before;
    if (!link->busy)
        return;
    link->counters.marked += link->sending.marked && link->sending.ecn != LT_ECN_CE;
    link->tx_end = lt_transmitter_send(&link->transmitter, start, idle, link->sending.size);
}

/* Moves packets whose transmission has ended by `now` into flight. */
static void transmit_until(lt_link *link, livetcp_usec now)
{
    while (link->busy && usec_after(link->tx_end) <= now) {
        propagate(link, &link->sending, usec_after(link->tx_end));
        transmit_next(link, link->tx_end, false);
    }
}

/* Transmits the rest of a packet at the new rate; with a trace, the whole packet. */
static void restart_sending(lt_link *link, livetcp_usec now, const lt_link_params *before)
{
    const uint64_t rate = link->params.rate;
    const int64_t now_nsec = now * NSEC_PER_USEC;
    if (!link->busy)
        return;
    if (link->trace || *before->trace) {
        link->tx_end = lt_transmitter_send(&link->transmitter, now_nsec, true, link->sending.size);
    } else if (rate != before->rate) {
        const double left = (double)(link->tx_end - now_nsec);
        link->transmitter.carry = 0;
        link->tx_end = now_nsec;
        if (rate && before->rate && left > 0)
            link->tx_end += (int64_t)(left * (double)before->rate / (double)rate);
    }
}

static livetcp_result change_params(lt_link *link, livetcp_usec now, const lt_link_params *params,
                                    livetcp_error *error)
{
    const lt_link_params before = link->params;
    livetcp_result result = use_params(link, now, params, error);
    if (result == LIVETCP_OK &&
        (before.rate != params->rate || strcmp(before.trace, params->trace)))
        restart_sending(link, now, &before);
    return result;
}

static livetcp_usec next_change(const lt_link *link)
{
    return link->epoch == LIVETCP_NEVER || link->next_change >= link->params.change_count
               ? LIVETCP_NEVER
               : link->epoch + link->params.changes[link->next_change].at;
}

/* Advances to `now`, through the planned changes until then. */
static void advance(lt_link *link, livetcp_usec now)
{
    for (livetcp_usec at; (at = next_change(link)) <= now;) {
        lt_link_params params = link->params;
        transmit_until(link, at);
        if (!lt_link_params_parse(&params, link->params.changes[link->next_change++].spec, NULL))
            change_params(link, at, &params, NULL);
        transmit_until(link, at);
    }
    transmit_until(link, now);
}

static lt_link_result enqueue(lt_link *link, livetcp_usec now, lt_held *held)
{
    lt_link_counters *counters = &link->counters;
    const lt_held *sending = link->busy ? &link->sending : NULL;
    const uint64_t packets = lt_queue_packets(link->queue) + link->busy + 1;
    const uint64_t bytes = lt_queue_bytes(link->queue) + held->size + (sending ? sending->size : 0);
    const size_t before = link->dropped.count;

    if (link->params.ecn.unit != LT_LIMIT_NONE &&
        (held->ecn == LT_ECN_ECT0 || held->ecn == LT_ECN_ECT1))
        held->marked = lt_limit_exceeded(&link->params.ecn, packets, bytes - held->size + 1);
    if (held->marked)
        held->ecn = LT_ECN_CE; /* already CE for the AQM, which counts its own marks */
    switch (lt_queue_push(link->queue, held, sending, &link->dropped)) {
    case LT_QUEUE_FULL:
        return LT_LINK_DROPPED_QUEUE;
    case LT_QUEUE_NO_MEMORY:
        return LT_LINK_DROPPED_HELD;
    case LT_QUEUE_TAKEN:
        break;
    }
    counters->dropped_queue += link->dropped.count - before;
    counters->marked += held->marked;
    if (!link->busy)
        transmit_next(link, now * NSEC_PER_USEC, true);
    if (packets > counters->queue_max_packets)
        counters->queue_max_packets = packets;
    if (bytes > counters->queue_max_bytes)
        counters->queue_max_bytes = bytes;
    return LT_LINK_TAKEN;
}

/* Draws the loss of the flow's route, for every packet, as the other processes do. */
static lt_link_result draw_route(lt_link *link, lt_held *held)
{
    const lt_routes *routes = &link->params.routes;
    const double draw = lt_rng_uniform(&link->route_rng);
    held->route = routes->count ? (uint8_t)((held->flow >> 8) % routes->count) : 0;
    return routes->count && draw < routes->route[held->route].loss ? LT_LINK_LOST_RANDOM
                                                                   : LT_LINK_TAKEN;
}

static lt_link_result admit(lt_link *link, livetcp_usec now, lt_held *held)
{
    lt_link_result result = draw_loss(link);
    held->spread = lt_rng_uniform(&link->jitter_rng);
    lt_link_result route = draw_route(link, held);
    if (cut(link, now))
        return LT_LINK_LOST_OUTAGE;
    if (result != LT_LINK_TAKEN || route != LT_LINK_TAKEN)
        return result != LT_LINK_TAKEN ? result : route;
    if (link->params.policer.rate &&
        !lt_policer_pass(&link->policer, &link->params.policer, now, held->size))
        return LT_LINK_DROPPED_POLICER;

    size_t count =
        lt_queue_packets(link->queue) + link->busy + link->flight.count + link->dropped.count + 1;
    if (count > LT_LINK_MAX_HELD || !lt_flight_reserve(&link->flight, count) ||
        !lt_fifo_reserve(&link->dropped, count))
        return LT_LINK_DROPPED_HELD;
    held->order = link->order++;
    if (lt_link_has_queue(&link->params) || link->busy)
        return enqueue(link, now, held);
    propagate(link, held, now);
    return LT_LINK_TAKEN;
}

lt_link_result lt_link_offer(lt_link *link, livetcp_usec now, const lt_link_packet *packet)
{
    lt_held held = {.packet = packet->packet,
                    .size = (uint32_t)packet->size,
                    .flow = packet->flow,
                    .ecn = (uint8_t)packet->ecn,
                    .arrival = now};
    lt_link_counters *counters = &link->counters;

    advance(link, now);
    lt_link_result result = admit(link, now, &held);
    counters->in_packets++;
    counters->in_bytes += packet->size;
    counters->lost_random += result == LT_LINK_LOST_RANDOM;
    counters->lost_burst += result == LT_LINK_LOST_BURST;
    counters->lost_outage += result == LT_LINK_LOST_OUTAGE;
    counters->dropped_policer += result == LT_LINK_DROPPED_POLICER;
    counters->dropped_queue += result == LT_LINK_DROPPED_QUEUE;
    counters->dropped_held += result == LT_LINK_DROPPED_HELD;
    return result;
}

void lt_link_begin(lt_link *link, livetcp_usec now)
{
    advance(link, now);
    link->epoch = now;
    link->next_change = 0;
    link->transmitter.origin = now;
    link->transmitter.opportunity = 0;
    if (link->trace)
        restart_sending(link, now, &link->params);
}

livetcp_usec lt_link_next(const lt_link *link)
{
    const lt_held *first = lt_flight_first(&link->flight);
    livetcp_usec next = first ? first->departure : LIVETCP_NEVER;
    if (link->busy) {
        livetcp_usec sent = usec_after(link->tx_end);
        /* Packets behind it may overtake it, but none arrives before the propagation delay. */
        livetcp_usec departure = link->params.reorder || link->params.routes.count
                                     ? sent + link->params.delay
                                     : departure_of(link, &link->sending, sent);
        const livetcp_usec change =
            next_change(link); /* after the next change packets may leave sooner */
        if (departure < next)
            next = departure;
        if (change < next)
            next = change;
    }
    return next;
}

bool lt_link_drop(lt_link *link, void **packet)
{
    lt_held held;
    if (!lt_fifo_pop(&link->dropped, &held))
        return false;
    *packet = held.packet;
    return true;
}

bool lt_link_pop(lt_link *link, livetcp_usec now, lt_link_delivery *out)
{
    advance(link, now);
    const lt_held *first = lt_flight_first(&link->flight);
    lt_held held;
    if (!first || first->departure > now || !lt_flight_pop(&link->flight, &held))
        return false;
    link->counters.out_packets++;
    link->counters.out_bytes += held.size;
    *out = (lt_link_delivery){
        .packet = held.packet,
        .size = held.size,
        .marked = held.marked,
        .arrival = held.arrival,
        .departure = held.departure,
    };
    return true;
}

bool lt_link_discard(lt_link *link, void **packet)
{
    lt_held held;
    if (lt_link_drop(link, packet))
        return true;
    if (link->busy) {
        link->busy = false;
        held = link->sending;
    } else if (!lt_flight_pop(&link->flight, &held) && !lt_queue_take_any(link->queue, &held)) {
        return false;
    }
    *packet = held.packet;
    return true;
}

livetcp_result lt_link_set(lt_link *link, livetcp_usec now, const lt_link_params *params,
                           livetcp_error *error)
{
    livetcp_result result = lt_link_params_check(params, error);
    if (result)
        return result;
    advance(link, now);
    result = change_params(link, now, params, error);
    link->next_change = 0; /* the plan may have changed */
    while (next_change(link) <= now)
        link->next_change++;
    advance(link, now);
    return result;
}

void lt_link_get_params(const lt_link *link, lt_link_params *out)
{
    *out = link->params;
}

void lt_link_get_counters(const lt_link *link, lt_link_counters *out)
{
    *out = link->counters;
    out->queue_packets = lt_queue_packets(link->queue) + link->busy;
    out->queue_bytes = lt_queue_bytes(link->queue) + (link->busy ? link->sending.size : 0);
    out->flight_packets = link->flight.count;
}
