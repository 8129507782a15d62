/* SPDX-License-Identifier: MIT */
/* X-Forwarded-For: by which HTTP servers in front of a listener say whose request they pass on.
 * Each appends the address that it was called from, so that only the end of the list was written by
 * somebody who is known. */
#ifndef LT_PROXY_FORWARDED_H
#define LT_PROXY_FORWARDED_H

#include "base/ip.h"

/* Reads the list, separated by commas, from its end: the first address that is none of `trusted`
 * (networks, separated by commas), or the one farthest in front if all are. *port is 0 unless the
 * list has one. False if the last item is no address. */
bool lt_forwarded_read(const char *list, const char *trusted, lt_ip *ip, uint16_t *port);

#endif
