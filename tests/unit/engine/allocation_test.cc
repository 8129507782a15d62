/* SPDX-License-Identifier: MIT */
/* Fails every allocation of a scenario in turn: no crash, no leak, and the next packet is handled.
 */
#include "failing_allocation.h"
#include "receiver.h"

#include <algorithm>

extern "C" {
#include "engine/receiver/parity_decoder.h"
#include "engine/receiver/receiver.h"
#include "engine/repair/parity_encoder.h"
#include "engine/sender/send_queue.h"
#include "wire/frame.h"

#include <livetcp/playout.h>
#include <livetcp/rtp.h>
}

namespace
{

template <typename Scenario> void sweep(Scenario scenario)
{
    long needed = sweep_allocations([&] {
        armed = true;
        scenario();
    });
    CHECK(needed > 0);
}

struct Count {
    uint64_t delivered = 0;
};

void count_delivered(void *user, const lt_arrival *)
{
    static_cast<Count *>(user)->delivered++;
}

livetcp_result push(lt_reassembly *reassembly, uint32_t ssrc, uint16_t sequence, livetcp_usec now)
{
    uint8_t bytes[LT_RTP_MIN_SIZE] = {0x80, 96};
    lt_arrival arrival = {};
    arrival.data = bytes;
    arrival.size = sizeof bytes;
    arrival.arrival_us = now;
    arrival.header.ssrc = ssrc;
    arrival.header.sequence = sequence;
    return lt_reassembly_push(reassembly, &arrival);
}

/* Loss, reordering, a jump and a restart: every case in which reassembly copies packets. */
void receive_all(livetcp_order order)
{
    const uint16_t sequences[] = {5, 4, 6, 9, 8, 200, 7, 20000, 20001, 20003, 20002, 20002};
    Count count;
    lt_reassembly *r = lt_reassembly_create(order, 1000000, count_delivered, &count);
    if (!r)
        return;
    uint64_t pushed = 0, lost = 0;
    for (uint32_t ssrc = 1; ssrc <= 2; ssrc++) {
        for (uint16_t sequence : sequences) {
            livetcp_result result = push(r, ssrc, sequence, (livetcp_usec)pushed * 10000);
            if (result != LIVETCP_OK && result != LIVETCP_ERR_NO_MEMORY)
                abort();
            lost += result != LIVETCP_OK;
            pushed++;
        }
    }
    lt_reassembly_expire(r, 100000000);
    const lt_reassembly_stats *stats = lt_reassembly_get_stats(r);
    bool counted = stats->delivered == count.delivered && lost <= 1 &&
                   stats->delivered + stats->duplicates + stats->late_discarded + lost == pushed;
    /* After any failure, a new stream works. */
    uint64_t before = count.delivered;
    armed = false;
    bool works = push(r, 77, 1, 200000000) == LIVETCP_OK;
    lt_reassembly_expire(r, 300000000);
    works = works && count.delivered == before + 1;
    lt_reassembly_destroy(&r);
    CHECK(counted);
    CHECK(works);
}

lt_receive_permission permit_all(void *, unsigned)
{
    return LT_RECEIVE_ALL;
}

livetcp_result take_control(void *, unsigned, const uint8_t *, size_t, livetcp_usec)
{
    return LIVETCP_OK;
}

/* A stream with a gap, split at every position, parity announced; then a new connection. */
void receive_stream(livetcp_order order)
{
    livetcp_config config;
    Count count;
    livetcp_config_init(&config);
    config.order = order;
    lt_receiver_sink sink = {permit_all, count_delivered, count_delivered, take_control, &count};
    lt_receiver *r = lt_receiver_create(&config, &sink);
    if (!r)
        return;
    std::vector<uint8_t> frame(LT_FRAME_HEADER + LT_RTP_MIN_SIZE + 1000);
    auto receive = [&](uint16_t sequence, size_t from, size_t to) {
        lt_write_be16(frame.data(), (uint16_t)(frame.size() - LT_FRAME_HEADER));
        frame[2] = 0x80;
        frame[3] = 96;
        lt_write_be16(&frame[4], sequence);
        return lt_receiver_receive(r, 0, &frame[from], to - from, 0);
    };
    lt_control announcement = {};
    announcement.parity_ssrc = 1;
    announcement.payload_type = 97;
    lt_receiver_start(r, 0);
    livetcp_result announced = lt_receiver_parity_announced(r, &announcement), result = LIVETCP_OK;
    for (uint16_t sequence = 1; sequence < 9 && result == LIVETCP_OK; sequence += 2) {
        result = receive(sequence, 0, 300);
        if (result == LIVETCP_OK)
            result = receive(sequence, 300, frame.size());
    }
    bool told = (announced == LIVETCP_OK || announced == LIVETCP_ERR_NO_MEMORY) &&
                (result == LIVETCP_OK || result == LIVETCP_ERR_NO_MEMORY);
    /* After any failure, a new connection works. */
    lt_receiver_expire(r, LIVETCP_NEVER);
    uint64_t before = count.delivered;
    armed = false;
    lt_receiver_reset(r, 0);
    lt_receiver_start(r, 0);
    bool works = receive(20, 0, frame.size()) == LIVETCP_OK;
    lt_receiver_expire(r, LIVETCP_NEVER);
    works = works && count.delivered == before + 1;
    lt_receiver_destroy(&r);
    CHECK(told);
    CHECK(works);
}

} // namespace

