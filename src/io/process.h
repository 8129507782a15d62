/* SPDX-License-Identifier: MIT */
/* State per process: random numbers, and the CNAME in RTCP. */
#ifndef LT_IO_PROCESS_H
#define LT_IO_PROCESS_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

/* Cryptographically secure random bytes; a livetcp_random_fn that ignores `user`. */
livetcp_result lt_io_random(void *user, uint8_t *bytes, size_t size);

/* This process's CNAME in RTCP: the same for all its sessions, so that a receiver can synchronise
 * streams of several sessions; random for each process (RFC 7022 section 4.2). NULL without
 * randomness. */
const char *lt_io_cname(void);

#endif
