/* SPDX-License-Identifier: MIT */
/* Public functions of the start-up model. */
#include <livetcp/startup_model.h>

#include "base/error.h"
#include "base/sized.h"
#include "lab/model/startup/cardwell.h"
#include "lab/model/startup/session_open.h"
#include "lab/model/startup/timeouts.h"
#include "lab/model/tcp_stack.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SEGMENTS = 10000, STEPS = 6000 };
static const double STEP = 0.01, LONG_STEP = 0.1; /* seconds; up to 60 s, and up to 10 minutes */

typedef struct startup_params {
    double rtt, loss, both; /* both: probability that a segment or its acknowledgement is lost */
    double segments;        /* per connection */
    double window;
    unsigned connections;
    livetcp_usec rtt_us;
    livetcp_tcp_stack stack;
    bool paper;
} startup_params;

struct livetcp_startup_model {
    livetcp_startup_parts zhang, cardwell;
    unsigned connections;
    double ready_base, delivered_base, open_base; /* seconds without timeouts */
    lt_times ready, delivered;                    /* timeouts of one connection */
    lt_times open;                                /* of the whole session */
};

/* The part of livetcp_startup_config that the initializer of version 0.1 cleared. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_startup_config, stack)

void livetcp_startup_config_init_sized(livetcp_startup_config *config, size_t size,
                                       livetcp_tcp_constants constants)
{
    const livetcp_startup_config defaults = {.rtt_us = 100 * LIVETCP_USEC_MSEC,
                                             .loss = 0.01,
                                             .loss_back = -1,
                                             .bytes = 3000,
                                             .mss_bytes = 1448,
                                             .connections = 1,
                                             .constants = constants};

    lt_sized_write(config, size, &defaults, sizeof defaults);
}

void(livetcp_startup_config_init)(livetcp_startup_config *config, livetcp_tcp_constants constants)
{
    livetcp_startup_config_init_sized(config, SIZE_0_1, constants);
}

static livetcp_result check(const livetcp_startup_config *c, livetcp_error *error)
{
    const struct {
        const char *name;
        double value, min, max;
    } ranges[] = {{"rtt_us", (double)c->rtt_us, 1, 1e8},
                  {"mss_bytes", c->mss_bytes, 1, 65535},
                  {"connections", c->connections, 1, 64},
                  {"bytes", c->bytes, 0,
                   (double)MAX_SEGMENTS * (double)c->mss_bytes * (double)c->connections},
                  {"constants", (double)c->constants, 0, LIVETCP_TCP_CONSTANTS_NEWRENO}};

    if (!(c->loss >= 0 && c->loss < 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "loss is %g: it is a share, from 0 to less than 1 (1%% is 0.01)", c->loss);
    if (!(c->loss_back == -1 || (c->loss_back >= 0 && c->loss_back < 1)))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "loss_back is %g: it is a share, from 0 to less than 1, or -1",
                       c->loss_back);
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!(ranges[i].value >= ranges[i].min && ranges[i].value <= ranges[i].max))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %g: it is %g to %g",
                           ranges[i].name, ranges[i].value, ranges[i].min, ranges[i].max);
    return LIVETCP_OK;
}

static livetcp_result read_config(livetcp_startup_config *whole, const livetcp_startup_config *c,
                                  livetcp_error *error)
{
    livetcp_result result = LT_CHECK_INITIALIZED(c, livetcp_startup_config, SIZE_0_1, error);

    if (result != LIVETCP_OK)
        return result;
    livetcp_startup_config_init(whole, LIVETCP_TCP_CONSTANTS_LINUX);
    lt_sized_read(whole, sizeof *whole, c);
    return check(whole, error);
}

static livetcp_result make_params(startup_params *p, const livetcp_startup_config *config,
                                  livetcp_error *error)
{
    livetcp_startup_config whole, *c = &whole;
    livetcp_result result = read_config(&whole, config, error);

    if (result != LIVETCP_OK)
        return result;
    double back = c->loss_back < 0 ? c->loss : c->loss_back;
    *p = (startup_params){.rtt = (double)c->rtt_us / 1e6,
                          .loss = c->loss,
                          .both = c->loss + (1 - c->loss) * back, /* 3.4.2, 1 */
                          .segments = ceil(c->bytes / c->mss_bytes / c->connections),
                          .connections = c->connections,
                          .rtt_us = c->rtt_us,
                          .paper = c->constants < LIVETCP_TCP_CONSTANTS_LINUX};
    livetcp_tcp_stack_init(&p->stack, c->constants, NULL);
    if (c->stack)
        result = lt_tcp_stack_read(&p->stack, c->stack, error);
    if (result != LIVETCP_OK)
        return result;
    /* 3.5.3: one segment more if neither SYN nor SYN/ACK was lost. Today's initial window does not
     * depend on that. */
    p->window = p->stack.initial_window;
    if (p->paper && p->window > 1)
        p->window = 1 + (p->window - 1) * (1 - c->loss) * (1 - back);
    return LIVETCP_OK;
}

