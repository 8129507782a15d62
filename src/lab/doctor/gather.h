/* SPDX-License-Identifier: MIT */
/* Asks this host. Changes nothing: sockets and namespaces made on the way are gone afterwards. */
#ifndef LT_LAB_DOCTOR_GATHER_H
#define LT_LAB_DOCTOR_GATHER_H

#include "lab/doctor/facts.h"

#include <livetcp/base.h>

#include <sys/socket.h>

typedef struct lt_gather_options {
    const char *sysctls;               /* "/proc/sys", or a folder laid out like it */
    const char *interface;             /* NULL = the one the route leads to */
    const struct sockaddr_storage *to; /* NULL = the default route */
} lt_gather_options;

/* Unavailable values are in *facts as well, with the reason. Fails only when `interface` does not
 * exist. To be called while the process has one thread. */
livetcp_result lt_gather(lt_facts *facts, const lt_gather_options *options, livetcp_error *error);

/* The parts, each of which fills in its member of *facts. */
void lt_gather_route(lt_facts *facts, const struct sockaddr_storage *to, const char *interface);
void lt_gather_interface(lt_facts *facts, const char *name);
void lt_gather_socket(lt_facts *facts);
void lt_gather_tun(lt_facts *facts);

#endif
