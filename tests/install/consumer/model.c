/* SPDX-License-Identifier: MIT */
/* A program of somebody else's that asks the models. */
#include <livetcp/model.h>

#include <stdio.h>

int main(void)
{
    livetcp_tcp_stack stack;

    if (livetcp_tcp_stack_init(&stack, LIVETCP_TCP_CONSTANTS_LINUX, NULL) != LIVETCP_OK)
        return 1;
    printf("%s: initial window %u\n", livetcp_result_name(LIVETCP_OK), stack.initial_window);
    return stack.initial_window != 10;
}
