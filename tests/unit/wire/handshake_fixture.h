/* SPDX-License-Identifier: MIT */
/* Both sides of a handshake in one process, with seeded randomness. */
#ifndef LT_TESTS_HANDSHAKE_FIXTURE_H
#define LT_TESTS_HANDSHAKE_FIXTURE_H

#include <cstring>
#include <memory>
#include <vector>

#include <livetcp/config.h>

extern "C" {
#include "base/rng.h"
#include "engine/packet.h"
#include "wire/handshake.h"
}

using Bytes = std::vector<uint8_t>;

/* livetcp_random_fn over an lt_rng; fails after `budget` calls. */
struct Random {
    lt_rng rng;
    int budget = -1;

    explicit Random(uint64_t seed)
    {
        lt_rng_seed(&rng, seed);
    }

    static livetcp_result draw(void *user, uint8_t *bytes, size_t size)
    {
        Random *self = static_cast<Random *>(user);
        if (self->budget == 0)
            return LIVETCP_ERR_SYSTEM;
        if (self->budget > 0)
            self->budget--;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)lt_rng_next(&self->rng);
        return LIVETCP_OK;
    }
};

inline Bytes bytes_of(const lt_reply &reply)
{
    return Bytes(reply.frame, reply.frame + reply.size);
}

inline Bytes encode(const lt_control &message)
{
    uint8_t frame[LT_CONTROL_MAX];
    size_t size = lt_control_encode(&message, frame);
    return Bytes(frame, frame + size);
}

/* Decodes a copy of exactly this size, so that a sanitizer reports a read past the end. */
inline livetcp_result decode_packet(const uint8_t *packet, size_t size, lt_control *message)
{
    std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    if (size)
        memcpy(copy.get(), packet, size);
    if (!lt_control_is(copy.get(), size))
        return LIVETCP_ERR_NOT_RTP;
    return lt_control_decode(copy.get(), size, message);
}

inline livetcp_result decode_frame(const Bytes &frame, lt_control *message)
{
    if (frame.size() < LT_FRAME_HEADER)
        return LIVETCP_ERR_NOT_RTP;
    return decode_packet(frame.data() + LT_FRAME_HEADER, frame.size() - LT_FRAME_HEADER, message);
}

/* The listener's end of one connection. */
struct Inbound {
    lt_pending_connection *inbound;
    lt_reply reply = {};
    livetcp_result error = LIVETCP_OK;
    Bytes rest; /* bytes not consumed */

    explicit Inbound(livetcp_usec now = 0, livetcp_usec timeout_us = 5 * LIVETCP_USEC_SEC)
        : inbound(lt_pending_connection_create(now, timeout_us))
    {
    }
    ~Inbound()
    {
        lt_pending_connection_destroy(&inbound);
    }
    Inbound(const Inbound &) = delete;
    Inbound &operator=(const Inbound &) = delete;

    lt_pending_step receive(const Bytes &bytes)
    {
        std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
        const uint8_t *data = copy.get();
        size_t size = bytes.size();

        if (size)
            memcpy(copy.get(), bytes.data(), size);
        lt_pending_step step = lt_pending_connection_receive(inbound, &data, &size, &reply, &error);
        rest.assign(data, data + size);
        return step;
    }
};

/* The caller's end of one connection. */
struct Caller {
    lt_caller_handshake handshake = {};
    lt_introduction introduction = {LIVETCP_ROLE_BOTH, "", ""};
    lt_opening opening = {};
    lt_reply reply = {};

    Bytes start(const lt_credentials &credentials, unsigned index, unsigned count, Random &random)
    {
        if (lt_caller_start(&handshake, &credentials, &introduction, index, count, Random::draw,
                            &random, &opening) != LIVETCP_OK)
            return Bytes();
        return Bytes(opening.frame, opening.frame + opening.size);
    }

    livetcp_result receive(lt_credentials &credentials, const Bytes &frame)
    {
        lt_control message;
        livetcp_result result = decode_frame(frame, &message);
        if (result != LIVETCP_OK)
            return result;
        return lt_caller_receive(&handshake, &credentials, &message, &reply);
    }
};

/* A session established at both ends: its first connection is confirmed. */
struct Established {
    Random random;
    lt_credentials caller;
    lt_credentials listener;
    bool done = false;

    explicit Established(uint64_t seed, unsigned index = 0) : random(seed)
    {
        Inbound inbound;
        Caller first;
        lt_pending_authenticator pending;
        lt_control proof;
        lt_reply joined;

        memset(&listener, 0, sizeof listener);
        lt_credentials_create(&caller, nullptr, Random::draw, &random);
        if (inbound.receive(first.start(caller, index, 5, random)) != LT_PENDING_CREATE)
            return;
        lt_pending_connection_accept(inbound.inbound, &listener, Random::draw, &random,
                                     &inbound.reply);
        lt_pending_connection_authenticator(inbound.inbound, &pending);
        if (first.receive(caller, bytes_of(inbound.reply)) != LIVETCP_OK)
            return;
        if (decode_frame(bytes_of(first.reply), &proof) != LIVETCP_OK ||
            lt_pending_authenticator_confirm(&pending, &listener, &proof, &joined) != LIVETCP_OK)
            return;
        done = first.receive(caller, bytes_of(joined)) == LIVETCP_OK && first.handshake.joined;
    }
};

#endif
