/* SPDX-License-Identifier: MIT */
/* Interfaces, addresses and routes of the kernel (rtnetlink(7)), by libmnl, in the network
 * namespace of the calling thread. */
#ifndef LT_LAB_NETLINK_H
#define LT_LAB_NETLINK_H

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

/* ---- questions ---- */

/* Buffer of one request; the fixed part and attributes are added with libmnl. */
typedef union lt_netlink_request {
    struct nlmsghdr header;
    char bytes[256];
} lt_netlink_request;

/* Begins a message; NLM_F_REQUEST is implied. */
struct nlmsghdr *lt_netlink_begin(lt_netlink_request *request, uint16_t type, uint16_t flags);

/* Sends a request and calls `take` (may be NULL) for each message of the answer; starts again from
 * the first one if the kernel's table changes meanwhile. Returns 0, or the errno of a failure here
 * or in the kernel. */
int lt_netlink_ask(struct nlmsghdr *request,
                   void (*take)(const struct nlmsghdr *message, void *context), void *context);

/* ---- attributes ---- */

/* Fills `table` (`count` entries) with the attributes after the `fixed` bytes of the message's
 * fixed part; a missing attribute is NULL. */
void lt_netlink_attributes(const struct nlmsghdr *message, size_t fixed,
                           const struct nlattr **table, unsigned count);

/* The same for attributes in `size` bytes at `first`, and within an attribute. */
void lt_netlink_attributes_at(const void *first, size_t size, const struct nlattr **table,
                              unsigned count);
void lt_netlink_nested(const struct nlattr *nest, const struct nlattr **table, unsigned count);

/* A 32-bit number; 0 if the attribute is missing. */
unsigned lt_netlink_number(const struct nlattr *attribute);

/* A name, truncated to the size of `text`; "" if the attribute is missing. */
void lt_netlink_text(const struct nlattr *attribute, char *text, size_t size);

/* ---- changes; they return 0 or an errno ---- */

/* Brings an interface up. `mtu` and `queue` (packets) are set unless 0. */
int lt_netlink_bring_up(const char *interface, unsigned mtu, unsigned queue);

/* Adds an address; `family` is AF_INET or AF_INET6. */
int lt_netlink_add_address(const char *interface, int family, const char *address, unsigned prefix);

/* A network reached directly through an interface. */
typedef struct lt_netlink_route {
    int family;
    const char *to;
    unsigned prefix;
    unsigned metric; /* 0: the kernel's */
    unsigned table;  /* 0: main */
} lt_netlink_route;

int lt_netlink_add_route(const char *interface, const lt_netlink_route *route);

/* Adds a rule: packets from this address use this table. */
int lt_netlink_add_rule(int family, const char *from, unsigned table);

#endif
