/* SPDX-License-Identifier: MIT */
/* What this program is called in RTCP. */
#ifndef LT_IO_CNAME_H
#define LT_IO_CNAME_H

/* The same for all sessions of a program, so that a receiver can play in step what comes in
 * several; another one each time it runs (RFC 7022 section 4.2). NULL without randomness. */
const char *lt_cname(void);

#endif
