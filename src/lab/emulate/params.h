/* SPDX-License-Identifier: MIT */
/* Parameters of one direction of an emulated path, and their text form. */
#ifndef LT_LAB_EMULATE_PARAMS_H
#define LT_LAB_EMULATE_PARAMS_H

#include "lab/emulate/loss.h"
#include "lab/units.h"

#include <livetcp/result.h>

#include <stddef.h>

typedef struct lt_link_params {
    livetcp_usec delay;  /* propagation, one way */
    livetcp_usec jitter; /* a uniform draw from [0, jitter) is added to each packet's delay */
    bool reorder;        /* jitter may let packets overtake; otherwise they leave in order */
    double loss;         /* mean share of packets lost, 0 to 1 */
    double burst;        /* mean length of a loss burst in packets; 0: losses are independent */
    lt_gilbert gilbert;  /* a second, explicit bursty process; all zero: none */
    uint64_t rate;       /* bit/s of IP packets; 0: unlimited, and then there is no queue */
    lt_limit queue;      /* drop-tail, the packet being transmitted included */
    lt_limit ecn;        /* a packet that finds this much in the queue is marked; NONE: never */
} lt_link_params;

/* No delay, no loss, unlimited rate; queue = 1000 packets for when a rate is set. */
void lt_link_params_init(lt_link_params *params);

/* Changes the parameters that `spec` names and leaves the others: comma-separated key=value, for
 * example "delay=50ms,jitter=2ms,loss=1%,burst=3,rate=30mbit,queue=100p,ecn=20p". See
 * lt_link_params_help(). On failure *params is unchanged and *error (may be NULL) names the key
 * and the value. */
livetcp_result lt_link_params_parse(lt_link_params *params, const char *spec, livetcp_error *error);

/* LIVETCP_OK when a link can be made of these. */
livetcp_result lt_link_params_check(const lt_link_params *params, livetcp_error *error);

/* The spec that makes these parameters, NUL-terminated and cut to `size`; LT_PARAMS_TEXT is always
 * enough. Returns `text`. */
enum { LT_PARAMS_TEXT = 320 };
char *lt_link_params_format(const lt_link_params *params, char *text, size_t size);

/* The keys and their units, a line each, for a help text. */
const char *lt_link_params_help(void);

#endif
