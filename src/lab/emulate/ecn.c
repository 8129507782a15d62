/* SPDX-License-Identifier: MIT */
#include "lab/emulate/ecn.h"

#include "base/bytes.h"

enum { IPV4_HEADER = 20, IPV6_HEADER = 40, IPV4_CHECKSUM = 10 };

static unsigned ip_version(const uint8_t *packet, size_t size)
{
    if (size >= IPV4_HEADER && packet[0] >> 4 == 4)
        return 4;
    if (size >= IPV6_HEADER && packet[0] >> 4 == 6)
        return 6;
    return 0;
}

lt_ecn lt_ecn_read(const uint8_t *packet, size_t size)
{
    switch (ip_version(packet, size)) {
    case 4:
        return (lt_ecn)(packet[1] & 3);
    case 6: /* the traffic class is in bits 4 to 11 of the header */
        return (lt_ecn)(packet[1] >> 4 & 3);
    default:
        return LT_ECN_NOT_ECT;
    }
}

/* RFC 1624 equation 3: HC' = ~(~HC + ~m + m'), m being the header's first 16-bit word. */
static void mark_ipv4(uint8_t *packet)
{
    uint16_t before = lt_read_be16(packet);
    packet[1] |= LT_ECN_CE;
    uint32_t sum = (uint16_t)~lt_read_be16(packet + IPV4_CHECKSUM);
    sum += (uint16_t)~before;
    sum += lt_read_be16(packet);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    lt_write_be16(packet + IPV4_CHECKSUM, (uint16_t)~sum);
}

void lt_ecn_mark(uint8_t *packet, size_t size)
{
    lt_ecn ecn = lt_ecn_read(packet, size);
    if (ecn != LT_ECN_ECT0 && ecn != LT_ECN_ECT1)
        return;
    if (ip_version(packet, size) == 4)
        mark_ipv4(packet);
    else
        packet[1] |= LT_ECN_CE << 4;
}
