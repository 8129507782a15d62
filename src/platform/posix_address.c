/* SPDX-License-Identifier: MIT */
/* Socket addresses from names and as text, by getaddrinfo() and inet_ntop(). */
#include "platform/address.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static void copy_addresses(lt_addresses *addresses, const struct addrinfo *list)
{
    addresses->count = 0;
    for (; list && addresses->count < LT_ADDRESSES_MAX; list = list->ai_next) {
        lt_address *address = &addresses->items[addresses->count];
        if (list->ai_addrlen > sizeof address->storage ||
            (list->ai_family != AF_INET && list->ai_family != AF_INET6))
            continue;
        memset(address, 0, sizeof *address);
        memcpy(&address->storage, list->ai_addr, list->ai_addrlen);
        address->size = list->ai_addrlen;
        addresses->count++;
    }
}

static livetcp_result lookup_error(int code, const char *host, livetcp_error *error)
{
    if (code == EAI_MEMORY)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "resolving %s: out of memory", host);
    if (code == EAI_SYSTEM)
        return lt_fail_errno(error, LIVETCP_ERR_RESOLVE, errno, "cannot resolve %s", host);
    return lt_fail(error, LIVETCP_ERR_RESOLVE,
                   "cannot resolve %.100s: %s; check the name and this host's DNS", host,
                   code ? gai_strerror(code) : "it has no IPv4 or IPv6 address");
}

livetcp_result lt_lookup_addresses(lt_addresses *addresses, lt_lookup lookup, const char *host,
                                   uint16_t port, livetcp_error *error)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    char service[8];
    int code;

    snprintf(service, sizeof service, "%u", port);
    hints.ai_flags = AI_NUMERICSERV;
    if (lookup == LT_LOOKUP_NUMERIC)
        hints.ai_flags |= AI_NUMERICHOST;
    if (lookup == LT_LOOKUP_LISTEN)
        hints.ai_flags |= AI_PASSIVE;
    code = getaddrinfo(host[0] ? host : NULL, service, &hints, &list);
    addresses->count = 0;
    if (code == 0) {
        copy_addresses(addresses, list);
        freeaddrinfo(list);
    }
    return addresses->count ? LIVETCP_OK : lookup_error(code, host, error);
}

lt_address lt_address_any(int family)
{
    lt_address address = {.size = family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                     : sizeof(struct sockaddr_in)};

    address.storage.ss_family = (sa_family_t)family; /* the other fields are zero */
    return address;
}

static bool is_mapped(const lt_address *address)
{
    const struct sockaddr_in6 *in6 = (const void *)&address->storage;
    return address->storage.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
}

void lt_address_text(const lt_address *address, char text[LT_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN + 17] = ""; /* with a scope */

    if (is_mapped(address)) {
        const struct sockaddr_in6 *in6 = (const void *)&address->storage;
        inet_ntop(AF_INET, in6->sin6_addr.s6_addr + 12, host, sizeof host);
    } else if (getnameinfo((const void *)&address->storage, address->size, host, sizeof host, NULL,
                           0, NI_NUMERICHOST) != 0) {
        text[0] = '\0';
        return;
    }
    lt_host_text(host, lt_address_port(address), text, LT_ADDRESS_TEXT);
}

void lt_host_text(const char *host, uint16_t port, char *text, size_t size)
{
    bool brackets = strchr(host, ':') != NULL;
    snprintf(text, size, "%s%s%s:%u", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

void lt_address_key(const lt_address *address, uint8_t key[LT_ADDRESS_KEY])
{
    const struct sockaddr_in6 *in6 = (const void *)&address->storage;
    const struct sockaddr_in *in = (const void *)&address->storage;

    memset(key, 0, LT_ADDRESS_KEY);
    if (address->storage.ss_family == AF_INET6 && !is_mapped(address)) {
        memcpy(key, in6->sin6_addr.s6_addr, 8);
        return;
    }
    key[10] = key[11] = 0xff; /* prefix of IPv4-mapped IPv6 addresses */
    if (is_mapped(address))
        memcpy(key + 12, in6->sin6_addr.s6_addr + 12, 4);
    else if (address->storage.ss_family == AF_INET)
        memcpy(key + 12, &in->sin_addr, 4);
}

lt_ip lt_address_ip(const lt_address *address)
{
    const struct sockaddr_in6 *in6 = (const void *)&address->storage;
    const struct sockaddr_in *in = (const void *)&address->storage;
    uint8_t v4[4] = {0};
    lt_ip ip;

    if (address->storage.ss_family == AF_INET6) {
        memcpy(ip.bytes, in6->sin6_addr.s6_addr, sizeof ip.bytes);
        return ip;
    }
    if (address->storage.ss_family == AF_INET)
        memcpy(v4, &in->sin_addr, sizeof v4);
    return lt_ip_from_v4(v4);
}

lt_address lt_address_from_ip(const lt_ip *ip, uint16_t port)
{
    lt_address address = lt_address_any(lt_ip_is_v4(ip) ? AF_INET : AF_INET6);
    struct sockaddr_in6 *in6 = (void *)&address.storage;
    struct sockaddr_in *in = (void *)&address.storage;

    if (lt_ip_is_v4(ip))
        memcpy(&in->sin_addr, ip->bytes + 12, 4);
    else
        memcpy(in6->sin6_addr.s6_addr, ip->bytes, sizeof ip->bytes);
    lt_address_set_port(&address, port);
    return address;
}

uint16_t lt_address_port(const lt_address *address)
{
    if (address->storage.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)(const void *)&address->storage)->sin6_port);
    return ntohs(((const struct sockaddr_in *)(const void *)&address->storage)->sin_port);
}

void lt_address_set_port(lt_address *address, uint16_t port)
{
    if (address->storage.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)&address->storage)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)(void *)&address->storage)->sin_port = htons(port);
}
