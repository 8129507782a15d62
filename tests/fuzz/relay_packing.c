/* SPDX-License-Identifier: MIT */
/* Datagrams of programs and packets of peers at an end of a relay. The first byte of the input
 * chooses the encapsulation, the rest is the datagram, and then the packet: what is packed comes
 * out as it was, and what is unpacked lies within the packet. */
#include "fuzz.h"

#include "relay/plan/packing.h"

#include <string.h>

static void pack(lt_relay_packer *packer, const uint8_t *data, size_t size, uint8_t *room)
{
    const uint8_t *packet = NULL, *back = NULL;
    size_t packet_size = 0, back_size = 0;

    if (lt_relay_pack(packer, data, size, (livetcp_usec)size * 1000, room, &packet, &packet_size) !=
        LT_RELAY_FITS)
        return;
    FUZZ_REQUIRE(packet == data || packet == room);
    FUZZ_REQUIRE(packet_size >= size && packet_size <= LT_RELAY_PACKET_MAX);
    FUZZ_REQUIRE(lt_relay_unpack(packer, packet, packet_size, &back, &back_size) == LT_RELAY_FITS);
    FUZZ_REQUIRE(back_size == size && (!size || !memcmp(back, data, size)));
}

static void unpack(const lt_relay_packer *packer, const uint8_t *data, size_t size)
{
    const uint8_t *datagram = NULL;
    size_t datagram_size = 0;
    lt_relay_fit fit = lt_relay_unpack(packer, data, size, &datagram, &datagram_size);

    FUZZ_REQUIRE(lt_relay_fit_text(fit)[0]);
    if (fit == LT_RELAY_FITS)
        FUZZ_REQUIRE(datagram >= data && datagram + datagram_size <= data + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t seed[LT_RELAY_SEED] = {0};
    lt_relay_packer packer;
    uint8_t *copy, *room;

    if (!size || size > LT_RELAY_PACKET_MAX)
        return 0;
    copy = malloc(size); /* exactly as long as it is, for AddressSanitizer */
    room = malloc(LT_RELAY_PACKET_MAX);
    if (copy && room) {
        memcpy(copy, data + 1, size - 1);
        lt_relay_packer_init(&packer, (lt_relay_encap)(data[0] % 3), 96, seed);
        pack(&packer, copy, size - 1, room);
        unpack(&packer, copy, size - 1);
    }
    free(copy);
    free(room);
    return 0;
}
