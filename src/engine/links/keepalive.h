/* SPDX-License-Identifier: MIT */
/*
 * How long a connection may be silent before it asks whether the peer is there. Each connection
 * asks, so that beside thin media, such as speech, the questions of eight would take a tenth of a
 * link that has just room for it; they are asked less often there. (RTCP's share of a session is
 * 5 %, RFC 3550, section 6.2.)
 */
#ifndef LT_ENGINE_LINKS_KEEPALIVE_H
#define LT_ENGINE_LINKS_KEEPALIVE_H

#include <livetcp/config.h>

typedef struct lt_keepalive {
    livetcp_usec setting_us, longest_us;
    uint64_t bytes; /* read and written by the session */
    livetcp_usec since_us;
    double rate; /* bytes per second of the last interval */
} lt_keepalive;

void lt_keepalive_init(lt_keepalive *keepalive, const livetcp_config *config);

/* So many bytes were read or written. */
void lt_keepalive_passed(lt_keepalive *keepalive, size_t size, livetcp_usec now);

livetcp_usec lt_keepalive_interval(const lt_keepalive *keepalive, unsigned connections);

#endif
