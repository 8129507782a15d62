/* SPDX-License-Identifier: MIT */
/* The control socket of a running `livetcp emulate`: a Unix stream socket. A request is one line of
 * JSON, and so is the answer:
 *
 *   {"command": "set", "direction": "forward", "params": "delay=80ms,loss=2%"}
 *   {"command": "counters"}
 *
 * Further links are "2:forward" and so on. The answer to "counters" is the report, the answer to
 * "set" is {}; after a failure it is
 * {"error": "..."}. */
#ifndef LT_LAB_EMULATE_CONTROL_H
#define LT_LAB_EMULATE_CONTROL_H

#include "lab/emulate/path.h"

#include <uv.h>

typedef struct lt_control lt_control;

/* Serves `path` at the socket `name`, which only this user can connect to. A socket left behind by
 * a killed run is replaced; any other file of that name is an error. */
lt_control *lt_control_create(uv_loop_t *loop, const char *name, lt_path *path,
                              livetcp_error *error);

/* Closes all clients and removes the socket. The loop must run until uv_loop_alive() is false. */
void lt_control_destroy(lt_control **control);

#endif
