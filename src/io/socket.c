/* SPDX-License-Identifier: MIT */
/* TCP sockets with a config's options, and the texts of their errors. */
#include "io/socket.h"

#include "base/error.h"
#include "platform/networks.h"
#include "platform/probe.h"

#include <errno.h>
#include <string.h>

livetcp_result lt_io_socket_result(int system_errno, bool established)
{
    switch (system_errno) {
    case ECONNREFUSED:
        return LIVETCP_ERR_REFUSED;
    case ETIMEDOUT:
        return established ? LIVETCP_ERR_PEER_TIMEOUT : LIVETCP_ERR_UNREACHABLE;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
    case ENODEV:
        return established ? LIVETCP_ERR_CONNECTION_LOST : LIVETCP_ERR_UNREACHABLE;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
        return LIVETCP_ERR_CONNECTION_LOST;
    case EADDRINUSE:
        return LIVETCP_ERR_ADDRESS_IN_USE;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        return LIVETCP_ERR_ADDRESS_INVALID;
    case EACCES:
    case EPERM:
        return LIVETCP_ERR_PERMISSION;
    case ENOMEM:
    case ENOBUFS:
        return LIVETCP_ERR_NO_MEMORY;
    default:
        return LIVETCP_ERR_SYSTEM;
    }
}

const char *lt_io_shortage_advice(int system_errno)
{
    return system_errno == EMFILE ? "raise the limit of open files (ulimit -n)"
                                  : "the system is short of resources";
}

/* ---- connecting ---- */

livetcp_result lt_io_connect_error(livetcp_error *error, const lt_address *address,
                                   int system_errno)
{
    static const struct {
        livetcp_result code;
        const char *advice;
    } advices[] = {
        {LIVETCP_ERR_REFUSED, "; is a listener running there?"},
        {LIVETCP_ERR_UNREACHABLE, "; check the address, the route and firewalls"},
        {LIVETCP_ERR_ADDRESS_INVALID, "; this host cannot reach that kind of address"},
        {LIVETCP_ERR_PERMISSION, "; a firewall of this host forbids it"},
        {LIVETCP_ERR_SYSTEM, ""},
    };
    livetcp_result code = lt_io_socket_result(system_errno, false);
    const char *advice = "";
    char text[LT_ADDRESS_TEXT];

    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].code == code)
            advice = advices[i].advice;
    lt_address_text(address, text);
    lt_fail(error, code, "connect to %s: %s%s", text, strerror(system_errno), advice);
    if (error)
        error->system_errno = system_errno;
    return code;
}

static livetcp_result bind_local(uv_os_sock_t socket, const lt_address *local, livetcp_error *error)
{
    char text[LT_ADDRESS_TEXT];
    uint16_t port = lt_address_port(local);
    int status = port ? lt_socket_reuse_port(socket) : 0;

    if (status == 0)
        status = lt_socket_bind(socket, local);
    if (status == 0)
        return LIVETCP_OK;
    lt_address_text(local, text);
    if (port && status != -EADDRNOTAVAIL)
        return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                             "cannot bind localport %u", port);
    return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                         "cannot use localaddress %s; it must be an address of this host", text);
}

/* Error of a port that local-port has set: the system cannot choose another one. */
static livetcp_result held_port_error(livetcp_error *error, const lt_address *address,
                                      const lt_address *local)
{
    char text[LT_ADDRESS_TEXT];

    lt_address_text(address, text);
    return lt_fail_errno(error, LIVETCP_ERR_ADDRESS_IN_USE, EADDRNOTAVAIL,
                         "connect to %s: an earlier connection holds localport %u, for up to a "
                         "minute after it was closed",
                         text, lt_address_port(local));
}

static livetcp_result set_dscp(uv_os_sock_t socket, const livetcp_config *config,
                               livetcp_error *error)
{
    int status = config->qos_dscp < 0 ? 0 : lt_socket_set_dscp(socket, config->qos_dscp);

    return status == 0 ? LIVETCP_OK
                       : lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                                       "cannot set qos-dscp=%d", config->qos_dscp);
}

/* Makes segments hold whole frames of the configured packet size plus LENGTH. Has no effect if a
 * frame does not fit a segment. */
static void align_segments(uv_os_sock_t socket, const livetcp_config *config)
{
    if (config->mss_align)
        (void)lt_platform_align_segments(socket, (size_t)config->mss_align + 2);
}

/* The interface existed when the session was created. */
static livetcp_result bind_interface(uv_os_sock_t socket, const char *interface, int family,
                                     livetcp_error *error)
{
    int status = lt_socket_bind_interface(socket, interface, family);

    if (status == 0)
        return LIVETCP_OK;
    return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                         "cannot use interface %s", interface);
}

