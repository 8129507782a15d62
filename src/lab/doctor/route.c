/* SPDX-License-Identifier: MIT */
/* The route to a peer, or the default route, and its TCP metrics (ip-route(8)). */
#include "lab/doctor/gather.h"
#include "lab/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct search {
    lt_route_fact *route;
    unsigned device;   /* only routes over this interface; 0 = any */
    bool any_length;   /* the answer is one route; otherwise only default ones count */
    unsigned priority; /* of the route taken so far */
} search;

static void take_metrics(lt_route_fact *route, const struct nlattr *metrics)
{
    const struct nlattr *m[RTAX_MAX + 1];
    lt_netlink_nested(metrics, m, RTAX_MAX + 1);
    route->initcwnd = lt_netlink_number(m[RTAX_INITCWND]);
    route->initrwnd = lt_netlink_number(m[RTAX_INITRWND]);
    route->rto_min_ms = lt_netlink_number(m[RTAX_RTO_MIN]);
    route->quickack = lt_netlink_number(m[RTAX_QUICKACK]);
    route->features = lt_netlink_number(m[RTAX_FEATURES]);
    lt_netlink_text(m[RTAX_CC_ALGO], route->congestion_control, sizeof route->congestion_control);
}

/* A multipath route counts by its first way. */
static void find_way(const struct nlattr *const *a, unsigned *device, const struct nlattr **gateway)
{
    const struct nlattr *inner[RTA_MAX + 1], *ways = a[RTA_MULTIPATH];
    *device = lt_netlink_number(a[RTA_OIF]);
    *gateway = a[RTA_GATEWAY];
    if (*device || !ways || mnl_attr_get_payload_len(ways) < sizeof(struct rtnexthop))
        return;
    const struct rtnexthop *hop = mnl_attr_get_payload(ways);
    *device = (unsigned)hop->rtnh_ifindex;
    if (hop->rtnh_len < sizeof *hop || hop->rtnh_len > mnl_attr_get_payload_len(ways))
        return;
    lt_netlink_attributes_at(hop + 1, hop->rtnh_len - sizeof *hop, inner, RTA_MAX + 1);
    *gateway = inner[RTA_GATEWAY];
}

static void take_route(const struct nlmsghdr *message, void *context)
{
    search *s = context;
    const struct rtmsg *found = mnl_nlmsg_get_payload(message);
    const struct nlattr *a[RTA_MAX + 1], *gateway;
    unsigned device, priority;

    if (message->nlmsg_type != RTM_NEWROUTE || mnl_nlmsg_get_payload_len(message) < sizeof *found)
        return;
    lt_netlink_attributes(message, sizeof *found, a, RTA_MAX + 1);
    find_way(a, &device, &gateway);
    priority = lt_netlink_number(a[RTA_PRIORITY]);
    if (!device || (s->device && device != s->device) ||
        (!s->any_length && (found->rtm_dst_len || found->rtm_table != RT_TABLE_MAIN ||
                            found->rtm_type != RTN_UNICAST)) ||
        (s->route->how == LT_KNOWN && priority >= s->priority))
        return;
    memset(s->route, 0, sizeof *s->route);
    s->priority = priority;
    if (!if_indextoname(device, s->route->device))
        s->route->device[0] = '\0';
    if (gateway && mnl_attr_get_payload_len(gateway) >= (found->rtm_family == AF_INET ? 4U : 16U))
        inet_ntop(found->rtm_family, mnl_attr_get_payload(gateway), s->route->gateway,
                  sizeof s->route->gateway);
    if (a[RTA_METRICS])
        take_metrics(s->route, a[RTA_METRICS]);
    s->route->how = LT_KNOWN;
}

/* Returns 0 or an errno. */
static int ask(int family, const void *address, search *s)
{
    lt_netlink_request request;
    struct nlmsghdr *header = lt_netlink_begin(&request, RTM_GETROUTE, address ? 0 : NLM_F_DUMP);
    struct rtmsg *route = mnl_nlmsg_put_extra_header(header, sizeof *route);
    route->rtm_family = (unsigned char)family;
    if (address) {
        const size_t size = family == AF_INET ? 4 : 16;
        route->rtm_dst_len = (unsigned char)(size * 8);
        mnl_attr_put(header, RTA_DST, size, address);
        if (s->device)
            mnl_attr_put_u32(header, RTA_OIF, s->device);
    }
    return lt_netlink_ask(header, take_route, s);
}

static int ask_for_peer(const struct sockaddr_storage *to, search *s)
{
    const void *address = to->ss_family == AF_INET
                              ? (const void *)&((const struct sockaddr_in *)to)->sin_addr
                              : (const void *)&((const struct sockaddr_in6 *)to)->sin6_addr;
    int code = ask(to->ss_family, address, s);
    inet_ntop(to->ss_family, address, s->route->to, sizeof s->route->to);
    return code;
}

void lt_gather_route(lt_facts *facts, const struct sockaddr_storage *to, const char *interface)
{
    lt_route_fact *route = &facts->route;
    search s = {.route = route,
                .device = interface ? if_nametoindex(interface) : 0,
                .any_length = to != NULL};
    int code;

    memset(route, 0, sizeof *route);
    route->how = LT_ABSENT;
    if (to) {
        code = ask_for_peer(to, &s);
    } else {
        code = ask(AF_INET, NULL, &s);
        if (!code && route->how != LT_KNOWN)
            code = ask(AF_INET6, NULL, &s);
        snprintf(route->to, sizeof route->to, "default");
    }
    if (code) {
        route->how = LT_FAILED;
        route->error = code;
    }
}
