/* SPDX-License-Identifier: MIT */
/* Converts a configuration to the symbols of the paper. */
#include "lab/model/delay/params.h"

#include "base/error.h"
#include "base/sized.h"
#include "lab/model/tcp_stack.h"

#include <math.h>

/* The part of livetcp_delay_model_config that the initializer of version 0.1 cleared. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_delay_model_config, max_states)

/* Minimum size: smaller chains save no time, and a small r would make very small ones. */
enum { MIN_WINDOW = 16, MIN_BACKLOG = 64 };

static livetcp_result check_number(const char *name, double value, double min, double max,
                                   livetcp_error *error)
{
    if (value >= min && value <= max) /* false for NaN */
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %g: it is %g to %g", name, value,
                   min, max);
}

static livetcp_result check_loss(double loss, livetcp_error *error)
{
    if (loss >= 0 && loss < 1)
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "loss is %g: it is a share, from 0 to less than 1 (1%% is 0.01)", loss);
}

static livetcp_result check_choices(const livetcp_delay_model_config *c, livetcp_error *error)
{
    const struct {
        const char *name;
        int value, max;
    } choices[] = {{"loss_model", (int)c->loss_model, LIVETCP_LOSS_CORRELATED},
                   {"queue_unit", (int)c->queue_unit, LIVETCP_QUEUE_BYTES},
                   {"constants", (int)c->constants, LIVETCP_TCP_CONSTANTS_NEWRENO}};

    for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value < 0 || choices[i].value > choices[i].max)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %d: it is 0 to %d",
                           choices[i].name, choices[i].value, choices[i].max);
    return LIVETCP_OK;
}

static livetcp_result check(const livetcp_delay_model_config *c, livetcp_error *error)
{
    const struct {
        const char *name;
        double value, min, max;
    } ranges[] = {
        {"rtt_us", (double)c->rtt_us, 1, 1e8},
        {"one_way_us", (double)c->one_way_us, -1, (double)c->rtt_us},
        {"mss_bytes", c->mss_bytes, 1, 65535},
        {"packet_bytes", c->packet_bytes, 1, c->mss_bytes},
        {"interval_us", (double)c->interval_us, 1, 1e8},
        {"connections", c->connections, 1, 64},
        {"split", c->split, 1, 16},
        {"window_states", c->window_states, 2, 1000},
    };
    livetcp_result result = check_loss(c->loss, error);

    for (unsigned i = 0; result == LIVETCP_OK && i < sizeof ranges / sizeof *ranges; i++)
        result = check_number(ranges[i].name, ranges[i].value, ranges[i].min, ranges[i].max, error);
    if (result == LIVETCP_OK && c->backlog_states != 0)
        result = check_number("backlog_states", c->backlog_states, 2, 10000, error);
    if (result == LIVETCP_OK && c->split > c->packet_bytes)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                         "split is %u: a packet of %u bytes has not so many pieces", c->split,
                         c->packet_bytes);
    return result == LIVETCP_OK ? check_choices(c, error) : result;
}

/* Duplicate acknowledgements until a loss is assumed: three. But Linux without SACK merges later
 * segments into the one that it retransmits (tcp_retrans_try_collapse); with nothing else in flight
 * it then counts more duplicates than segments, assumes reordering, and from then on waits for as
 * many as are in flight (tcp_check_reno_reordering). Observed with ss -ti on Linux 6.18. */
static unsigned dupack_threshold(const lt_delay_params *p)
{
    const unsigned dupacks = 3;

    if (p->recovery != LIVETCP_LOSS_RECOVERY_LINUX || p->rack || p->r + dupacks + 1 > p->per_mss)
        return dupacks;
    return (unsigned)fmax(2, floor(p->r + 1e-9) + 1);
}

/* Time to detect a lost segment of an unimpeded stream. By three duplicate acknowledgements: RTT +
 * 3/f (section 4.2). RACK waits for a later segment and then a reordering window of a quarter of
 * the RTT, unless three came first (RFC 8985 section 6.2); its timer is a jiffy or two late. */
static double detection_time(const lt_delay_params *p)
{
    const double timer_slack = 0.006;
    double duplicates = p->dupacks / p->f;

    if (!p->rack)
        return p->rtt + duplicates;
    return p->rtt + fmin(duplicates, fmax(1 / p->f, p->rtt / 4 + timer_slack));
}

