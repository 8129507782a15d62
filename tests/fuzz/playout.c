/* SPDX-License-Identifier: MIT */
/* A playout. The first bytes are its config, then come operations: a packet next to the one before
 * in number and time, a wild one, time that passes, feedback. Every token must come back once, no
 * number may be played twice, and no play time may be later than the maximum allows. */
#include "fuzz.h"

#include "base/bytes.h"

#include <livetcp/playout.h>

#include <string.h>

#define TOKENS 4096

typedef struct state {
    livetcp_playout *playout;
    livetcp_playout_config config;
    livetcp_usec now;
    uint32_t ssrc, timestamp;
    uint16_t sequence;
    unsigned packets;
    uint8_t out[TOKENS]; /* how often each token came back */
} state;

static void came_back(void *token, void *user)
{
    state *s = user;
    size_t number = (size_t)((uint8_t *)token - s->out);

    FUZZ_REQUIRE(number < TOKENS);
    s->out[number]++;
    FUZZ_REQUIRE(s->out[number] == 1);
}

static void put(state *s, unsigned flags)
{
    uint8_t bytes[20] = {0x80, (uint8_t)(96 | (flags & 0x80))};
    livetcp_playout_slot slot = {.struct_size = sizeof slot};
    livetcp_playout_packet packet = {.struct_size = sizeof packet,
                                     .data = bytes,
                                     .size = sizeof bytes,
                                     .arrival_us = s->now,
                                     .flags = flags & 7};
    livetcp_usec most = s->config.max_latency_us;

    if (s->packets == TOKENS)
        return;
    packet.token = flags & 0x40 ? &s->out[s->packets] : NULL;
    lt_write_be16(bytes + 2, s->sequence);
    lt_write_be32(bytes + 4, s->timestamp);
    lt_write_be32(bytes + 8, s->ssrc);
    FUZZ_REQUIRE(livetcp_playout_put(s->playout, &packet, &slot) == LIVETCP_OK);
    if (slot.result == LIVETCP_PLAYOUT_PLAY)
        FUZZ_REQUIRE(slot.play_us >= s->now && slot.play_us <= s->now + most);
    if (packet.token &&
        (s->config.release == LIVETCP_PLAYOUT_TIMES_ONLY || slot.result == LIVETCP_PLAYOUT_LATE ||
         slot.result == LIVETCP_PLAYOUT_DUPLICATE))
        came_back(packet.token, s);
    if (!packet.token)
        s->out[s->packets] = 1;
    s->packets++;
}

static void pull(state *s)
{
    livetcp_playout_item item = {.struct_size = sizeof item};
    livetcp_playout_item shown = {.struct_size = sizeof shown};
    unsigned items = 0;

    if (s->config.release == LIVETCP_PLAYOUT_TIMES_ONLY)
        return;
    do {
        if (item.kind != LIVETCP_PLAYOUT_CONCEAL) /* what is shown stays so until it comes */
            FUZZ_REQUIRE(livetcp_playout_peek(s->playout, &shown) == LIVETCP_OK);
        FUZZ_REQUIRE(livetcp_playout_pull(s->playout, s->now, &item) == LIVETCP_OK);
        if (item.kind == LIVETCP_PLAYOUT_PACKET)
            FUZZ_REQUIRE(shown.kind == LIVETCP_PLAYOUT_PACKET && shown.ssrc == item.ssrc &&
                         shown.sequence == item.sequence && shown.token == item.token &&
                         shown.play_us == item.play_us);
        FUZZ_REQUIRE(items++ < 100000);
        if (item.kind == LIVETCP_PLAYOUT_PACKET && item.token)
            came_back(item.token, s);
        else if (item.kind == LIVETCP_PLAYOUT_PACKET)
            FUZZ_REQUIRE(item.size == 20 && lt_read_be16(item.data + 2) == item.sequence &&
                         lt_read_be32(item.data + 8) == item.ssrc);
        if (item.kind == LIVETCP_PLAYOUT_CONCEAL)
            FUZZ_REQUIRE(item.missing > 0 && item.missing <= 3000);
    } while (item.kind != LIVETCP_PLAYOUT_NOTHING);
    FUZZ_REQUIRE(livetcp_playout_next_deadline(s->playout) > s->now);
}

