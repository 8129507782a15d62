/* SPDX-License-Identifier: MIT */
/* One question to the kernel's routing (rtnetlink(7)), and its answers. */
#ifndef LT_LAB_DOCTOR_NETLINK_H
#define LT_LAB_DOCTOR_NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

/* Sends a request, whose nlmsg_seq this sets, and calls `take` for every message of the answer.
 * Returns 0, or the errno of a failure here or in the kernel. */
int lt_netlink_ask(struct nlmsghdr *request, void (*take)(const struct nlmsghdr *, void *context),
                   void *context);

/* Fills in `table`, of `count` attributes, from those that begin at `first`; the others are NULL.
 */
void lt_netlink_attributes(struct rtattr **table, unsigned count, struct rtattr *first, int length);

/* A number of 32 bits, 0 when there is no such attribute. */
unsigned lt_netlink_number(const struct rtattr *attribute);

/* A name, cut to the size of `text`; "" when there is no such attribute. */
void lt_netlink_text(const struct rtattr *attribute, char *text, unsigned size);

#endif
