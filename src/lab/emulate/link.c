/* SPDX-License-Identifier: MIT */
/* The link model; see link.h. The transmitter's clock runs in nanoseconds with the remainder of
 * each division carried to the next packet, so that n packets take n * size * 8 / rate exactly. */
#include "lab/emulate/link.h"

#include "lab/emulate/held.h"

#include <stdlib.h>

enum { NSEC_PER_USEC = 1000 };
#define NSEC_PER_SEC UINT64_C(1000000000)

struct lt_link {
    lt_link_params params;
    lt_gilbert burst; /* of params.loss and params.burst */
    lt_rng loss_rng;  /* a generator each: a change of one impairment leaves the others' draws */
    lt_rng jitter_rng;
    lt_gilbert_state burst_state;
    lt_gilbert_state gilbert_state;

    lt_fifo queue;     /* its head is being transmitted */
    int64_t tx_end;    /* ns, when the head is transmitted; valid while the queue is not empty */
    uint64_t tx_carry; /* numerator, over rate, of what tx_end is short of */
    lt_flight flight;
    livetcp_usec last_departure;
    uint64_t order;
    lt_link_counters counters;
};

static void use_params(lt_link *link, const lt_link_params *params)
{
    link->params = *params;
    if (!lt_gilbert_from_means(params->loss, params->burst, &link->burst))
        link->burst = (lt_gilbert){0};
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
    link->last_departure = INT64_MIN;
    use_params(link, params);
    return link;
}

void lt_link_destroy(lt_link **link)
{
    if (!*link)
        return;
    lt_fifo_clear(&(*link)->queue);
    lt_flight_clear(&(*link)->flight);
    free(*link);
    *link = NULL;
}

/* Every process steps on every packet, also when an earlier one has already lost it. */
static lt_link_verdict draw_loss(lt_link *link)
{
    bool bursty = link->params.burst > 0;
    bool random = lt_rng_uniform(&link->loss_rng) < (bursty ? 0 : link->params.loss);
    bool burst = lt_gilbert_step(&link->burst_state, &link->burst);
    bool gilbert = lt_gilbert_step(&link->gilbert_state, &link->params.gilbert);

    if (random)
        return LT_LINK_LOST_RANDOM;
    return burst || gilbert ? LT_LINK_LOST_BURST : LT_LINK_TAKEN;
}

/* Would `limit` be exceeded by `packets` and `bytes`? */
static bool exceeds(const lt_limit *limit, uint64_t packets, uint64_t bytes)
{
    switch (limit->unit) {
    case LT_LIMIT_PACKETS:
        return packets > limit->value;
    case LT_LIMIT_BYTES:
        return bytes > limit->value;
    default:
        return false;
    }
}

static livetcp_usec usec_after(int64_t nsec)
{
    return nsec / NSEC_PER_USEC + (nsec % NSEC_PER_USEC > 0);
}

static livetcp_usec departure_of(const lt_link *link, const lt_held *held, livetcp_usec sent)
{
    livetcp_usec extra = (livetcp_usec)(held->spread * (double)link->params.jitter);
    livetcp_usec departure = sent + link->params.delay + extra;
    if (!link->params.reorder && departure < link->last_departure)
        departure = link->last_departure;
    return departure;
}

static void propagate(lt_link *link, lt_held *held, livetcp_usec sent)
{
    held->departure = departure_of(link, held, sent);
    if (held->departure > link->last_departure)
        link->last_departure = held->departure;
    if (sent - held->arrival > link->counters.queue_max_delay)
        link->counters.queue_max_delay = sent - held->arrival;
    lt_flight_push(&link->flight, held);
}

/* Puts the head of the queue on the wire at `start` ns. */
static void transmit_head(lt_link *link, int64_t start)
{
    const lt_held *head = lt_fifo_head(&link->queue);
    if (!head)
        return;
    if (!link->params.rate) {
        link->tx_end = start;
        return;
    }
    uint64_t work = (uint64_t)head->size * 8 * NSEC_PER_SEC + link->tx_carry;
    link->tx_end = start + (int64_t)(work / link->params.rate);
    link->tx_carry = work % link->params.rate;
}

/* Everything the transmitter has finished by `now` goes into flight. */
static void advance(lt_link *link, livetcp_usec now)
{
    lt_held held;
    while (lt_fifo_head(&link->queue) && usec_after(link->tx_end) <= now) {
        lt_fifo_pop(&link->queue, &held);
        propagate(link, &held, usec_after(link->tx_end));
        transmit_head(link, link->tx_end);
    }
}

