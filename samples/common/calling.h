/* SPDX-License-Identifier: MIT */
/* Messages of a caller while nobody answers: the reason, and each reason once. */
#ifndef COMMON_CALLING_H
#define COMMON_CALLING_H

#include <livetcp/livetcp.h>

typedef struct calling {
    char said[sizeof((livetcp_error *)0)->message];
} calling;

/* To be called by on_connection() until the peer has answered. */
void calling_failed(calling *c, const char *program, unsigned connection,
                    const livetcp_error *error);

#endif
