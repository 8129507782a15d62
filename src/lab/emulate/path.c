/* SPDX-License-Identifier: MIT */
/* Builds a path: two namespaces, a TUN device per link in each, a forwarder between them. */
#include "lab/emulate/path.h"

#include "base/error.h"
#include "lab/emulate/forwarder.h"
#include "lab/emulate/netns.h"
#include "lab/netlink.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KERNEL_QUEUE = 10000, MIN_MTU = 576, MAX_MTU = 9000 };

struct lt_path {
    int netns[2]; /* by lt_end; -1: not created */
    unsigned links;
    lt_tun tuns[LT_PATH_LANES]; /* by lt_direction */
    lt_forwarder *forwarder;
    int awake; /* /dev/cpu_dma_latency, open; -1: not permitted */
};

enum { FIRST_TABLE = 100, FIRST_METRIC = 2048 }; /* of the routes of several links */

void lt_path_params_init(lt_path_params *params)
{
    *params = (lt_path_params){.seed = 1, .mtu = 1500, .links = 1};
    for (int i = 0; i < LT_PATH_LANES; i++)
        lt_link_params_init(&params->link[i]);
}

lt_path_address lt_path_ipv4(unsigned link, lt_end end)
{
    lt_path_address address;
    snprintf(address.text, sizeof address.text, "10.77.%u.%d", link, end + 1);
    return address;
}

/* The fourth group is the subnet: fd77::1, and fd77:0:0:1::1 on the second link. */
lt_path_address lt_path_ipv6(unsigned link, lt_end end)
{
    lt_path_address address;
    if (link)
        snprintf(address.text, sizeof address.text, "fd77:0:0:%u::%d", link, end + 1);
    else
        snprintf(address.text, sizeof address.text, "fd77::%d", end + 1);
    return address;
}

typedef struct end_setup {
    lt_path *path;
    lt_end end;
    int mtu;
} end_setup;

static livetcp_result open_link(const end_setup *setup, unsigned link, livetcp_error *error)
{
    const lt_path_address ipv4 = lt_path_ipv4(link, setup->end),
                          ipv6 = lt_path_ipv6(link, setup->end);
    char name[24];
    snprintf(name, sizeof name, "livetcp%u", link);
    const lt_tun_config config = {.name = name,
                                  .ipv4 = ipv4.text,
                                  .ipv6 = ipv6.text,
                                  .mtu = setup->mtu,
                                  .queue = KERNEL_QUEUE};
    return lt_tun_open(&setup->path->tuns[2 * link + setup->end], &config, error);
}

/* A route to the whole network through this interface: for sockets bound to the interface, since
 * the subnets of all interfaces are more specific, and in a table of its own for sockets bound to
 * its address. */
static int route_over(const char *interface, unsigned link, int family, const lt_path_address *from)
{
    const lt_netlink_route all = {.family = family,
                                  .to = family == AF_INET ? "10.77.0.0" : "fd77::",
                                  .prefix = family == AF_INET ? 16 : 32,
                                  .metric = FIRST_METRIC + link};
    lt_netlink_route own = all;
    own.table = FIRST_TABLE + link;
    int code = lt_netlink_add_route(interface, &all);
    if (!code)
        code = lt_netlink_add_route(interface, &own);
    return code ? code : lt_netlink_add_rule(family, from->text, own.table);
}

/* With rp_filter Linux drops packets that arrive on another interface than the answer would
 * take. */
static void accept_from_anywhere(const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "net/ipv4/conf/%s/rp_filter", name);
    lt_sysctl_set(key, "0", NULL);
    lt_sysctl_set("net/ipv4/conf/all/rp_filter", "0", NULL);
}

static livetcp_result connect_links(const end_setup *setup, unsigned link, livetcp_error *error)
{
    const lt_tun *tun = &setup->path->tuns[2 * link + setup->end];
    const lt_path_address ipv4 = lt_path_ipv4(link, LT_NEAR), ipv6 = lt_path_ipv6(link, LT_NEAR);
    int code = 0;
    accept_from_anywhere(tun->name);
    if (setup->end == LT_NEAR)
        code = route_over(tun->name, link, AF_INET, &ipv4);
    if (setup->end == LT_NEAR && tun->ipv6 && !code)
        code = route_over(tun->name, link, AF_INET6, &ipv6);
    return code ? lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code,
                                "cannot route over the interface %s", tun->name)
                : LIVETCP_OK;
}

