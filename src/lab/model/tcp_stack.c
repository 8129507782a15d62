/* SPDX-License-Identifier: MIT */
/* Constants of TCP senders, then and now. */
#include <livetcp/tcp_stack.h>

#include "base/error.h"

/* Linux 6, however it finds a loss. */
#define LINUX_CONSTANTS                                                                            \
    .initial_window = 10, .syn_linear_timeouts = 4, .rto_initial_us = LIVETCP_USEC_SEC,            \
    .rto_min_us = 200 * LIVETCP_USEC_MSEC, .rto_max_us = 120 * LIVETCP_USEC_SEC,                   \
    .rto_rtt_multiple = 1, .rto_min_added = 1, .recovery = LIVETCP_LOSS_RECOVERY_LINUX

static const struct {
    const char *name;
    livetcp_tcp_stack stack;
} stacks[] = {
    [LIVETCP_TCP_CONSTANTS_BROSH] = {"brosh",
                                     {.detection = LIVETCP_LOSS_DETECTION_DUPACK,
                                      .initial_window = 4, /* 8.1 */
                                      .rto_initial_us = 3 * LIVETCP_USEC_SEC,
                                      .rto_min_us = LIVETCP_USEC_MSEC,
                                      .rto_max_us = 120 * LIVETCP_USEC_SEC,
                                      .rto_rtt_multiple = 4}},
    [LIVETCP_TCP_CONSTANTS_ZHANG] = {"zhang",
                                     {.detection = LIVETCP_LOSS_DETECTION_DUPACK,
                                      .initial_window = 2, /* 3.5.3 */
                                      .rto_initial_us = 3 * LIVETCP_USEC_SEC,
                                      .rto_min_us = 200 * LIVETCP_USEC_MSEC,
                                      .rto_max_us = 120 * LIVETCP_USEC_SEC,
                                      .rto_rtt_multiple = 3}},
    [LIVETCP_TCP_CONSTANTS_LINUX] = {"linux",
                                     {.detection = LIVETCP_LOSS_DETECTION_RACK, LINUX_CONSTANTS}},
    [LIVETCP_TCP_CONSTANTS_NEWRENO] = {"newreno",
                                       {.detection = LIVETCP_LOSS_DETECTION_DUPACK,
                                        LINUX_CONSTANTS}},
};

livetcp_result livetcp_tcp_stack_init(livetcp_tcp_stack *stack, livetcp_tcp_constants constants,
                                      livetcp_error *error)
{
    if ((unsigned)constants >= sizeof stacks / sizeof *stacks)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "constants is %d: use one of livetcp_tcp_constants", (int)constants);
    *stack = stacks[constants].stack;
    stack->struct_size = sizeof *stack;
    return LIVETCP_OK;
}

const char *livetcp_tcp_constants_name(livetcp_tcp_constants constants)
{
    return (unsigned)constants < sizeof stacks / sizeof *stacks ? stacks[constants].name : NULL;
}

livetcp_usec livetcp_tcp_stack_rto(const livetcp_tcp_stack *stack, livetcp_usec rtt_us)
{
    double rtt = rtt_us > 0 ? (double)rtt_us : 0;
    double scaled = stack->rto_rtt_multiple * rtt;
    double least = (double)stack->rto_min_us;
    double rto = stack->rto_min_added ? scaled + least : scaled > least ? scaled : least;

    return rto < (double)stack->rto_max_us ? (livetcp_usec)rto : stack->rto_max_us;
}
