/* SPDX-License-Identifier: MIT */
#include "lab/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { SEQUENCE = 1, ATTEMPTS = 8, ANSWER = 32 << 10 }; /* larger than any datagram of a dump */

/* ---- questions ---- */

typedef struct question {
    void (*take)(const struct nlmsghdr *message, void *context);
    void *context;
    bool dump;
} question;

struct nlmsghdr *lt_netlink_begin(lt_netlink_request *request, uint16_t type, uint16_t flags)
{
    struct nlmsghdr *header = mnl_nlmsg_put_header(request->bytes);
    header->nlmsg_type = type;
    header->nlmsg_flags = NLM_F_REQUEST | flags;
    header->nlmsg_seq = SEQUENCE;
    return header;
}

static int on_message(const struct nlmsghdr *message, void *user)
{
    const question *q = user;
    if (q->take)
        q->take(message, q->context);
    return q->dump ? MNL_CB_OK : MNL_CB_STOP;
}

/* Returns 0 or an errno; EINTR if the table changed during a dump. */
static int exchange(struct mnl_socket *socket, const struct nlmsghdr *request, question *q)
{
    _Alignas(struct nlmsghdr) char answer[ANSWER];
    const struct timeval patience = {.tv_sec = 2};
    int more = MNL_CB_OK;
    (void)setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &patience,
                     sizeof patience);
    if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) ||
        mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
        return errno;
    while (more > MNL_CB_STOP) {
        ssize_t size = mnl_socket_recvfrom(socket, answer, sizeof answer);
        if (size <= 0)
            return size ? errno : EPROTO;
        more = mnl_cb_run(answer, (size_t)size, SEQUENCE, mnl_socket_get_portid(socket), on_message,
                          q);
    }
    return more < 0 ? errno : 0;
}

