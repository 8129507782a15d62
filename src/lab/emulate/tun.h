/* SPDX-License-Identifier: MIT */
/* A TUN device: an interface whose packets a program reads and writes. */
#ifndef LT_LAB_EMULATE_TUN_H
#define LT_LAB_EMULATE_TUN_H

#include <livetcp/base.h>

typedef struct lt_tun_config {
    const char *name;
    const char *ipv4; /* with an implied /24 */
    const char *ipv6; /* with an implied /64 */
    int mtu;
    int queue; /* packets that the kernel queues for the reader */
} lt_tun_config;

typedef struct lt_tun {
    int fd;     /* one IP packet per non-blocking read() and write() */
    int stats;  /* /proc/net/dev of the namespace */
    _Bool ipv6; /* false where the system has no IPv6 */
    char name[16];
} lt_tun;

/* Creates the device in the calling thread's network namespace, with its addresses, up, and without
 * packets of the kernel's own (router solicitations, duplicate address detection). On success the
 * caller closes it with lt_tun_close(); on failure there is nothing to close. */
livetcp_result lt_tun_open(lt_tun *tun, const lt_tun_config *config, livetcp_error *error);

/* No effect on a tun whose descriptors are -1. */
void lt_tun_close(lt_tun *tun);

/* Packets that the kernel dropped because the reader was too slow. */
unsigned long long lt_tun_dropped(const lt_tun *tun);

#endif
