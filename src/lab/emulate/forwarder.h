/* SPDX-License-Identifier: MIT */
/* The thread that reads packets from the TUN devices, passes each through the link of its lane, and
 * writes it to the device at the other end when it is due. */
#ifndef LT_LAB_EMULATE_FORWARDER_H
#define LT_LAB_EMULATE_FORWARDER_H

#include "lab/emulate/path.h"
#include "lab/emulate/tun.h"

typedef struct lt_forwarder lt_forwarder;

/* Does not start the thread. `tuns` has the device at which each lane begins; they must outlive the
 * forwarder. */
lt_forwarder *lt_forwarder_create(const lt_path_params *params, const lt_tun *tuns,
                                  livetcp_error *error);

/* Starts the thread; once. */
livetcp_result lt_forwarder_start(lt_forwarder *forwarder, livetcp_error *error);

void lt_forwarder_destroy(lt_forwarder **forwarder);

livetcp_result lt_forwarder_set(lt_forwarder *forwarder, lt_direction direction,
                                const lt_link_params *params, livetcp_error *error);
/* Sets the origin of the planned times of all links. */
void lt_forwarder_begin(lt_forwarder *forwarder, livetcp_usec at);
void lt_forwarder_get(lt_forwarder *forwarder, lt_direction direction, lt_link_params *out);
void lt_forwarder_get_counters(lt_forwarder *forwarder, lt_direction direction,
                               lt_path_counters *out);
void lt_forwarder_get_health(lt_forwarder *forwarder, lt_path_health *out);

#endif
