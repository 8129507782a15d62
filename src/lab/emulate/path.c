/* SPDX-License-Identifier: MIT */
/* Builds a path from its parts: two namespaces, a TUN in each, a forwarder between them. */
#include "lab/emulate/path.h"

#include "base/error.h"
#include "lab/emulate/forwarder.h"
#include "lab/emulate/netns.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNEL_QUEUE = 10000, MIN_MTU = 576, MAX_MTU = 9000 };

struct lt_path {
    int netns[2]; /* by lt_end; -1: not there yet */
    lt_tun tuns[2];
    lt_forwarder *forwarder;
    int awake; /* keeps the processors from deep sleep while open; -1: not permitted */
};

static const struct {
    const char *ipv4, *ipv6;
} addresses[2] = {
    [LT_NEAR] = {LT_PATH_NEAR_IPV4, LT_PATH_NEAR_IPV6},
    [LT_FAR] = {LT_PATH_FAR_IPV4, LT_PATH_FAR_IPV6},
};

void lt_path_params_init(lt_path_params *params)
{
    *params = (lt_path_params){.seed = 1, .mtu = 1500};
    lt_link_params_init(&params->link[LT_FORWARD]);
    lt_link_params_init(&params->link[LT_BACKWARD]);
}

typedef struct end_setup {
    lt_tun *tun;
    lt_tun_config config;
} end_setup;

static livetcp_result set_up_end(void *context, livetcp_error *error)
{
    end_setup *setup = context;
    return lt_tun_open(setup->tun, &setup->config, error);
}

static livetcp_result create_end(lt_path *path, lt_end end, int mtu, livetcp_error *error)
{
    end_setup setup = {
        .tun = &path->tuns[end],
        .config =
            {
                .name = "livetcp0",
                .ipv4 = addresses[end].ipv4,
                .ipv6 = addresses[end].ipv6,
                .mtu = mtu,
                .queue = KERNEL_QUEUE,
            },
    };
    return lt_netns_create(&path->netns[end], set_up_end, &setup, error);
}

static livetcp_result build(lt_path *path, const lt_path_params *params, livetcp_error *error)
{
    if (params->mtu < MIN_MTU || params->mtu > MAX_MTU)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "mtu %d: expected %d to %d",
                       params->mtu, MIN_MTU, MAX_MTU);
    livetcp_result result = lt_netns_prepare(error);
    for (int end = 0; end < 2 && !result; end++)
        result = create_end(path, (lt_end)end, params->mtu, error);
    if (result)
        return result;
    path->forwarder = lt_forwarder_create(params, path->tuns, error);
    return path->forwarder ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
}

/* A processor in deep sleep takes its time to wake, and on a virtual machine the host takes it away
 * meanwhile: most of the lateness of an otherwise idle machine. The kernel's interface against it
 * (Documentation/power/pm_qos_interface.rst) needs root; without, the path works as well as it can.
 */
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
    for (int end = 0; end < 2; end++) {
        path->netns[end] = -1;
        path->tuns[end] = (lt_tun){.fd = -1, .stats = -1};
    }
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
    for (int end = 0; end < 2; end++) {
        lt_tun_close(&(*path)->tuns[end]);
        if ((*path)->netns[end] >= 0)
            close((*path)->netns[end]);
    }
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

unsigned lt_directions_parse(const char *text)
{
    if (!strcmp(text, "forward"))
        return 1u << LT_FORWARD;
    if (!strcmp(text, "backward"))
        return 1u << LT_BACKWARD;
    return strcmp(text, "both") ? 0 : 1u << LT_FORWARD | 1u << LT_BACKWARD;
}

livetcp_result lt_path_apply(lt_path *path, unsigned directions, const char *spec,
                             livetcp_error *error)
{
    lt_link_params params[2];
    livetcp_result result = LIVETCP_OK;
    for (int i = 0; i < 2 && !result; i++) {
        lt_path_get(path, (lt_direction)i, &params[i]);
        if (directions & 1u << i)
            result = lt_link_params_parse(&params[i], spec, error);
    }
    for (int i = 0; i < 2 && !result; i++)
        if (directions & 1u << i)
            result = lt_path_set(path, (lt_direction)i, &params[i], error);
    return result;
}