static void fill_in(lt_delay_params *p, const livetcp_delay_model_config *c,
                    const livetcp_tcp_stack *stack)
{
    double bytes = (double)c->packet_bytes / c->split;

    p->f = 1e6 / (double)c->interval_us * c->split / c->connections;
    p->rtt = (double)c->rtt_us / 1e6;
    p->r = p->rtt * p->f;
    p->per_mss = c->mss_bytes / bytes;
    p->one_way = c->one_way_us < 0 ? p->rtt / 2 : (double)c->one_way_us / 1e6;
    p->rto = (double)livetcp_tcp_stack_rto(stack, c->rtt_us) / 1e6;
    p->rack = stack->detection == LIVETCP_LOSS_DETECTION_RACK;
    p->recovery = stack->recovery;
    p->dupacks = dupack_threshold(p);
    p->detect = detection_time(p);
    p->free_window = p->recovery == LIVETCP_LOSS_RECOVERY_LINUX ? floor(p->r + 1e-9) + 2 : p->r;
    /* A.1 scales the loss by the segment's size; docs/research/model.md explains our reading of p
     * a/M_s. */
    p->p_full = c->loss;
    p->p_small = c->queue_unit == LIVETCP_QUEUE_BYTES ? c->loss / p->per_mss : c->loss;
    p->correlated = c->loss_model == LIVETCP_LOSS_CORRELATED;
    p->limited_transmit = c->limited_transmit;
}

/* A.3 limits states at multiples of r. */
static unsigned truncate_at(double multiple, double r, unsigned min)
{
    double states = multiple * fmax(1, ceil(r - 1e-9));

    return states > min ? (unsigned)fmin(states, 1e9) : min;
}

livetcp_result lt_delay_config_read(livetcp_delay_model_config *to,
                                    const livetcp_delay_model_config *given, livetcp_error *error)
{
    livetcp_result result =
        LT_CHECK_INITIALIZED(given, livetcp_delay_model_config, SIZE_0_1, error);

    if (result != LIVETCP_OK)
        return result;
    livetcp_delay_model_config_init(to, LIVETCP_TCP_CONSTANTS_LINUX);
    lt_sized_read(to, sizeof *to, given);
    return LIVETCP_OK;
}

void livetcp_delay_model_config_init_sized(livetcp_delay_model_config *config, size_t size,
                                           livetcp_tcp_constants constants)
{
    const livetcp_delay_model_config defaults = {
        .rtt_us = 100 * LIVETCP_USEC_MSEC,
        .loss = 0.01,
        .one_way_us = -1,
        .packet_bytes = 174,
        .interval_us = 20 * LIVETCP_USEC_MSEC,
        .connections = 1,
        .split = 1,
        .mss_bytes = 1448,
        .limited_transmit = true,
        .constants = constants,
        .window_states = 8,
        .backlog_states = constants == LIVETCP_TCP_CONSTANTS_BROSH ? 16 : 0,
        .max_states = 2000000,
    };

    lt_sized_write(config, size, &defaults, sizeof defaults);
}

void(livetcp_delay_model_config_init)(livetcp_delay_model_config *config,
                                      livetcp_tcp_constants constants)
{
    livetcp_delay_model_config_init_sized(config, SIZE_0_1, constants);
}

livetcp_result lt_delay_params_make(lt_delay_params *params,
                                    const livetcp_delay_model_config *config, livetcp_error *error)
{
    livetcp_tcp_stack stack;
    livetcp_result result = check(config, error);

    if (result == LIVETCP_OK && config->stack)
        result = lt_tcp_stack_read(&stack, config->stack, error);
    else if (result == LIVETCP_OK)
        result = livetcp_tcp_stack_init(&stack, config->constants, error);
    if (result != LIVETCP_OK)
        return result;
    *params = (lt_delay_params){0};
    fill_in(params, config, &stack);
    params->max_window = truncate_at(config->window_states, params->r, MIN_WINDOW);
    params->max_backlog = truncate_at(config->backlog_states, params->r, MIN_BACKLOG);
    return LIVETCP_OK;
}
