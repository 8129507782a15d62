/* SPDX-License-Identifier: MIT */
/* Many viewers in one program, which only measure arrival times: shows how many a server can
 * carry. */
#ifndef TV_CROWD_H
#define TV_CROWD_H

#include <livetcp/livetcp.h>

#include <uv.h>

typedef struct crowd crowd;

/* Opens that many sessions, a few per tick, on this loop and context. NULL, with a message for the
 * user. */
crowd *crowd_create(uv_loop_t *loop, livetcp_context *context, const livetcp_config *config,
                    int viewers, char *message, size_t size);

/* Ends its sessions; memory is freed when the loop has closed its handle. */
void crowd_destroy(crowd **c);

/* True once all are open. Starts the measurement: joining viewers are not measured. */
bool crowd_all_open(const crowd *c);
void crowd_begin(crowd *c);

/* Prints totals of packets lost and received, as JSON. */
void crowd_print(const crowd *c, double seconds);

#endif
