/* SPDX-License-Identifier: MIT */
#include "lab/bench/control.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>

bool lt_control_send(int fd, lt_message_kind kind, livetcp_usec time)
{
    lt_message message = {.kind = kind, .time = time};
    return send(fd, &message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message;
}

bool lt_control_receive(int fd, lt_message *message)
{
    ssize_t n;
    do
        n = recv(fd, message, sizeof *message, 0);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *message;
}

bool lt_control_expect(int fd, lt_message_kind kind, livetcp_usec *time)
{
    lt_message message;
    if (!lt_control_receive(fd, &message) || message.kind != kind)
        return false;
    if (time)
        *time = message.time;
    return true;
}

bool lt_control_pending(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    return poll(&entry, 1, 0) > 0;
}