static livetcp_result set_up_end(void *context, livetcp_error *error)
{
    const end_setup *setup = context;
    const unsigned links = setup->path->links;
    livetcp_result result = LIVETCP_OK;
    for (unsigned link = 0; link < links && !result; link++)
        result = open_link(setup, link, error);
    for (unsigned link = 0; links > 1 && link < links && !result; link++)
        result = connect_links(setup, link, error);
    return result;
}

static livetcp_result create_end(lt_path *path, lt_end end, int mtu, livetcp_error *error)
{
    end_setup setup = {.path = path, .end = end, .mtu = mtu};
    return lt_netns_create(&path->netns[end], set_up_end, &setup, error);
}

static livetcp_result build(lt_path *path, const lt_path_params *params, livetcp_error *error)
{
    if (params->mtu < MIN_MTU || params->mtu > MAX_MTU)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "mtu %d: expected %d to %d",
                       params->mtu, MIN_MTU, MAX_MTU);
    if (params->links < 1 || params->links > LT_PATH_MAX_LINKS)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%u links: expected 1 to %d",
                       params->links, LT_PATH_MAX_LINKS);
    path->links = params->links;
    livetcp_result result = lt_netns_prepare(error);
    for (int end = 0; end < 2 && !result; end++)
        result = create_end(path, (lt_end)end, params->mtu, error);
    if (result)
        return result;
    path->forwarder = lt_forwarder_create(params, path->tuns, error);
    return path->forwarder ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
}

/* Keeps the processors out of deep sleep states, from which they wake up late; on a virtual machine
 * the host also takes the processor away meanwhile. That is most of the lateness of an idle
 * machine. The interface (Documentation/power/pm_qos_interface.rst) needs root; without it the path
 * is less accurate. */
static int stay_awake(void)
{
    const int32_t longest_wake_up_us = 0;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, &longest_wake_up_us, sizeof longest_wake_up_us) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

lt_path *lt_path_create(const lt_path_params *params, livetcp_error *error)
{
    lt_path *path = calloc(1, sizeof *path);
    if (!path) {
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for a path");
        return NULL;
    }
    for (int end = 0; end < 2; end++)
        path->netns[end] = -1;
    for (int i = 0; i < LT_PATH_LANES; i++)
        path->tuns[i] = (lt_tun){.fd = -1, .stats = -1};
    path->awake = stay_awake();
    if (build(path, params, error))
        lt_path_destroy(&path);
    return path;
}

livetcp_result lt_path_start(lt_path *path, livetcp_error *error)
{
    return lt_forwarder_start(path->forwarder, error);
}

void lt_path_destroy(lt_path **path)
{
    if (!*path)
        return;
    lt_forwarder_destroy(&(*path)->forwarder);
    if ((*path)->awake >= 0)
        close((*path)->awake);
    for (int i = 0; i < LT_PATH_LANES; i++)
        lt_tun_close(&(*path)->tuns[i]);
    for (int end = 0; end < 2; end++)
        if ((*path)->netns[end] >= 0)
            close((*path)->netns[end]);
    free(*path);
    *path = NULL;
}

livetcp_result lt_path_enter(const lt_path *path, lt_end end, livetcp_error *error)
{
    return lt_netns_enter(path->netns[end], error);
}

livetcp_result lt_path_call(const lt_path *path, lt_end end,
                            livetcp_result (*function)(void *context, livetcp_error *error),
                            void *context, livetcp_error *error)
{
    return lt_netns_call(path->netns[end], function, context, error);
}

unsigned lt_path_links(const lt_path *path)
{
    return path->links;
}

void lt_path_begin(lt_path *path, livetcp_usec at)
{
    lt_forwarder_begin(path->forwarder, at);
}

