/* SPDX-License-Identifier: MIT */
/* Things that a program has once: its source of secrets and its name in RTCP. */
#ifndef LT_IO_PROCESS_H
#define LT_IO_PROCESS_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

/* Unpredictable bytes from the operating system; a livetcp_random_fn whose `user` is not used. */
livetcp_result lt_io_random(void *user, uint8_t *bytes, size_t size);

/* This program's CNAME in RTCP: the same for all its sessions, so that a receiver can synchronise
 * streams that come in several; another one each time it runs (RFC 7022 section 4.2). NULL without
 * randomness. */
const char *lt_io_cname(void);

#endif