static livetcp_result start_connecting(uv_os_sock_t socket, const lt_address *address,
                                       const lt_address *local, const char *interface,
                                       const livetcp_config *config, livetcp_error *error)
{
    livetcp_result result;
    int status;

    if (lt_platform_prepare(socket, 0) != LIVETCP_OK)
        return lt_io_connect_error(error, address, errno);
    result = lt_platform_set_congestion_control(socket, config->congestion_control, error);
    if (result == LIVETCP_OK)
        result = set_dscp(socket, config, error);
    if (result == LIVETCP_OK && interface[0])
        result = bind_interface(socket, interface, address->storage.ss_family, error);
    if (result == LIVETCP_OK && local)
        result = bind_local(socket, local, error);
    if (result != LIVETCP_OK)
        return result;
    align_segments(socket, config);
    status = lt_socket_connect(socket, address);
    if (status == -EADDRNOTAVAIL && local && lt_address_port(local))
        return held_port_error(error, address, local);
    return status == 0 ? LIVETCP_OK : lt_io_connect_error(error, address, -status);
}

livetcp_result lt_io_socket_connect(uv_os_sock_t *out, const lt_address *address,
                                    const lt_address *local, const char *interface,
                                    const livetcp_config *config, livetcp_error *error)
{
    uv_os_sock_t socket;
    int status = lt_socket_open(address->storage.ss_family, &socket);
    livetcp_result result;

    *out = LT_NO_SOCKET;
    if (status != 0)
        return lt_io_connect_error(error, address, -status);
    result = start_connecting(socket, address, local, interface, config, error);
    if (result == LIVETCP_OK)
        *out = socket;
    else
        lt_socket_close(socket);
    return result;
}

/* ---- listening ---- */

static livetcp_result listen_error(livetcp_error *error, const lt_address *address, int cause)
{
    livetcp_result code = lt_io_socket_result(cause, false);
    char text[LT_ADDRESS_TEXT];
    const char *advice = "";

    if (code == LIVETCP_ERR_ADDRESS_IN_USE)
        advice = "; another program listens there, stop it or choose another port";
    else if (code == LIVETCP_ERR_ADDRESS_INVALID)
        advice = "; it must be an address of this host, or empty for all of them";
    else if (code == LIVETCP_ERR_PERMISSION)
        advice = "; ports below 1024 need privileges, choose a higher one";
    lt_address_text(address, text);
    lt_fail(error, code, "listen on %s: %s%s", text, strerror(cause), advice);
    if (error)
        error->system_errno = cause;
    return code;
}

livetcp_result lt_io_socket_listen(uv_os_sock_t *out, const lt_address *address, bool dual,
                                   const livetcp_config *config, livetcp_error *error)
{
    uv_os_sock_t socket;
    int status = lt_socket_open(address->storage.ss_family, &socket);

    *out = LT_NO_SOCKET;
    if (status != 0)
        return listen_error(error, address, -status);
    status = lt_socket_prepare_listening(socket, address->storage.ss_family, dual);
    if (status == 0)
        status = lt_socket_bind(socket, address);
    if (status == 0) {
        align_segments(socket, config);       /* accepted sockets inherit both */
        (void)set_dscp(socket, config, NULL); /* failures were reported by lt_io_socket_check() */
        status = lt_socket_listen(socket);
    }
    if (status != 0) {
        lt_socket_close(socket);
        return listen_error(error, address, -status);
    }
    *out = socket;
    return LIVETCP_OK;
}

/* ---- all of them ---- */

livetcp_result lt_io_socket_prepare(uv_os_sock_t socket, const livetcp_config *config)
{
    livetcp_result result = lt_platform_prepare(socket, config->peer_timeout_us);
    if (result == LIVETCP_OK)
        result = set_dscp(socket, config, NULL);
    return result == LIVETCP_OK
               ? lt_platform_set_congestion_control(socket, config->congestion_control, NULL)
               : result;
}

static livetcp_result check_timestamps(const livetcp_config *config, livetcp_error *error)
{
    if (config->timestamps != LIVETCP_TIMESTAMPS_ON || lt_platform_has_timestamps())
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                   "timestamps=on: the kernel does not report them; use auto or off");
}

livetcp_result lt_io_socket_check(const livetcp_config *config, livetcp_error *error)
{
    livetcp_result result = check_timestamps(config, error);
    uv_os_sock_t socket;
    int status;

    if (result != LIVETCP_OK || (!config->congestion_control[0] && config->qos_dscp < 0))
        return result;
    status = lt_socket_open(AF_INET, &socket);
    if (status != 0)
        status = lt_socket_open(AF_INET6, &socket);
    if (status != 0)
        return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                             "cannot open a socket");
    result = lt_platform_set_congestion_control(socket, config->congestion_control, error);
    if (result == LIVETCP_OK)
        result = set_dscp(socket, config, error);
    lt_socket_close(socket);
    return result;
}
