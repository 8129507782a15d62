/* SPDX-License-Identifier: MIT */
#include "relay/udp_socket.h"

#include "base/error.h"
#include "relay/address.h"

#include <string.h>

livetcp_result lt_relay_udp_error(const lt_relay_location *l, int status, const char *what,
                                  livetcp_error *error)
{
    livetcp_result code = status == UV_EADDRINUSE      ? LIVETCP_ERR_ADDRESS_IN_USE
                          : status == UV_EADDRNOTAVAIL ? LIVETCP_ERR_ADDRESS_INVALID
                          : status == UV_EACCES        ? LIVETCP_ERR_PERMISSION
                                                       : LIVETCP_ERR_SYSTEM;
    const char *remedy = status == UV_EADDRINUSE
                             ? "; another program has the port: end it, or share it with reuse=1"
                             : "";

    return lt_fail(error, code, "%s: %s: %s%s", l->text, what, uv_strerror(status), remedy);
}

static int set_tos(uv_udp_t *socket, int family, int tos)
{
    uv_os_fd_t fd;
    int status = uv_fileno((uv_handle_t *)socket, &fd);
    const int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
    const int name = family == AF_INET6 ? IPV6_TCLASS : IP_TOS;

    if (status == 0 &&
        setsockopt((uv_os_sock_t)fd, level, name, (const char *)&tos, sizeof tos) != 0)
        status = UV_ENOTSUP;
    return status;
}

static livetcp_result join_group(const lt_relay_location *l, const struct sockaddr_storage *host,
                                 uv_udp_t *socket, livetcp_error *error)
{
    const char *adapter = l->adapter[0] ? l->adapter : NULL;
    char group[64] = "";
    int status;

    if (host->ss_family == AF_INET6)
        uv_ip6_name((const struct sockaddr_in6 *)host, group, sizeof group);
    else
        uv_ip4_name((const struct sockaddr_in *)host, group, sizeof group);
    status = l->source[0]
                 ? uv_udp_set_source_membership(socket, group, adapter, l->source, UV_JOIN_GROUP)
                 : uv_udp_set_membership(socket, group, adapter, UV_JOIN_GROUP);
    if (status != 0)
        return lt_relay_udp_error(
            l, status, "cannot join the group; adapter= and source= are addresses", error);
    return LIVETCP_OK;
}

static livetcp_result set_options(const lt_relay_end *end, const struct sockaddr_storage *host,
                                  uv_udp_t *socket, livetcp_error *error)
{
    const lt_relay_location *l = &end->location;
    const int family = host->ss_family;
    int wanted = (int)l->rcvbuf, got = 0, sending = 1 << 20, status = 0;

    uv_recv_buffer_size((uv_handle_t *)socket, &wanted);
    uv_send_buffer_size((uv_handle_t *)socket, &sending);
    uv_recv_buffer_size((uv_handle_t *)socket, &got);
    if (got < wanted)
        lt_relay_log(end->world->journal, LIVETCP_LOG_DEBUG, end->route,
                     "%s: the receive buffer has %d bytes and not %d: raise net.core.rmem_max",
                     l->text, got, wanted);
    if (l->ttl && ((status = uv_udp_set_ttl(socket, (int)l->ttl)) != 0 ||
                   (status = uv_udp_set_multicast_ttl(socket, (int)l->ttl)) != 0))
        return lt_relay_udp_error(l, status, "ttl", error);
    if (l->iptos >= 0 && (status = set_tos(socket, family, l->iptos)) != 0)
        return lt_relay_udp_error(l, status, "iptos", error);
    if (!lt_relay_is_multicast(host))
        return LIVETCP_OK;
    if (l->adapter[0] && (status = uv_udp_set_multicast_interface(socket, l->adapter)) != 0)
        return lt_relay_udp_error(l, status, "adapter= is an address of this machine", error);
    return l->bound ? join_group(l, host, socket, error) : LIVETCP_OK;
}

/* The local address: of the program's host when `bound`, else any of this machine. */
static void local_address(const lt_relay_location *l, const struct sockaddr_storage *host,
                          unsigned port_offset, struct sockaddr_storage *at)
{
    const unsigned port = l->bound ? l->port : l->localport;
#ifdef _WIN32
    const bool any = !l->bound || lt_relay_is_multicast(host);
#else
    const bool any = !l->bound; /* a socket that is bound to a group receives no other one */
#endif

    *at = *host;
    if (any) {
        memset(at, 0, sizeof *at);
        at->ss_family = host->ss_family;
    }
    lt_relay_set_port(at, port ? port + port_offset : 0);
}

livetcp_result lt_relay_udp_bind(const lt_relay_end *end, const struct sockaddr_storage *host,
                                 unsigned port_offset, uv_udp_t *socket, livetcp_error *error)
{
    const lt_relay_location *l = &end->location;
    const unsigned flags = l->reuse || lt_relay_is_multicast(host) ? UV_UDP_REUSEADDR : 0;
    struct sockaddr_storage at;
    int status;

    local_address(l, host, port_offset, &at);
    status = uv_udp_bind(socket, lt_relay_sockaddr(&at), flags);
    if (status == UV_EADDRNOTAVAIL && l->bound && !lt_relay_is_multicast(host))
        return lt_fail(error, LIVETCP_ERR_ADDRESS_INVALID,
                       "%s: %s; as IN the host is one of this machine's addresses, or empty for "
                       "all of them",
                       l->text, uv_strerror(status));
    if (status != 0)
        return lt_relay_udp_error(l, status,
                                  port_offset ? "the port for RTCP" : "cannot wait there", error);
    return set_options(end, host, socket, error);
}
