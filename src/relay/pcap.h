/* SPDX-License-Identifier: MIT */
/* Records the packets of routes as a pcap file, each in a UDP datagram from 10.R.R.E to 10.R.R.254,
 * where R.R is the number of the route from 0 and E that of the end from 1; RTP to port 5004, RTCP
 * to 5005. */
#ifndef LT_RELAY_PCAP_H
#define LT_RELAY_PCAP_H

#include "relay/writer.h"

#include <stdint.h>

typedef struct lt_relay_pcap {
    lt_relay_writer *writer;
    uint64_t left_out; /* packets not recorded: the disk was too slow, or full */
} lt_relay_pcap;

livetcp_result lt_relay_pcap_open(lt_relay_pcap *pcap, uv_loop_t *loop, const char *path,
                                  livetcp_error *error);

void lt_relay_pcap_put(lt_relay_pcap *pcap, unsigned route, unsigned end, bool rtcp,
                       const uint8_t *packet, size_t size);

/* As lt_relay_writer_destroy(). */
void lt_relay_pcap_close(lt_relay_pcap *pcap);

#endif
