/* SPDX-License-Identifier: MIT */
/* A reassembly whose output is recorded, and packets for it. */
#ifndef LT_TESTS_UNIT_CORE_RECEIVER_H
#define LT_TESTS_UNIT_CORE_RECEIVER_H

#include "catch.h"

#include <cstring>
#include <vector>

extern "C" {
#include "base/bytes.h"
#include "engine/receiver/reassembly.h"
}

struct Delivered {
    uint32_t ssrc;
    uint16_t sequence;
    uint32_t id; /* the argument of push(), carried in the payload */
    unsigned connection;
    livetcp_usec arrival_us;
    bool discontinuity;
    bool held;
};

class Receiver
{
  public:
    explicit Receiver(livetcp_order order, livetcp_usec wait_us = 1000000)
        : reassembly(lt_reassembly_create(order, wait_us, deliver, this))
    {
        REQUIRE(reassembly);
    }
    ~Receiver()
    {
        lt_reassembly_destroy(&reassembly);
    }
    Receiver(const Receiver &) = delete;
    Receiver &operator=(const Receiver &) = delete;

    /* Pushes a packet whose payload is `id`, padded with zeros to `payload` bytes. */
    livetcp_result push(uint32_t ssrc, uint16_t sequence, livetcp_usec now, uint32_t id = 0,
                        unsigned connection = 0, size_t payload = 4)
    {
        std::vector<uint8_t> bytes(LT_RTP_MIN_SIZE + payload);
        bytes[0] = 0x80;
        bytes[1] = 96;
        lt_write_be16(&bytes[2], sequence);
        lt_write_be32(&bytes[8], ssrc);
        lt_write_be32(&bytes[12], id);
        lt_arrival arrival = {};
        arrival.data = bytes.data();
        arrival.size = bytes.size();
        arrival.arrival_us = now;
        arrival.connection = connection;
        REQUIRE(lt_rtp_parse(bytes.data(), bytes.size(), &arrival.header));
        return lt_reassembly_push(reassembly, &arrival);
    }
    void expire(livetcp_usec now)
    {
        lt_reassembly_expire(reassembly, now);
    }
    livetcp_usec deadline() const
    {
        return lt_reassembly_deadline(reassembly);
    }
    const lt_reassembly_stats &stats() const
    {
        return *lt_reassembly_get_stats(reassembly);
    }
    /* The sequence numbers delivered since the last call. */
    std::vector<int> take()
    {
        std::vector<int> sequences;
        for (; taken < delivered.size(); taken++)
            sequences.push_back(delivered[taken].sequence);
        return sequences;
    }

    std::vector<Delivered> delivered;
    lt_reassembly *reassembly;

  private:
    static void deliver(void *user, const lt_arrival *arrival)
    {
        auto *self = static_cast<Receiver *>(user);
        const uint8_t *data = arrival->data;
        /* Data that refers to a packet must be that packet's. */
        bool whole = !arrival->packet || (lt_packet_data(arrival->packet) == data &&
                                          lt_packet_size(arrival->packet) == arrival->size);
        if (!whole || arrival->rtcp || arrival->size < LT_RTP_MIN_SIZE + 4)
            self->damaged = true;
        self->delivered.push_back({lt_read_be32(data + 8), lt_read_be16(data + 2),
                                   lt_read_be32(data + 12), arrival->connection,
                                   arrival->arrival_us, arrival->discontinuity,
                                   arrival->packet != nullptr});
    }

    size_t taken = 0;

  public:
    bool damaged = false;
};

#endif