static lt_timeout_rules rules_of(const startup_params *p, double loss, bool syn)
{
    double normal = (double)livetcp_tcp_stack_rto(&p->stack, p->rtt_us) / 1e6;
    double initial = (double)p->stack.rto_initial_us / 1e6;
    double once = fmax(normal, 3 * p->rtt), min = (double)p->stack.rto_min_us / 1e6;
    double probe = 2 * p->rtt + min;
    bool probes = p->stack.detection == LIVETCP_LOSS_DETECTION_RACK && !syn && probe < once;

    /* In the paper data starts with the initial timeout as well (Figure 8). Linux has measured the
     * SYN's round trip by then, and a timestamp identifies the acknowledged segment; half of the
     * only round trip is its variation (RFC 6298 section 2.2). Above 200 ms a tail loss probe comes
     * before it. */
    return (lt_timeout_rules){.loss = loss,
                              .probe = probes ? probe : 0,
                              .first = syn || p->paper ? initial : once,
                              .normal = normal,
                              .max = (double)p->stack.rto_max_us / 1e6,
                              .linear = syn ? p->stack.syn_linear_timeouts : 0,
                              .keep = p->paper};
}

/* 3.5.2: the SYN and its answer count as an acknowledged segment. A lost last ACK is made up for by
 * the first data, which takes that time. */
static livetcp_result solve_zhang(livetcp_startup_model *m, const startup_params *p,
                                  livetcp_error *error)
{
    lt_times data = {0}, last = {0};
    const double step = m->ready.step;
    lt_timeout_rules syn = rules_of(p, p->both, true), sent = rules_of(p, p->both, false);
    lt_timeout_rules ack = rules_of(p, p->loss, false);
    livetcp_result result = lt_times_init(&data, step, STEPS, error);

    if (result == LIVETCP_OK)
        result = lt_times_init(&last, step, STEPS, error);
    if (result == LIVETCP_OK)
        result = lt_timeouts_solve(&m->ready, &syn, 1, error);
    if (result == LIVETCP_OK)
        result = lt_timeouts_solve(&data, &sent, (unsigned)p->segments, error);
    if (result == LIVETCP_OK)
        result = lt_timeouts_solve(&last, &ack, 1, error);
    if (result == LIVETCP_OK) {
        /* Each segment has its first loss, which starts a run of timeouts, with that
         * probability. */
        double runs = p->segments * p->both;
        double xfer = p->segments
                          ? lt_slow_start(p->segments + p->segments * p->both / (1 - p->both),
                                          p->window, runs, p->rtt)
                          : 0;
        m->zhang = (livetcp_startup_parts){
            .handshake_us = 1e6 * (1.5 * p->rtt + m->ready.mean + p->loss * last.mean),
            .timeout_us = 1e6 * data.mean,
            .transfer_us = 1e6 * xfer};
        m->ready_base = p->rtt;
        m->delivered_base = 1.5 * p->rtt + xfer;
        lt_times_convolve(&m->delivered, &m->ready, &data);
    }
    lt_times_clear(&data);
    lt_times_clear(&last);
    return result;
}

/* LiveTCP's handshake is data to TCP: a message without an answer counts as a lost segment. */
static livetcp_result solve_open(livetcp_startup_model *m, const startup_params *p,
                                 livetcp_error *error)
{
    lt_times exchange = {0};
    lt_timeout_rules message = rules_of(p, p->both, false);
    livetcp_result result = lt_times_init(&exchange, m->open.step, m->open.count, error);

    if (result == LIVETCP_OK)
        result = lt_timeouts_solve(&exchange, &message, 1, error);
    if (result == LIVETCP_OK)
        result =
            lt_session_open_solve(&m->open, &m->ready, &exchange, p->rtt, p->connections, error);
    m->open_base = lt_session_open_base(p->rtt, p->connections);
    lt_times_clear(&exchange);
    return result;
}

