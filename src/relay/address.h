/* SPDX-License-Identifier: MIT */
/* Addresses of datagrams: IPv4 and IPv6 with a port. */
#ifndef LT_RELAY_ADDRESS_H
#define LT_RELAY_ADDRESS_H

#include <stdbool.h>
#include <uv.h> /* struct sockaddr_storage, on every system */

/* Size of the text of an address and port. */
#define LT_RELAY_ADDRESS_TEXT 80

static inline struct sockaddr *lt_relay_sockaddr(struct sockaddr_storage *address)
{
    return (struct sockaddr *)address;
}

void lt_relay_set_port(struct sockaddr_storage *address, unsigned port);
unsigned lt_relay_port(const struct sockaddr_storage *address);
void lt_relay_address_copy(struct sockaddr_storage *to, const struct sockaddr *from);

/* Writes "192.0.2.1:5004" or "[2001:db8::1]:5004" to `text`, and returns it. */
const char *lt_relay_address_text(const struct sockaddr *address, char *text, size_t size);

bool lt_relay_is_multicast(const struct sockaddr_storage *address);

/* True if the addresses are equal apart from the port. */
bool lt_relay_same_host(const struct sockaddr_storage *a, const struct sockaddr *b);

#endif
