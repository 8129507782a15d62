/* SPDX-License-Identifier: MIT */
/* Constants of a TCP sender, from a program to the models. */
#ifndef LT_LAB_MODEL_TCP_STACK_H
#define LT_LAB_MODEL_TCP_STACK_H

#include <livetcp/tcp_stack.h>

/* Converts a program's struct of any size to the library's: missing fields are as in Linux 6.
 * Errors: LIVETCP_ERR_INVALID_ARGUMENT for a struct without its size. */
livetcp_result lt_tcp_stack_read(livetcp_tcp_stack *to, const livetcp_tcp_stack *given,
                                 livetcp_error *error);

#endif
