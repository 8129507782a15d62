/* SPDX-License-Identifier: MIT */
/* Many viewers in one program, which look at arrival times only: how many a server carries. */
#ifndef TV_CROWD_H
#define TV_CROWD_H

#include <livetcp/livetcp.h>

#include <uv.h>

typedef struct crowd crowd;

/* Calls the server so many times, a few each tick, on this loop and context. NULL with a message
 * for a person. */
crowd *crowd_create(uv_loop_t *loop, livetcp_context *context, const livetcp_config *config,
                    int viewers, char *message, size_t size);

/* Ends its sessions; its memory is freed when the loop has closed its handle. */
void crowd_destroy(crowd **c);

/* Begins to measure: until then times are not counted, since viewers are still joining. */
bool crowd_all_open(const crowd *c);
void crowd_begin(crowd *c);

/* Packets that viewers lost and got, in all, as JSON. */
void crowd_print(const crowd *c, double seconds);

#endif
