/* SPDX-License-Identifier: MIT */
#include "relay/address.h"

#include <stdio.h>
#include <string.h>

void lt_relay_set_port(struct sockaddr_storage *address, unsigned port)
{
    if (address->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
}

unsigned lt_relay_port(const struct sockaddr_storage *address)
{
    return ntohs(address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                                                : ((const struct sockaddr_in *)address)->sin_port);
}

void lt_relay_address_copy(struct sockaddr_storage *to, const struct sockaddr *from)
{
    memset(to, 0, sizeof *to);
    memcpy(to, from,
           from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
}

const char *lt_relay_address_text(const struct sockaddr *address, char *text, size_t size)
{
    struct sockaddr_storage copy;
    char host[64] = "?";
    const bool six = address->sa_family == AF_INET6;

    lt_relay_address_copy(&copy, address);
    if (six)
        uv_ip6_name((const struct sockaddr_in6 *)address, host, sizeof host);
    else
        uv_ip4_name((const struct sockaddr_in *)address, host, sizeof host);
    snprintf(text, size, six ? "[%s]:%u" : "%s:%u", host, lt_relay_port(&copy));
    return text;
}

bool lt_relay_is_multicast(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET6)
        return ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr[0] == 0xff;
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 28 == 0xe;
}

bool lt_relay_same_host(const struct sockaddr_storage *a, const struct sockaddr *b)
{
    if (a->ss_family != b->sa_family)
        return false;
    if (a->ss_family == AF_INET6)
        return !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
                       &((const struct sockaddr_in6 *)b)->sin6_addr, sizeof(struct in6_addr));
    return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
           ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}
