/* SPDX-License-Identifier: MIT */
/* Generates RTP packets: a tone that any receiver of G.711 plays, or packets at a bit rate. */
#ifndef LT_TOOL_TEST_SIGNAL_H
#define LT_TOOL_TEST_SIGNAL_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

enum { LT_TEST_SIGNAL_MAX = 8190 };

typedef struct lt_test_signal {
    double rate; /* bit/s of RTP packets; 0: the tone */
    size_t size; /* of a packet; the tone has its own */
    uint32_t ssrc;
    uint64_t packets;
    uint8_t packet[LT_TEST_SIGNAL_MAX];
} lt_test_signal;

/* "tone", or a rate such as "2mbit", of packets of `size` bytes. */
livetcp_result lt_test_signal_init(lt_test_signal *signal, const char *kind, unsigned size,
                                   livetcp_error *error);

/* Makes the next packet; *offset is its time after the first. Returns its size. */
size_t lt_test_signal_next(lt_test_signal *signal, livetcp_usec *offset);

#endif