livetcp_result lt_path_set(lt_path *path, lt_direction direction, const lt_link_params *params,
                           livetcp_error *error)
{
    return lt_forwarder_set(path->forwarder, direction, params, error);
}

void lt_path_get(lt_path *path, lt_direction direction, lt_link_params *out)
{
    lt_forwarder_get(path->forwarder, direction, out);
}

typedef struct sysctl_job {
    const char *key, *value;
} sysctl_job;

static livetcp_result set_sysctl(void *context, livetcp_error *error)
{
    const sysctl_job *job = context;
    return lt_sysctl_set(job->key, job->value, error);
}

livetcp_result lt_path_sysctl_set(const lt_path *path, lt_end end, const char *key,
                                  const char *value, livetcp_error *error)
{
    sysctl_job job = {key, value};
    return lt_path_call(path, end, set_sysctl, &job, error);
}

livetcp_result lt_path_apply_sysctl(const lt_path *path, const char *setting, livetcp_error *error)
{
    char key[128];
    const char *equals = strchr(setting, '=');
    size_t size = equals ? (size_t)(equals - setting) : 0;
    if (!size || size >= sizeof key)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--sysctl %s: expected KEY=VALUE, for example net.ipv4.tcp_ecn=1", setting);
    for (size_t i = 0; i < size; i++)
        key[i] = setting[i] == '.' ? '/' : setting[i];
    key[size] = '\0';
    livetcp_result result = lt_path_sysctl_set(path, LT_NEAR, key, equals + 1, error);
    return result ? result : lt_path_sysctl_set(path, LT_FAR, key, equals + 1, error);
}

livetcp_result lt_path_set_congestion_control(const lt_path *path, const char *name,
                                              livetcp_error *error)
{
    char allowed[160] = "unknown";
    for (int end = 0; end < 2; end++) {
        livetcp_result result =
            lt_path_sysctl_set(path, (lt_end)end, "net/ipv4/tcp_congestion_control", name, NULL);
        if (!result)
            continue;
        lt_sysctl_get("net/ipv4/tcp_allowed_congestion_control", allowed, sizeof allowed, NULL);
        return lt_fail(error, result,
                       "'%s' cannot be the default in a namespace; allowed: %s. A socket may still "
                       "choose another one",
                       name, allowed);
    }
    return LIVETCP_OK;
}

void lt_path_get_counters(lt_path *path, lt_direction direction, lt_path_counters *out)
{
    *out = (lt_path_counters){0};
    lt_forwarder_get_counters(path->forwarder, direction, out);
    out->read_dropped = lt_tun_dropped(&path->tuns[direction]);
}

void lt_path_get_health(lt_path *path, lt_path_health *out)
{
    lt_forwarder_get_health(path->forwarder, out);
}

unsigned lt_directions_parse(const char *text, unsigned links)
{
    const unsigned first = 1u << LT_FORWARD, second = 1u << LT_BACKWARD;
    unsigned link = 0, mask = 0;
    if (*text >= '1' && *text <= '9' && text[1] == ':') {
        link = (unsigned)(*text - '1');
        text += 2;
    }
    if (!strcmp(text, "forward") || !strcmp(text, "both"))
        mask |= first;
    if (!strcmp(text, "backward") || !strcmp(text, "both"))
        mask |= second;
    return link < links ? mask << 2 * link : 0;
}

livetcp_result lt_path_apply(lt_path *path, unsigned directions, const char *spec,
                             livetcp_error *error)
{
    lt_link_params params[LT_PATH_LANES];
    livetcp_result result = LIVETCP_OK;
    const int lanes = 2 * (int)path->links;
    for (int i = 0; i < lanes && !result; i++) {
        lt_path_get(path, (lt_direction)i, &params[i]);
        if (directions & 1u << i)
            result = lt_link_params_parse(&params[i], spec, error);
    }
    for (int i = 0; i < lanes && !result; i++)
        if (directions & 1u << i)
            result = lt_path_set(path, (lt_direction)i, &params[i], error);
    return result;
}