TEST_CASE("a receiver survives every failing allocation", "[allocation]")
{
    sweep([] { receive_stream(LIVETCP_ORDER_ARRIVAL); });
    sweep([] { receive_stream(LIVETCP_ORDER_SEQUENCE); });
}

TEST_CASE("reassembly survives every failing allocation", "[allocation]")
{
    sweep([] { receive_all(LIVETCP_ORDER_ARRIVAL); });
    sweep([] { receive_all(LIVETCP_ORDER_SEQUENCE); });
}

TEST_CASE("a deframer goes on after a failed allocation", "[allocation]")
{
    std::vector<uint8_t> stream(2 + 5000, 7);
    lt_write_be16(stream.data(), 5000);
    sweep([&] {
        lt_deframer deframer;
        const uint8_t *frame = nullptr;
        size_t frame_size = 0, frames = 0, failures = 0;
        lt_deframer_init(&deframer, LT_FRAME_MAX);
        for (size_t at = 0; at < stream.size();) {
            const uint8_t *data = &stream[at];
            size_t size = std::min<size_t>(700, stream.size() - at), left = size;
            lt_deframe result = lt_deframer_next(&deframer, &data, &left, &frame, &frame_size);
            if (result == LT_DEFRAME_FRAME)
                frames++;
            failures += result == LT_DEFRAME_NO_MEMORY; /* retried with the remaining bytes */
            at += size - left;
        }
        bool same = frames == 1 && frame_size == 5000 && memcmp(frame, &stream[2], 5000) == 0;
        lt_deframer_clear(&deframer);
        CHECK(same);
        CHECK(failures <= 1);
    });
}

TEST_CASE("a send queue refuses a packet when memory is out, and drops none", "[allocation]")
{
    sweep([] {
        size_t refused = 0;
        lt_send_queue *queue = lt_send_queue_create(1000, 1 << 20);
        if (!queue)
            return;
        for (unsigned i = 0; i < 300; i++) {
            const uint8_t byte = 1;
            lt_packet *packet = lt_packet_create(&byte, 1);
            if (!packet) {
                refused++;
            } else if (lt_send_queue_push(queue, packet) != LIVETCP_OK) {
                refused++;
                lt_packet_unref(&packet);
            }
        }
        size_t queued = lt_send_queue_packets(queue);
        lt_send_queue_destroy(&queue);
        CHECK(refused <= 1);
        CHECK(queued + refused == 300);
    });
}

