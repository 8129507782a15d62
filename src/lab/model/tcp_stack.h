/* SPDX-License-Identifier: MIT */
/* The constants of a TCP sender as a program gives them to the models. */
#ifndef LT_LAB_MODEL_TCP_STACK_H
#define LT_LAB_MODEL_TCP_STACK_H

#include <livetcp/tcp_stack.h>

/* Makes constants of the library's size from a program's of any: a missing field is as in Linux 6.
 * Errors: LIVETCP_ERR_INVALID_ARGUMENT for a struct without its size. */
livetcp_result lt_tcp_stack_read(livetcp_tcp_stack *to, const livetcp_tcp_stack *given,
                                 livetcp_error *error);

#endif
