/* SPDX-License-Identifier: MIT */
/* One prober at a listener. */
#ifndef LT_LAB_PROBE_LISTENER_PEER_H
#define LT_LAB_PROBE_LISTENER_PEER_H

#include <livetcp/result.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct lt_listener_peer lt_listener_peer;

/* Takes over the socket on success; NULL: out of memory. */
lt_listener_peer *lt_listener_peer_create(int socket, const char *name);
void lt_listener_peer_destroy(lt_listener_peer **peer);

int lt_listener_peer_socket(const lt_listener_peer *peer);
short lt_listener_peer_events(const lt_listener_peer *peer); /* to poll for */
const char *lt_listener_peer_name(const lt_listener_peer *peer);
bool lt_listener_peer_heard(const lt_listener_peer *peer); /* that it is a prober */
uint64_t lt_listener_peer_packets(const lt_listener_peer *peer);

/* Reads and answers. False when it is over: with a message that goes on after the name if it is
 * the peer's fault, with none if it has closed the connection. */
bool lt_listener_peer_serve(lt_listener_peer *peer, livetcp_error *error);

#endif