static lt_link_verdict enqueue(lt_link *link, livetcp_usec now, lt_held *held, lt_ecn ecn)
{
    lt_link_counters *counters = &link->counters;
    bool idle = !link->queue.count;
    uint64_t packets = link->queue.count + 1;
    uint64_t bytes = link->queue.bytes + held->size;

    if (exceeds(&link->params.queue, packets, bytes))
        return LT_LINK_DROPPED_QUEUE;
    if (link->params.ecn.unit != LT_LIMIT_NONE && (ecn == LT_ECN_ECT0 || ecn == LT_ECN_ECT1))
        held->marked = exceeds(&link->params.ecn, packets, bytes - held->size + 1);
    if (!lt_fifo_push(&link->queue, held))
        return LT_LINK_DROPPED_HELD;
    if (idle) {
        link->tx_carry = 0;
        transmit_head(link, now * NSEC_PER_USEC);
    }
    counters->marked += held->marked;
    if (packets > counters->queue_max_packets)
        counters->queue_max_packets = packets;
    if (bytes > counters->queue_max_bytes)
        counters->queue_max_bytes = bytes;
    return LT_LINK_TAKEN;
}

static lt_link_verdict admit(lt_link *link, livetcp_usec now, lt_held *held, lt_ecn ecn)
{
    lt_link_verdict verdict = draw_loss(link);
    held->spread = lt_rng_uniform(&link->jitter_rng);
    if (verdict != LT_LINK_TAKEN)
        return verdict;

    size_t count = link->queue.count + link->flight.count + 1;
    if (count > LT_LINK_MAX_HELD || !lt_flight_reserve(&link->flight, count))
        return LT_LINK_DROPPED_HELD;
    held->order = link->order++;
    if (link->params.rate)
        return enqueue(link, now, held, ecn);
    propagate(link, held, now);
    return LT_LINK_TAKEN;
}

lt_link_verdict lt_link_push(lt_link *link, livetcp_usec now, void *packet, size_t size, lt_ecn ecn)
{
    lt_held held = {.packet = packet, .size = (uint32_t)size, .arrival = now};
    lt_link_counters *counters = &link->counters;

    advance(link, now);
    lt_link_verdict verdict = admit(link, now, &held, ecn);
    counters->in_packets++;
    counters->in_bytes += size;
    counters->lost_random += verdict == LT_LINK_LOST_RANDOM;
    counters->lost_burst += verdict == LT_LINK_LOST_BURST;
    counters->dropped_queue += verdict == LT_LINK_DROPPED_QUEUE;
    counters->dropped_held += verdict == LT_LINK_DROPPED_HELD;
    return verdict;
}

livetcp_usec lt_link_next(const lt_link *link)
{
    const lt_held *first = lt_flight_first(&link->flight);
    const lt_held *head = lt_fifo_head(&link->queue);
    livetcp_usec next = first ? first->departure : LIVETCP_NEVER;
    if (head) {
        livetcp_usec sent = usec_after(link->tx_end);
        /* A packet behind the head may overtake it, but not its propagation delay. */
        livetcp_usec departure =
            link->params.reorder ? sent + link->params.delay : departure_of(link, head, sent);
        if (departure < next)
            next = departure;
    }
    return next;
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
    if (!lt_flight_pop(&link->flight, &held) && !lt_fifo_pop(&link->queue, &held))
        return false;
    *packet = held.packet;
    return true;
}

/* The part of the head that is not yet on the wire takes the new rate. */
static void change_rate(lt_link *link, livetcp_usec now, uint64_t before)
{
    uint64_t after = link->params.rate;
    if (!lt_fifo_head(&link->queue) || after == before)
        return;
    int64_t now_nsec = now * NSEC_PER_USEC;
    double left = (double)(link->tx_end - now_nsec);
    link->tx_carry = 0;
    link->tx_end = now_nsec;
    if (after && before && left > 0)
        link->tx_end += (int64_t)(left * (double)before / (double)after);
}

livetcp_result lt_link_set(lt_link *link, livetcp_usec now, const lt_link_params *params,
                           livetcp_error *error)
{
    uint64_t before = link->params.rate;
    livetcp_result result = lt_link_params_check(params, error);
    if (result)
        return result;
    advance(link, now);
    use_params(link, params);
    change_rate(link, now, before);
    advance(link, now);
    return LIVETCP_OK;
}

void lt_link_get_params(const lt_link *link, lt_link_params *out)
{
    *out = link->params;
}

void lt_link_get_counters(const lt_link *link, lt_link_counters *out)
{
    *out = link->counters;
    out->queue_packets = link->queue.count;
    out->queue_bytes = link->queue.bytes;
    out->flight_packets = link->flight.count;
}
