/* SPDX-License-Identifier: MIT */
#include "io/links.h"

#include "base/error.h"
#include "io/socket.h"
#include "platform/networks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static livetcp_result read_links(lt_io_links *links, const livetcp_config *config,
                                 livetcp_error *error)
{
    lt_link_plan plan;
    livetcp_result result = lt_link_plan_read(&plan, config, error);

    *links = (lt_io_links){.count = plan.count};
    for (unsigned i = 0; result == LIVETCP_OK && i < plan.count; i++) {
        lt_io_link *link = &links->items[i];
        lt_addresses local;
        link->planned = plan.links[i];
        link->present = true;
        link->named = link->planned.interface[0] || link->planned.local_address[0];
        if (!link->planned.local_address[0])
            continue;
        if (lt_lookup_addresses(&local, LT_LOOKUP_NUMERIC, link->planned.local_address, 0, NULL) !=
            LIVETCP_OK)
            return lt_fail(error, LIVETCP_ERR_ADDRESS_INVALID,
                           "localaddress=%s is not an IPv4 or IPv6 address",
                           link->planned.local_address);
        link->local = local.items[0];
        link->has_local = true;
    }
    return result;
}

/* ---- what this host has ---- */

static livetcp_result check_interface(const lt_io_link *link, int family, uv_os_sock_t socket,
                                      livetcp_error *error)
{
    const char *name = link->planned.interface;
    int status = lt_socket_bind_interface(socket, name, family);
    char others[120];

    switch (status) {
    case 0:
        return LIVETCP_OK;
    case -ENODEV:
        lt_networks_list(others, sizeof others);
        return lt_fail_errno(error, LIVETCP_ERR_ADDRESS_INVALID, ENODEV,
                             "interface=%s: this host has no such interface; it has %s", name,
                             others);
    case -ENOSYS:
        return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                       "interface=%s: this system cannot bind a connection to an interface; set "
                       "localaddress to the interface's address",
                       name);
    case -EPERM:
        return lt_fail_errno(error, LIVETCP_ERR_PERMISSION, EPERM,
                             "interface=%s: this kernel lets only programs with the capability "
                             "CAP_NET_RAW bind to an interface (setcap cap_net_raw+ep PROGRAM); or "
                             "set localaddress to the interface's address",
                             name);
    default:
        return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                             "interface=%s cannot be used", name);
    }
}

static livetcp_result check_address(const lt_io_link *link, uv_os_sock_t socket,
                                    livetcp_error *error)
{
    int status = lt_socket_bind(socket, &link->local);

    if (status == 0)
        return LIVETCP_OK;
    return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                         "localaddress=%s is not an address of this host",
                         link->planned.local_address);
}

static livetcp_result check_link(const lt_io_link *link, livetcp_error *error)
{
    int family = link->has_local ? link->local.storage.ss_family : AF_INET;
    livetcp_result result = LIVETCP_OK;
    uv_os_sock_t socket;
    int status = lt_socket_open(family, &socket);

    if (status != 0 && !link->has_local)
        status = lt_socket_open(family = AF_INET6, &socket);
    if (status != 0)
        return lt_fail_errno(error, lt_io_socket_result(-status, false), -status,
                             "cannot open a socket");
    if (link->planned.interface[0])
        result = check_interface(link, family, socket, error);
    if (result == LIVETCP_OK && link->has_local)
        result = check_address(link, socket, error);
    lt_socket_close(socket);
    return result;
}

livetcp_result lt_io_links_check(const livetcp_config *config, livetcp_error *error)
{
    lt_io_links links;
    livetcp_result result = read_links(&links, config, error);

    for (unsigned i = 0; result == LIVETCP_OK && i < links.count; i++)
        if (links.items[i].named)
            result = check_link(&links.items[i], error);
    return result;
}

lt_io_links *lt_io_links_create(const livetcp_config *config)
{
    lt_io_links *links = calloc(1, sizeof *links);

    if (links && read_links(links, config, NULL) != LIVETCP_OK) {
        free(links); /* cannot happen: the config was checked */
        return NULL;
    }
    /* An address that can be bound without being on an interface (routed to this host, or a
     * wildcard) counts as present. */
    for (unsigned i = 0; links && i < links->count; i++)
        links->items[i].named = links->items[i].named && lt_io_link_is_present(&links->items[i]);
    return links;
}

void lt_io_link_network(const lt_io_link *link, char *text, size_t size)
{
    const char *interface = link->planned.interface, *address = link->planned.local_address;

    if (interface[0] && address[0])
        snprintf(text, size, "%s (%s)", interface, address);
    else
        snprintf(text, size, "%s", interface[0] ? interface : address);
}

bool lt_io_link_is_present(const lt_io_link *link)
{
    return !link->named ||
           lt_networks_has(link->planned.interface[0] ? link->planned.interface : NULL,
                           link->has_local ? &link->local : NULL);
}