static void tell_path(state *s, fuzz_reader *in)
{
    static const livetcp_usec rtts[] = {0, -1, 20000, 300000, 36000000000, INT64_MAX, INT64_MIN};
    livetcp_playout_path path = {.struct_size = sizeof path,
                                 .rtt_us = rtts[fuzz_byte(in) % 7],
                                 .repair = (livetcp_playout_repair)(fuzz_byte(in) % 5),
                                 .hedge_delay_us = rtts[fuzz_byte(in) % 7],
                                 .copies = fuzz_byte(in),
                                 .parity_group = fuzz_byte(in) * 77};

    FUZZ_REQUIRE(livetcp_playout_set_path(s->playout, &path) == LIVETCP_OK);
}

static void operate(state *s, fuzz_reader *in)
{
    unsigned operation = fuzz_byte(in), value = fuzz_byte(in);

    switch (operation % 8) {
    case 0: /* from elsewhere */
        s->sequence = (uint16_t)(value << 8 | fuzz_byte(in));
        break;
    case 1:
        s->timestamp = value << 24 | fuzz_byte(in) << 8;
        break;
    case 2:
        s->ssrc = value % 3;
        break;
    case 3:
        s->now += (livetcp_usec)value * value * (operation & 0x80 ? 10000 : 100);
        pull(s);
        return;
    case 4:
        tell_path(s, in);
        return;
    case 5: /* before or after the one before it */
        s->sequence = (uint16_t)(s->sequence + (value & 15) - 8);
        s->timestamp += 160 * ((value & 15) - 8);
        break;
    default:
        s->sequence++;
        s->timestamp += 160 * (value & 3);
        s->now += (value & 60) * 500;
    }
    put(s, value & 0xc3);
    if (operation & 0x40)
        pull(s);
    if (operation == 255)
        livetcp_playout_flush(s->playout);
}

static void check_stats(const state *s)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};

    FUZZ_REQUIRE(livetcp_playout_get_stats(s->playout, &stats) == LIVETCP_OK);
    FUZZ_REQUIRE(stats.played_ratio >= 0 && stats.played_ratio <= 1);
    FUZZ_REQUIRE(stats.saved_ratio >= 0 && stats.saved_ratio <= 1);
    FUZZ_REQUIRE(stats.burst_ratio >= 0);
    FUZZ_REQUIRE(stats.played + stats.played_late <= stats.received);
    FUZZ_REQUIRE(stats.held_packets <= s->config.capacity_packets);
    FUZZ_REQUIRE(stats.received == s->packets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    state s = {.now = 1000000000, .ssrc = 1};

    livetcp_playout_config_init(&s.config);
    s.config.mode = (livetcp_playout_mode)(fuzz_byte(&in) % 5);
    s.config.media = (livetcp_playout_media)(fuzz_byte(&in) % 2);
    s.config.release = (livetcp_playout_release)(fuzz_byte(&in) % 3);
    s.config.clock_rate = 8000;
    s.config.capacity_packets = 16 + 4 * fuzz_byte(&in);
    s.config.drop_token = came_back;
    s.config.user = &s;
    FUZZ_REQUIRE(livetcp_playout_create(&s.config, &s.playout, NULL) == LIVETCP_OK);
    while (in.size) {
        operate(&s, &in);
        check_stats(&s);
    }
    s.now += 3600 * (livetcp_usec)LIVETCP_USEC_SEC;
    if (size % 2) /* half of the inputs leave something behind */
        pull(&s);
    livetcp_playout_destroy(&s.playout);
    for (unsigned i = 0; i < s.packets; i++)
        FUZZ_REQUIRE(s.out[i] == 1);
    return 0;
}