TEST_CASE("parity that cannot be made for lack of memory leaves its packets unprotected",
          "[allocation]")
{
    lt_packet *packets[6];
    for (uint16_t i = 0; i < 6; i++) {
        std::vector<uint8_t> bytes(100 + i * 100u, 0x80); /* each enlarges the sum */
        packets[i] = lt_packet_create(bytes.data(), bytes.size());
        packets[i]->sequence = i;
    }
    sweep([&] {
        lt_parity_encoder *encoder = lt_parity_encoder_create(2, 1, 8190, 1);
        if (!encoder)
            return;
        size_t made = 0;
        for (lt_packet *packet : packets) {
            if (lt_parity_encoder_add(encoder, packet) != LT_PARITY_FULL)
                continue;
            lt_packet *parity = lt_parity_encoder_finish(encoder, 0);
            made += parity != nullptr;
            lt_packet_unref(&parity);
        }
        uint64_t unprotected = lt_parity_encoder_unprotected(encoder);
        unsigned begun = lt_parity_encoder_count(encoder);
        lt_parity_encoder_destroy(&encoder);
        CHECK(made == (failed ? 2 : 3));
        CHECK(unprotected + begun == (failed ? 2 : 0));
        CHECK(unprotected <= 2);
    });
    for (lt_packet *&packet : packets)
        lt_packet_unref(&packet);
}

namespace
{

bool take(lt_parity_decoder *decoder, const lt_packet *packet)
{
    lt_rtp_header header = {};
    header.ssrc = packet->ssrc;
    header.sequence = packet->sequence;
    header.payload_type = lt_packet_data(packet)[1];
    return lt_parity_decoder_take(decoder, lt_packet_data(packet), lt_packet_size(packet), &header,
                                  0);
}

/* The decoder's part of a group whose second packet is lost; returns the number of rebuilt packets,
 * or -1 after another output. */
int receive_group(lt_parity_decoder *decoder, lt_packet *const *media, const lt_packet *parity)
{
    int rebuilt = 0;
    lt_rtp_header header;
    take(decoder, media[0]);
    take(decoder, media[2]);
    if (!take(decoder, parity))
        return -1;
    while (lt_packet *packet = lt_parity_decoder_next(decoder, 0, &header)) {
        bool same = packet->frame_size == media[1]->frame_size &&
                    memcmp(packet->frame, media[1]->frame, packet->frame_size) == 0;
        rebuilt += same ? 1 : -1000;
        lt_packet_unref(&packet);
    }
    return rebuilt;
}

} // namespace

TEST_CASE("a packet that cannot be rebuilt for lack of memory is missing, and nothing else",
          "[allocation]")
{
    lt_packet *media[6], *parity[2];
    lt_parity_encoder *encoder = lt_parity_encoder_create(3, 1, 8190, 1);
    lt_control announcement;
    lt_parity_encoder_announce(encoder, &announcement);
    for (uint16_t i = 0; i < 6; i++) {
        uint8_t bytes[100] = {0x80, 96, 0, (uint8_t)i};
        bytes[11] = 1;
        memset(bytes + 12, i, 50u + i);
        media[i] = lt_packet_create(bytes, 62u + i);
        media[i]->ssrc = 1;
        media[i]->sequence = i;
        if (lt_parity_encoder_add(encoder, media[i]) == LT_PARITY_FULL)
            parity[i / 3] = lt_parity_encoder_finish(encoder, 0);
    }
    sweep([&] {
        lt_parity_decoder *decoder = lt_parity_decoder_create(8190);
        if (!decoder)
            return;
        if (lt_parity_decoder_announce(decoder, announcement.parity_ssrc, announcement.media_ssrc,
                                       announcement.payload_type) != LIVETCP_OK) {
            bool nothing = lt_parity_decoder_held(decoder) == 0 && !take(decoder, parity[0]);
            lt_parity_decoder_destroy(&decoder);
            CHECK(nothing);
            return;
        }
        int first = receive_group(decoder, media, parity[0]);
        int second = receive_group(decoder, media + 3, parity[1]);
        size_t held = lt_parity_decoder_held(decoder);
        lt_parity_decoder_destroy(&decoder);
        CHECK(first >= 0);
        CHECK(second >= 0);
        CHECK(first + second >= (failed ? 1 : 2));
        CHECK(held <= 6 * 80);
    });
    lt_parity_encoder_destroy(&encoder);
    for (lt_packet *&packet : media)
        lt_packet_unref(&packet);
    for (lt_packet *&packet : parity)
        lt_packet_unref(&packet);
}

