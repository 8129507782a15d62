/* SPDX-License-Identifier: MIT */
/* The interface that packets leave by: offloads and interrupts (ethtool's ioctl), sizes and queue
 * (rtnetlink). */
#include "lab/doctor/gather.h"
#include "lab/netlink.h"

#include <linux/ethtool.h>
#include <linux/pkt_sched.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool ethtool(int fd, const char *name, void *command)
{
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    request.ifr_data = command;
    return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

static void read_offloads(int fd, lt_interface_fact *interface)
{
    static const struct {
        unsigned command, bit;
    } asked[LT_OFFLOAD_COUNT] = {
        [LT_OFFLOAD_TSO] = {ETHTOOL_GTSO, ~0U},
        [LT_OFFLOAD_GSO] = {ETHTOOL_GGSO, ~0U},
        [LT_OFFLOAD_GRO] = {ETHTOOL_GGRO, ~0U},
        [LT_OFFLOAD_LRO] = {ETHTOOL_GFLAGS, ETH_FLAG_LRO},
    };
    for (int i = 0; i < LT_OFFLOAD_COUNT; i++) {
        struct ethtool_value value = {.cmd = asked[i].command};
        interface->offload_known[i] = ethtool(fd, interface->name, &value);
        interface->offload[i] = interface->offload_known[i] && (value.data & asked[i].bit);
    }
}

static void read_coalescing(int fd, lt_interface_fact *interface)
{
    struct ethtool_coalesce coalesce = {.cmd = ETHTOOL_GCOALESCE};
    interface->coalescing_known = ethtool(fd, interface->name, &coalesce);
    interface->coalesce_us = coalesce.rx_coalesce_usecs;
}

static void take_link(const struct nlmsghdr *message, void *context)
{
    lt_interface_fact *interface = context;
    const struct nlattr *a[IFLA_MAX + 1];
    if (message->nlmsg_type != RTM_NEWLINK)
        return;
    lt_netlink_attributes(message, sizeof(struct ifinfomsg), a, IFLA_MAX + 1);
    interface->mtu = lt_netlink_number(a[IFLA_MTU]);
    interface->queue_packets = lt_netlink_number(a[IFLA_TXQLEN]);
}

/* Values that the kernel does not report stay 0, unknown. */
static void read_link(lt_interface_fact *interface)
{
    lt_netlink_request request;
    struct nlmsghdr *header = lt_netlink_begin(&request, RTM_GETLINK, 0);
    struct ifinfomsg *link = mnl_nlmsg_put_extra_header(header, sizeof *link);
    link->ifi_family = AF_UNSPEC;
    link->ifi_index = (int)if_nametoindex(interface->name);
    (void)lt_netlink_ask(header, take_link, interface);
}

typedef struct queue_search {
    lt_interface_fact *interface;
    int index;
} queue_search;

/* A multi-queue root has a qdisc per queue; the first one is reported for all. */
static void take_qdisc(const struct nlmsghdr *message, void *context)
{
    queue_search *s = context;
    const struct tcmsg *found = mnl_nlmsg_get_payload(message);
    const struct nlattr *a[TCA_MAX + 1];
    if (message->nlmsg_type != RTM_NEWQDISC || mnl_nlmsg_get_payload_len(message) < sizeof *found ||
        found->tcm_ifindex != s->index)
        return;
    lt_netlink_attributes(message, sizeof *found, a, TCA_MAX + 1);
    if (found->tcm_parent == TC_H_ROOT)
        lt_netlink_text(a[TCA_KIND], s->interface->qdisc, sizeof s->interface->qdisc);
    else if (found->tcm_parent != TC_H_INGRESS && !s->interface->inner_qdisc[0])
        lt_netlink_text(a[TCA_KIND], s->interface->inner_qdisc, sizeof s->interface->inner_qdisc);
}

static void read_qdisc(lt_interface_fact *interface)
{
    queue_search s = {interface, (int)if_nametoindex(interface->name)};
    lt_netlink_request request;
    struct nlmsghdr *header = lt_netlink_begin(&request, RTM_GETQDISC, NLM_F_DUMP);
    struct tcmsg *qdisc = mnl_nlmsg_put_extra_header(header, sizeof *qdisc);
    qdisc->tcm_family = AF_UNSPEC;
    interface->qdisc_error = lt_netlink_ask(header, take_qdisc, &s);
    /* mq is the root of multi-queue interfaces; other parents are custom configurations. */
    if (strcmp(interface->qdisc, "mq") != 0)
        interface->inner_qdisc[0] = '\0';
    interface->qdisc_how = interface->qdisc_error ? LT_FAILED
                           : interface->qdisc[0]  ? LT_KNOWN
                                                  : LT_ABSENT;
}

void lt_gather_interface(lt_facts *facts, const char *name)
{
    lt_interface_fact *interface = &facts->interface;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memset(interface, 0, sizeof *interface);
    snprintf(interface->name, sizeof interface->name, "%s", name);
    if (fd >= 0) {
        read_offloads(fd, interface);
        read_coalescing(fd, interface);
        close(fd);
    }
    read_link(interface);
    read_qdisc(interface);
}
