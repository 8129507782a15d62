/* SPDX-License-Identifier: MIT */
/* Parameters of one direction of an emulated path, and their text form. */
#ifndef LT_LAB_EMULATE_PARAMS_H
#define LT_LAB_EMULATE_PARAMS_H

#include "lab/emulate/loss.h"
#include "lab/emulate/outage.h"
#include "lab/emulate/policer.h"
#include "lab/emulate/queue.h"
#include "lab/units.h"

#include <livetcp/base.h>

#include <stddef.h>

enum {
    LT_PARAMS_TEXT = 3072, /* size of the longest text form */
    LT_MAX_ROUTES = 8,
    LT_MAX_CHANGES = 24,
    LT_CHANGE_TEXT = 48,
    LT_TRACE_NAME = 256,
};

/* Equal-cost routes after the bottleneck: a flow takes one of them, by its hash. */
typedef struct lt_routes {
    unsigned count; /* 0: one route without effect */
    struct {
        livetcp_usec delay; /* in addition to the link's */
        double loss;        /* in addition to the link's */
    } route[LT_MAX_ROUTES];
} lt_routes;

/* A parameter with a planned change. */
typedef struct lt_link_change {
    livetcp_usec at; /* from the beginning, see lt_link_begin() */
    char spec[LT_CHANGE_TEXT];
} lt_link_change;

typedef struct lt_link_params {
    livetcp_usec delay;  /* propagation, one direction */
    livetcp_usec jitter; /* a uniform draw from [0, jitter) is added to each packet's delay */
    bool reorder;        /* jitter may reorder packets; otherwise they leave in order */
    double loss;         /* mean loss rate, 0 to 1 */
    double burst;        /* mean length of a loss burst in packets; 0: losses are independent */
    lt_gilbert gilbert;  /* an additional bursty process; all zero: none */
    lt_policer_params policer;
    uint64_t rate;             /* bit/s of IP packets; 0: unlimited, without a queue */
    char trace[LT_TRACE_NAME]; /* file with the rate over time, in place of `rate`; "" = none */
    lt_limit queue;            /* including the packet in transmission */
    lt_aqm aqm;
    livetcp_usec aqm_target, aqm_interval;
    unsigned aqm_flows;   /* queues of fq-codel */
    lt_limit ecn;         /* a packet that finds this much in the queue is marked; NONE: never */
    bool ecn_classic;     /* CoDel marks ECT packets instead of dropping them */
    livetcp_usec ecn_l4s; /* queueing time above which ECT(1) packets are marked; 0: never */
    lt_routes routes;
    lt_outages outages;
    unsigned change_count;
    lt_link_change changes[LT_MAX_CHANGES]; /* sorted by time */
} lt_link_params;

/* No delay, no loss, unlimited rate; queue = 1000 packets for when a rate is set. */
void lt_link_params_init(lt_link_params *params);

/* Changes the parameters that `spec` names: comma-separated key=value, for example
 * "delay=50ms,jitter=2ms,loss=1%,burst=3,rate=30mbit,queue=100p,ecn=20p,rate=10mbit@5s". See
 * lt_link_params_help(). A trace is read to check it. On failure *params is unchanged and *error
 * (may be NULL) names the key and the value. */
livetcp_result lt_link_params_parse(lt_link_params *params, const char *spec, livetcp_error *error);

/* LIVETCP_OK if a link can have these parameters. */
livetcp_result lt_link_params_check(const lt_link_params *params, livetcp_error *error);

/* True if there is a bottleneck with a queue. */
bool lt_link_has_queue(const lt_link_params *params);

/* Writes the spec of these parameters, NUL-terminated, truncated to `size`; LT_PARAMS_TEXT always
 * suffices. Returns `text`. Newer keys with default values are left out. */
char *lt_link_params_format(const lt_link_params *params, char *text, size_t size);

/* Keys and units, one per line, for a help text. */
const char *lt_link_params_help(void);

#endif