TEST_CASE("a redundancy encoder or decoder without memory is not there, and says so",
          "[allocation]")
{
    livetcp_redundancy_config config;
    livetcp_redundancy_config_init(&config);
    sweep([&] {
        livetcp_redundancy_encoder *encoder = nullptr;
        livetcp_redundancy_decoder *decoder = nullptr;
        livetcp_error error = {};
        livetcp_result first = livetcp_redundancy_encoder_create(&config, &encoder, &error);
        livetcp_result second = livetcp_redundancy_decoder_create(&config, &decoder, &error);
        armed = false;
        CHECK((first == LIVETCP_OK) == (encoder != nullptr));
        CHECK((second == LIVETCP_OK) == (decoder != nullptr));
        if (failed)
            CHECK(error.code == LIVETCP_ERR_NO_MEMORY);
        CHECK((first == LIVETCP_OK) + (second == LIVETCP_OK) == (failed ? 1 : 2));
        livetcp_redundancy_encoder_destroy(&encoder);
        livetcp_redundancy_decoder_destroy(&decoder);
    });
}

namespace
{

/* One stream in which a playout holds packets: gaps, a jump, another SSRC, late packets. */
void play_all(livetcp_playout_release release)
{
    livetcp_playout_config config;
    livetcp_playout *playout = nullptr;
    livetcp_playout_config_init(&config);
    config.clock_rate = 8000;
    config.release = release;
    livetcp_result result = livetcp_playout_create(&config, &playout, nullptr);
    CHECK(result == (failed ? LIVETCP_ERR_NO_MEMORY : LIVETCP_OK));
    CHECK((playout == nullptr) == failed);
    if (!playout)
        return;
    unsigned taken = 0, played = 0;
    for (unsigned i = 0; i < 40; i++) {
        uint8_t bytes[20] = {0x80, 96};
        livetcp_playout_item item = {};
        livetcp_playout_packet packet = {};
        lt_write_be16(bytes + 2, static_cast<uint16_t>(i < 20 ? i + i / 7 : 9000 + i));
        lt_write_be32(bytes + 4, 160 * i);
        lt_write_be32(bytes + 8, i < 30 ? 1 : 2);
        packet.struct_size = sizeof packet;
        packet.data = bytes;
        packet.size = sizeof bytes;
        packet.arrival_us = 1000000 + i * 20000 + (i % 9 == 8 ? 150000 : 0);
        item.struct_size = sizeof item;
        result = livetcp_playout_put(playout, &packet, nullptr);
        if (result != LIVETCP_OK && result != LIVETCP_ERR_NO_MEMORY)
            abort();
        taken += result == LIVETCP_OK;
        while (livetcp_playout_pull(playout, packet.arrival_us, &item) == LIVETCP_OK &&
               item.kind != LIVETCP_PLAYOUT_NOTHING)
            played += item.kind == LIVETCP_PLAYOUT_PACKET;
    }
    livetcp_playout_destroy(&playout);
    CHECK(taken + (failed ? 1 : 0) >= 40);
    if (release != LIVETCP_PLAYOUT_TIMES_ONLY)
        CHECK(played > 20);
}

} // namespace

TEST_CASE("a playout loses the packet that there is no memory for, and goes on", "[allocation]")
{
    sweep([] { play_all(LIVETCP_PLAYOUT_WHEN_DUE); });
    sweep([] { play_all(LIVETCP_PLAYOUT_IN_ORDER); });
    sweep([] { play_all(LIVETCP_PLAYOUT_TIMES_ONLY); });
}
