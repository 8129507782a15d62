/* SPDX-License-Identifier: MIT */
#include "lab/doctor/netlink.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER = 64 << 10 }; /* more than the kernel puts into one datagram of a dump */

/* Returns true when this was the last message; *code is then 0 or an errno. */
static bool take_message(const struct nlmsghdr *message, bool dump,
                         void (*take)(const struct nlmsghdr *, void *), void *context, int *code)
{
    *code = 0;
    if (message->nlmsg_type == NLMSG_DONE)
        return true;
    if (message->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(message);
        *code = message->nlmsg_len < NLMSG_LENGTH(sizeof *error) ? EPROTO : -error->error;
        return true;
    }
    take(message, context);
    return !dump;
}

static int read_answer(int socket, const struct nlmsghdr *request,
                       void (*take)(const struct nlmsghdr *, void *), void *context)
{
    static _Alignas(struct nlmsghdr) char answer[ANSWER];
    const bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
    for (;;) {
        ssize_t length = recv(socket, answer, sizeof answer, 0);
        int code;
        if (length <= 0)
            return length ? errno : EPROTO;
        for (struct nlmsghdr *m = (struct nlmsghdr *)answer; NLMSG_OK(m, (size_t)length);
             m = NLMSG_NEXT(m, length))
            if (m->nlmsg_seq == request->nlmsg_seq && take_message(m, dump, take, context, &code))
                return code;
    }
}

int lt_netlink_ask(struct nlmsghdr *request, void (*take)(const struct nlmsghdr *, void *),
                   void *context)
{
    const struct timeval patience = {.tv_sec = 2};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), code;
    if (fd < 0)
        return errno;
    request->nlmsg_seq = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (send(fd, request, request->nlmsg_len, 0) < 0)
        code = errno;
    else
        code = read_answer(fd, request, take, context);
    close(fd);
    return code;
}

void lt_netlink_attributes(struct rtattr **table, unsigned count, struct rtattr *first, int length)
{
    memset(table, 0, count * sizeof *table);
    for (struct rtattr *a = first; RTA_OK(a, length); a = RTA_NEXT(a, length))
        if ((a->rta_type & NLA_TYPE_MASK) < count)
            table[a->rta_type & NLA_TYPE_MASK] = a;
}

unsigned lt_netlink_number(const struct rtattr *attribute)
{
    unsigned value = 0;
    if (attribute && RTA_PAYLOAD(attribute) >= sizeof value)
        memcpy(&value, RTA_DATA(attribute), sizeof value);
    return value;
}

void lt_netlink_text(const struct rtattr *attribute, char *text, unsigned size)
{
    unsigned length = attribute ? (unsigned)RTA_PAYLOAD(attribute) : 0;
    if (length >= size)
        length = size - 1;
    if (length)
        memcpy(text, RTA_DATA(attribute), length);
    text[length] = '\0';
}
