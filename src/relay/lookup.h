/* SPDX-License-Identifier: MIT */
/* Looks up a host's address beside the loop, in a thread of its own. uv_getaddrinfo() will not do:
 * a lookup that runs cannot be left alone there, so that a server of names that does not answer
 * would hold up the end of the relay. */
#ifndef LT_RELAY_LOOKUP_H
#define LT_RELAY_LOOKUP_H

#include <stdint.h>
#include <uv.h>

typedef struct lt_relay_lookup lt_relay_lookup;

/* Called on the loop's thread. `address` is NULL if there is none, and `why` says the reason. */
typedef void lt_relay_looked_up(void *user, const struct sockaddr_storage *address,
                                const char *why);

/* For datagrams. Returns NULL without memory or a thread; `done` is not called then. */
lt_relay_lookup *lt_relay_lookup_start(uv_loop_t *loop, const char *host, uint16_t port,
                                       lt_relay_looked_up *done, void *user);

/* `done` will not be called. *lookup may be NULL, and must be once `done` was called. */
void lt_relay_lookup_leave(lt_relay_lookup **lookup);

#endif