int lt_netlink_ask(struct nlmsghdr *request, void (*take)(const struct nlmsghdr *, void *),
                   void *context)
{
    question q = {take, context, (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP};
    int code = EINTR;
    for (int i = 0; i < ATTEMPTS && code == EINTR; i++) {
        struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
        if (!socket)
            return errno;
        code = exchange(socket, request, &q);
        mnl_socket_close(socket);
    }
    return code;
}

/* ---- attributes ---- */

typedef struct attribute_table {
    const struct nlattr **entries;
    unsigned count;
} attribute_table;

static int on_attribute(const struct nlattr *attribute, void *user)
{
    const attribute_table *table = user;
    const unsigned type = mnl_attr_get_type(attribute);
    if (type < table->count)
        table->entries[type] = attribute;
    return MNL_CB_OK;
}

static attribute_table empty_table(const struct nlattr **entries, unsigned count)
{
    memset(entries, 0, count * sizeof *entries);
    return (attribute_table){entries, count};
}

void lt_netlink_attributes(const struct nlmsghdr *message, size_t fixed,
                           const struct nlattr **entries, unsigned count)
{
    attribute_table table = empty_table(entries, count);
    mnl_attr_parse(message, (unsigned)fixed, on_attribute, &table);
}

void lt_netlink_attributes_at(const void *first, size_t size, const struct nlattr **entries,
                              unsigned count)
{
    attribute_table table = empty_table(entries, count);
    mnl_attr_parse_payload(first, size, on_attribute, &table);
}

void lt_netlink_nested(const struct nlattr *nest, const struct nlattr **entries, unsigned count)
{
    attribute_table table = empty_table(entries, count);
    mnl_attr_parse_nested(nest, on_attribute, &table);
}

unsigned lt_netlink_number(const struct nlattr *attribute)
{
    return attribute && mnl_attr_get_payload_len(attribute) >= sizeof(uint32_t)
               ? mnl_attr_get_u32(attribute)
               : 0;
}

void lt_netlink_text(const struct nlattr *attribute, char *text, size_t size)
{
    size_t length = attribute ? mnl_attr_get_payload_len(attribute) : 0;
    if (length >= size)
        length = size - 1;
    if (length)
        memcpy(text, mnl_attr_get_payload(attribute), length);
    text[length] = '\0';
}

/* ---- changes ---- */

int lt_netlink_bring_up(const char *interface, unsigned mtu, unsigned queue)
{
    lt_netlink_request request;
    struct nlmsghdr *header = lt_netlink_begin(&request, RTM_NEWLINK, NLM_F_ACK);
    struct ifinfomsg *link = mnl_nlmsg_put_extra_header(header, sizeof *link);
    link->ifi_family = AF_UNSPEC;
    link->ifi_index = (int)if_nametoindex(interface);
    link->ifi_flags = link->ifi_change = IFF_UP;
    if (!link->ifi_index)
        return ENODEV;
    if (mtu)
        mnl_attr_put_u32(header, IFLA_MTU, mtu);
    if (queue)
        mnl_attr_put_u32(header, IFLA_TXQLEN, queue);
    return lt_netlink_ask(header, NULL, NULL);
}

int lt_netlink_add_address(const char *interface, int family, const char *text, unsigned prefix)
{
    unsigned char address[16];
    lt_netlink_request request;
    struct nlmsghdr *header =
        lt_netlink_begin(&request, RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
    struct ifaddrmsg *message = mnl_nlmsg_put_extra_header(header, sizeof *message);
    const size_t size = family == AF_INET ? 4 : 16;
    if (inet_pton(family, text, address) != 1)
        return EINVAL;
    message->ifa_family = (unsigned char)family;
    message->ifa_prefixlen = (unsigned char)prefix;
    message->ifa_index = if_nametoindex(interface);
    mnl_attr_put(header, IFA_LOCAL, size, address);
    mnl_attr_put(header, IFA_ADDRESS, size, address);
    return lt_netlink_ask(header, NULL, NULL);
}

static size_t address_size(int family)
{
    return family == AF_INET ? 4 : 16;
}

int lt_netlink_add_route(const char *interface, const lt_netlink_route *route)
{
    unsigned char to[16];
    lt_netlink_request request;
    struct nlmsghdr *header =
        lt_netlink_begin(&request, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
    struct rtmsg *message = mnl_nlmsg_put_extra_header(header, sizeof *message);
    if (inet_pton(route->family, route->to, to) != 1)
        return EINVAL;
    message->rtm_family = (unsigned char)route->family;
    message->rtm_dst_len = (unsigned char)route->prefix;
    message->rtm_protocol = RTPROT_BOOT;
    message->rtm_scope = RT_SCOPE_LINK;
    message->rtm_type = RTN_UNICAST;
    mnl_attr_put_u32(header, RTA_TABLE, route->table ? route->table : RT_TABLE_MAIN);
    mnl_attr_put(header, RTA_DST, address_size(route->family), to);
    mnl_attr_put_u32(header, RTA_OIF, if_nametoindex(interface));
    if (route->metric)
        mnl_attr_put_u32(header, RTA_PRIORITY, route->metric);
    return lt_netlink_ask(header, NULL, NULL);
}

int lt_netlink_add_rule(int family, const char *from, unsigned table)
{
    unsigned char address[16];
    lt_netlink_request request;
    struct nlmsghdr *header =
        lt_netlink_begin(&request, RTM_NEWRULE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
    struct fib_rule_hdr *message = mnl_nlmsg_put_extra_header(header, sizeof *message);
    if (inet_pton(family, from, address) != 1)
        return EINVAL;
    message->family = (unsigned char)family;
    message->src_len = (unsigned char)(address_size(family) * 8);
    message->action = FR_ACT_TO_TBL;
    mnl_attr_put(header, FRA_SRC, address_size(family), address);
    mnl_attr_put_u32(header, FRA_TABLE, table);
    return lt_netlink_ask(header, NULL, NULL);
}