static void solve_cardwell(livetcp_startup_model *m, const startup_params *p)
{
    double runs, t0 = (double)livetcp_tcp_stack_rto(&p->stack, p->rtt_us) / 1e6;
    double waiting = lt_cardwell_timeouts(p->segments, p->loss, t0, &runs);
    double lost = p->segments * p->loss / (1 - p->loss);
    double window = p->paper ? 1 : p->window;

    m->cardwell = (livetcp_startup_parts){
        .handshake_us = 1e6 * p->rtt,
        .timeout_us = 1e6 * waiting,
        .transfer_us =
            p->segments ? 1e6 * lt_slow_start(p->segments + lost, window, runs, p->rtt) : 0};
}

static void add_up(livetcp_startup_parts *parts)
{
    parts->total_us = parts->handshake_us + parts->timeout_us + parts->transfer_us;
}

livetcp_result livetcp_startup_model_solve(const livetcp_startup_config *config,
                                           livetcp_startup_model **model, livetcp_error *error)
{
    startup_params params;
    livetcp_result result = make_params(&params, config, error);

    *model = NULL;
    if (result != LIVETCP_OK)
        return result;
    livetcp_startup_model *m = calloc(1, sizeof *m);
    if (!m)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the model");
    m->connections = params.connections;
    double step = params.both > 0.3 || params.segments > 200 ? LONG_STEP : STEP;
    result = lt_times_init(&m->ready, step, STEPS, error);
    if (result == LIVETCP_OK)
        result = lt_times_init(&m->delivered, step, STEPS, error);
    if (result == LIVETCP_OK)
        result = lt_times_init(&m->open, step, STEPS, error);
    if (result == LIVETCP_OK)
        result = solve_zhang(m, &params, error);
    if (result == LIVETCP_OK)
        result = solve_open(m, &params, error);
    if (result != LIVETCP_OK) {
        livetcp_startup_model_destroy(&m);
        return result;
    }
    solve_cardwell(m, &params);
    add_up(&m->zhang);
    add_up(&m->cardwell);
    *model = m;
    return LIVETCP_OK;
}

void livetcp_startup_model_destroy(livetcp_startup_model **model)
{
    if (!*model)
        return;
    lt_times_clear(&(*model)->ready);
    lt_times_clear(&(*model)->delivered);
    lt_times_clear(&(*model)->open);
    free(*model);
    *model = NULL;
}

livetcp_startup_parts livetcp_startup_zhang(const livetcp_startup_model *model)
{
    return model->zhang;
}

livetcp_startup_parts livetcp_startup_cardwell(const livetcp_startup_model *model)
{
    return model->cardwell;
}

/* Share of sessions with the event, from the share of connections; `open` is per session
 * already. */
static double of_session(const livetcp_startup_model *m, livetcp_startup_event event, double one)
{
    switch (event) {
    case LIVETCP_STARTUP_FIRST_READY:
        return 1 - pow(1 - one, m->connections);
    case LIVETCP_STARTUP_ALL_OPEN:
        return one;
    default:
        return pow(one, m->connections);
    }
}

static const lt_times *times_of(const livetcp_startup_model *m, livetcp_startup_event event,
                                double *base)
{
    switch (event) {
    case LIVETCP_STARTUP_FIRST_READY:
    case LIVETCP_STARTUP_ALL_READY:
        *base = m->ready_base;
        return &m->ready;
    case LIVETCP_STARTUP_DELIVERED:
        *base = m->delivered_base;
        return &m->delivered;
    case LIVETCP_STARTUP_ALL_OPEN:
        *base = m->open_base;
        return &m->open;
    }
    return NULL;
}

double livetcp_startup_mean_us(const livetcp_startup_model *m, livetcp_startup_event event)
{
    double base, one = 0, later = 0;
    const lt_times *times = times_of(m, event, &base);

    if (!times)
        return NAN;
    for (size_t i = 0; i < times->count; i++) { /* adds up the probability of no event so far */
        one = fmin(1, one + times->probability[i]);
        later += 1 - of_session(m, event, one);
    }
    return 1e6 * (base + later * times->step);
}

double livetcp_startup_quantile_us(const livetcp_startup_model *m, livetcp_startup_event event,
                                   double quantile)
{
    const double rounding = 1e-12;
    double base, one = 0;
    const lt_times *times = times_of(m, event, &base);

    if (!times || !(quantile > 0 && quantile < 1))
        return NAN;
    for (size_t i = 0; i < times->count; i++) {
        one = fmin(1, one + times->probability[i]);
        if (of_session(m, event, one) >= quantile - rounding)
            return 1e6 * (base + (double)i * times->step);
    }
    return INFINITY;
}
