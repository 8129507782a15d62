/* SPDX-License-Identifier: MIT */
/* Binding a listener: every address its host means, all on one port. */
#include "io/listener.h"

#include "base/error.h"
#include "io/socket.h"

#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

/* The port that the first address got may be taken on the second: ask for another. */
#define ANY_PORT_ATTEMPTS 16

static void close_sockets(livetcp_listener *listener)
{
    for (unsigned i = 0; i < listener->socket_count; i++)
        close(listener->sockets[i].socket);
    listener->socket_count = 0;
}

static livetcp_result add_socket(livetcp_listener *listener, const lt_address *address, bool dual,
                                 livetcp_error *error)
{
    lt_address bound = *address;
    int fd;

    if (listener->port)
        lt_address_set_port(&bound, listener->port);
    livetcp_result result = lt_socket_listen(&fd, &bound, dual, &listener->config, error);
    if (result != LIVETCP_OK)
        return result;
    bound.size = sizeof bound.storage;
    if (getsockname(fd, (void *)&bound.storage, &bound.size) == 0)
        listener->port = lt_address_port(&bound);
    listener->sockets[listener->socket_count++].socket = fd;
    return LIVETCP_OK;
}

/* One socket takes IPv6 and IPv4; where IPv6 is off, IPv4 has to do. */
static livetcp_result bind_everywhere(livetcp_listener *listener, livetcp_error *error)
{
    lt_address any6 = {.size = sizeof(struct sockaddr_in6)};
    lt_address any4 = {.size = sizeof(struct sockaddr_in)};
    livetcp_result result;

    any6.storage.ss_family = AF_INET6; /* the wildcard address is all zeroes */
    any4.storage.ss_family = AF_INET;
    listener->port = listener->config.port;
    result = add_socket(listener, &any6, true, error);
    if (result == LIVETCP_ERR_ADDRESS_INVALID)
        result = add_socket(listener, &any4, false, error);
    return result;
}

static livetcp_result bind_each(livetcp_listener *listener, const lt_addresses *addresses,
                                livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    listener->port = listener->config.port;
    for (unsigned i = 0; i < addresses->count && listener->socket_count < LT_LISTENER_SOCKETS;
         i++) {
        result = add_socket(listener, &addresses->items[i], false, error);
        /* A name may have an address of a family that this host does not have. */
        if (result == LIVETCP_ERR_ADDRESS_INVALID && addresses->count > 1)
            continue;
        if (result != LIVETCP_OK)
            break;
    }
    if (result == LIVETCP_ERR_ADDRESS_INVALID && listener->socket_count > 0)
        result = LIVETCP_OK;
    if (result != LIVETCP_OK)
        close_sockets(listener);
    return result;
}

livetcp_result lt_listener_bind(livetcp_listener *listener, livetcp_error *error)
{
    const livetcp_config *config = &listener->config;
    lt_addresses addresses;
    livetcp_result result;

    if (!config->host[0])
        return bind_everywhere(listener, error);
    result = lt_lookup_addresses(&addresses, LT_LOOKUP_LISTEN, config->host, config->port, error);
    if (result != LIVETCP_OK)
        return result;
    for (int i = 0; i < ANY_PORT_ATTEMPTS; i++) {
        result = bind_each(listener, &addresses, error);
        if (result != LIVETCP_ERR_ADDRESS_IN_USE || config->port)
            break;
    }
    return result;
}
