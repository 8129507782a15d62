/* SPDX-License-Identifier: MIT */
/* Prints one connection, both directions, in text2pcap's input format: `created`, `joined`, or
 * `broken`, in which one control message has a wrong length. */
#include "handshake_fixture.h"

extern "C" {
#include "engine/repair/parity_encoder.h"
}

#include <cstdio>
#include <string>

namespace
{

void print(char direction, const Bytes &bytes)
{
    printf("%c\n", direction);
    for (size_t i = 0; i < bytes.size(); i += 16) {
        printf("%06zx", i);
        for (size_t j = i; j < i + 16 && j < bytes.size(); j++)
            printf(" %02x", (unsigned)bytes[j]);
        printf("\n");
    }
}

void append(Bytes &stream, const Bytes &frame)
{
    stream.insert(stream.end(), frame.begin(), frame.end());
}

Bytes framed(const Bytes &packet)
{
    lt_packet *whole = lt_packet_create(packet.data(), packet.size());
    Bytes frame(whole->frame, whole->frame + whole->frame_size);
    lt_packet_unref(&whole);
    return frame;
}

Bytes rtp(uint8_t sequence)
{
    Bytes packet = {0x80, 96, 0, sequence, 0, 0, 3, 0xc0, 0x11, 0x22, 0x33, 0x44};
    packet.resize(160, 0x5a);
    return framed(packet);
}

Bytes control(lt_control_type type)
{
    lt_control message = {};
    message.type = type;
    message.timestamp = 123456789;
    message.reason = 6;
    return encode(message);
}

/* PARITY, then a parity packet. */
Bytes parity()
{
    lt_parity_encoder *encoder = lt_parity_encoder_create(2, 0x11223344, 8190, 1);
    lt_control message;
    lt_parity_encoder_announce(encoder, &message);
    Bytes out = encode(message);
    for (uint8_t sequence : {1, 2}) {
        Bytes frame = rtp(sequence);
        lt_packet *packet = lt_packet_create(&frame[LT_FRAME_HEADER], frame.size() - 2);
        packet->sequence = sequence;
        lt_parity_encoder_add(encoder, packet);
        lt_packet_unref(&packet);
    }
    lt_packet *packet = lt_parity_encoder_finish(encoder, 0);
    append(out, Bytes(packet->frame, packet->frame + packet->frame_size));
    lt_packet_unref(&packet);
    lt_parity_encoder_destroy(&encoder);
    return out;
}

void created()
{
    Random random(1);
    lt_credentials caller, listener;
    lt_pending_authenticator pending;
    lt_control proof;
    lt_reply joined;
    Caller first;
    Inbound inbound;

    lt_credentials_create(&caller, nullptr, Random::draw, &random);
    Bytes out = first.start(caller, 0, 5, random);
    inbound.receive(out);
    append(out, rtp(1)); /* media follows immediately */
    append(out, rtp(2));
    append(out, parity());
    print('O', out);
    lt_pending_connection_accept(inbound.inbound, &listener, Random::draw, &random, &inbound.reply);
    lt_pending_connection_authenticator(inbound.inbound, &pending);
    print('I', bytes_of(inbound.reply));
    first.receive(caller, bytes_of(inbound.reply));
    decode_frame(bytes_of(first.reply), &proof);
    lt_pending_authenticator_confirm(&pending, &listener, &proof, &joined);

    /* A segment that ends inside a frame. */
    Bytes media = rtp(3);
    out = bytes_of(first.reply);
    append(out, Bytes(media.begin(), media.begin() + 50));
    print('O', out);
    out = Bytes(media.begin() + 50, media.end());
    append(out, framed({0x80, 201, 0, 1, 0x11, 0x22, 0x33, 0x44})); /* a receiver report */
    append(out, control(LT_CONTROL_PING));
    print('O', out);
    out = bytes_of(joined);
    append(out, Bytes(LT_FRAME_HEADER)); /* null packet */
    append(out, control(LT_CONTROL_PONG));
    append(out, control(LT_CONTROL_BYE));
    print('I', out);
}

void joined(bool broken)
{
    Established session(1);
    Caller caller;
    Inbound inbound;

    Bytes out = caller.start(session.caller, 1, 5, session.random);
    inbound.receive(out);
    print('O', out);
    lt_pending_connection_challenge(inbound.inbound, &session.listener, Random::draw,
                                    &session.random, &inbound.reply);
    print('I', bytes_of(inbound.reply));
    caller.receive(session.caller, bytes_of(inbound.reply));
    inbound.receive(bytes_of(caller.reply));
    out = bytes_of(caller.reply);
    append(out, rtp(1));
    if (broken)
        out[LT_FRAME_HEADER + 3] = 200;
    print('O', out);
    out = bytes_of(inbound.reply);
    append(out, control(LT_CONTROL_REJECT));
    print('I', out);
}

} // namespace

int main(int argc, char **argv)
{
    std::string which = argc == 2 ? argv[1] : "";

    if (which == "created")
        created();
    else if (which == "joined" || which == "broken")
        joined(which == "broken");
    else
        fprintf(stderr, "usage: %s created|joined|broken\n", argv[0]);
    return which.empty() ? 2 : 0;
}
