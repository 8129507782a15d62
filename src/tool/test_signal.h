/* SPDX-License-Identifier: MIT */
/* Generates RTP packets: a G.711 tone, or packets at a bit rate. */
#ifndef LT_TOOL_TEST_SIGNAL_H
#define LT_TOOL_TEST_SIGNAL_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

enum { LT_TEST_SIGNAL_MAX = 8190 };

typedef struct lt_test_signal {
    double rate; /* bit/s of RTP packets; 0: the tone */
    size_t size; /* packet size; the tone has its own */
    uint32_t ssrc;
    uint64_t packets;
    uint8_t packet[LT_TEST_SIGNAL_MAX];
} lt_test_signal;

/* `kind`: "tone", or a rate such as "2mbit" in packets of `size` bytes. */
livetcp_result lt_test_signal_init(lt_test_signal *signal, const char *kind, unsigned size,
                                   livetcp_error *error);

/* Writes the next packet; *offset is its time after the first. Returns its size. */
size_t lt_test_signal_next(lt_test_signal *signal, livetcp_usec *offset);

#endif
