/* SPDX-License-Identifier: MIT */
/* X-Forwarded-For: the header in which HTTP proxies in front of a listener pass on the client's
 * address. Each proxy appends the address of its own client, so only the entries at the end come
 * from trusted proxies. */
#ifndef LT_PROXY_FORWARDED_H
#define LT_PROXY_FORWARDED_H

#include "base/ip.h"

/* Reads the comma-separated list from its end: the first address that is not in `trusted`
 * (comma-separated networks), or the first of the list if all are. *port is 0 if the entry has
 * none. False if the last entry is no address. */
bool lt_forwarded_read(const char *list, const char *trusted, lt_ip *ip, uint16_t *port);

#endif
