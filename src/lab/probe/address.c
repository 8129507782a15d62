/* SPDX-License-Identifier: MIT */
#include "lab/probe/address.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

livetcp_result lt_probe_resolve(const char *host, const char *port, struct addrinfo **list,
                                livetcp_error *error)
{
    const struct addrinfo hints = {.ai_family = *host ? AF_UNSPEC : AF_INET6,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV | (*host ? 0 : AI_PASSIVE)};
    int code = getaddrinfo(*host ? host : NULL, port, &hints, list);

    if (!code)
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_SYSTEM, "%.150s: %s", host, gai_strerror(code));
}

void lt_probe_address_text(const struct sockaddr *address, socklen_t size,
                           char text[LT_ADDRESS_TEXT])
{
    char host[46] = "?", port[8] = "?";

    (void)getnameinfo(address, size, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV);
    if (!strncmp(host, "::ffff:", 7) && strchr(host, '.'))
        memmove(host, host + 7, strlen(host + 7) + 1);
    snprintf(text, LT_ADDRESS_TEXT, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}
