/* SPDX-License-Identifier: MIT */
/* The route to a peer, or the default route, and what it says about TCP (ip-route(8)). */
#include "lab/doctor/gather.h"
#include "lab/doctor/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct question {
    struct nlmsghdr header;
    struct rtmsg route;
    char attributes[64];
} question;

typedef struct search {
    lt_route_fact *route;
    unsigned device;   /* only routes over this interface; 0 = any */
    bool any_length;   /* the answer is one route; otherwise only default ones count */
    unsigned priority; /* of the route taken so far */
} search;

static void add(question *q, unsigned short type, const void *data, size_t size)
{
    struct rtattr *a = (struct rtattr *)((char *)q + NLMSG_ALIGN(q->header.nlmsg_len));
    a->rta_type = type;
    a->rta_len = (unsigned short)RTA_LENGTH(size);
    memcpy(RTA_DATA(a), data, size);
    q->header.nlmsg_len = NLMSG_ALIGN(q->header.nlmsg_len) + RTA_ALIGN(a->rta_len);
}

static void take_metrics(lt_route_fact *route, struct rtattr *metrics)
{
    struct rtattr *m[RTAX_MAX + 1];
    lt_netlink_attributes(m, RTAX_MAX + 1, RTA_DATA(metrics), (int)RTA_PAYLOAD(metrics));
    route->initcwnd = lt_netlink_number(m[RTAX_INITCWND]);
    route->initrwnd = lt_netlink_number(m[RTAX_INITRWND]);
    route->rto_min_ms = lt_netlink_number(m[RTAX_RTO_MIN]);
    route->quickack = lt_netlink_number(m[RTAX_QUICKACK]);
    route->features = lt_netlink_number(m[RTAX_FEATURES]);
    lt_netlink_text(m[RTAX_CC_ALGO], route->congestion_control, sizeof route->congestion_control);
}

/* A multipath route counts by its first way. */
static void find_way(struct rtattr *const *a, unsigned *device, struct rtattr **gateway,
                     struct rtattr **inner)
{
    *device = lt_netlink_number(a[RTA_OIF]);
    *gateway = a[RTA_GATEWAY];
    if (!*device && a[RTA_MULTIPATH] && RTA_PAYLOAD(a[RTA_MULTIPATH]) >= sizeof(struct rtnexthop)) {
        struct rtnexthop *hop = RTA_DATA(a[RTA_MULTIPATH]);
        *device = (unsigned)hop->rtnh_ifindex;
        if (hop->rtnh_len >= sizeof *hop && hop->rtnh_len <= RTA_PAYLOAD(a[RTA_MULTIPATH])) {
            lt_netlink_attributes(inner, RTA_MAX + 1, RTNH_DATA(hop),
                                  (int)(hop->rtnh_len - sizeof *hop));
            *gateway = inner[RTA_GATEWAY];
        }
    }
}

static void take_route(const struct nlmsghdr *message, void *context)
{
    search *s = context;
    const struct rtmsg *found = NLMSG_DATA(message);
    struct rtattr *a[RTA_MAX + 1], *inner[RTA_MAX + 1], *gateway;
    unsigned device, priority;

    if (message->nlmsg_type != RTM_NEWROUTE || message->nlmsg_len < NLMSG_LENGTH(sizeof *found))
        return;
    lt_netlink_attributes(a, RTA_MAX + 1, RTM_RTA(found), (int)RTM_PAYLOAD(message));
    find_way(a, &device, &gateway, inner);
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
    if (gateway && RTA_PAYLOAD(gateway) >= (found->rtm_family == AF_INET ? 4U : 16U))
        inet_ntop(found->rtm_family, RTA_DATA(gateway), s->route->gateway,
                  sizeof s->route->gateway);
    if (a[RTA_METRICS])
        take_metrics(s->route, a[RTA_METRICS]);
    s->route->how = LT_KNOWN;
}

/* Returns 0 or an errno. */
static int ask(int family, const void *address, search *s)
{
    question q = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
                   .nlmsg_type = RTM_GETROUTE,
                   .nlmsg_flags = NLM_F_REQUEST | (address ? 0 : NLM_F_DUMP)},
        .route = {.rtm_family = (unsigned char)family},
    };
    if (address) {
        const size_t size = family == AF_INET ? 4 : 16;
        q.route.rtm_dst_len = (unsigned char)(size * 8);
        add(&q, RTA_DST, address, size);
        if (s->device)
            add(&q, RTA_OIF, &s->device, sizeof s->device);
    }
    return lt_netlink_ask(&q.header, take_route, s);
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
