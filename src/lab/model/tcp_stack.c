/* SPDX-License-Identifier: MIT */
/* Constants of TCP senders: of the papers and of today. */
#include <livetcp/tcp_stack.h>

#include "base/error.h"
#include "base/sized.h"
#include "lab/model/tcp_stack.h"

/* Linux 6, for each kind of loss detection. */
#define LINUX_CONSTANTS                                                                            \
    .initial_window = 10, .syn_linear_timeouts = 4, .rto_initial_us = LIVETCP_USEC_SEC,            \
    .rto_min_us = 200 * LIVETCP_USEC_MSEC, .rto_max_us = 120 * LIVETCP_USEC_SEC,                   \
    .rto_rtt_multiple = 1, .rto_min_added = true, .recovery = LIVETCP_LOSS_RECOVERY_LINUX

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

/* The part of livetcp_tcp_stack that livetcp_tcp_stack_init() of version 0.1 cleared. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_tcp_stack, recovery)

livetcp_result livetcp_tcp_stack_init_sized(livetcp_tcp_stack *stack, size_t size,
                                            livetcp_tcp_constants constants, livetcp_error *error)
{
    if ((unsigned)constants >= sizeof stacks / sizeof *stacks)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "constants is %d: use one of livetcp_tcp_constants", (int)constants);
    lt_sized_write(stack, size, &stacks[constants].stack, sizeof *stack);
    return LIVETCP_OK;
}

livetcp_result(livetcp_tcp_stack_init)(livetcp_tcp_stack *stack, livetcp_tcp_constants constants,
                                       livetcp_error *error)
{
    return livetcp_tcp_stack_init_sized(stack, SIZE_0_1, constants, error);
}

livetcp_result lt_tcp_stack_read(livetcp_tcp_stack *to, const livetcp_tcp_stack *given,
                                 livetcp_error *error)
{
    livetcp_result result = LT_CHECK_INITIALIZED(given, livetcp_tcp_stack, SIZE_0_1, error);

    livetcp_tcp_stack_init(to, LIVETCP_TCP_CONSTANTS_LINUX, NULL);
    if (result != LIVETCP_OK)
        return result;
    lt_sized_read(to, sizeof *to, given);
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
    double min = (double)stack->rto_min_us;
    double rto = stack->rto_min_added ? scaled + min : scaled > min ? scaled : min;

    return rto < (double)stack->rto_max_us ? (livetcp_usec)rto : stack->rto_max_us;
}
