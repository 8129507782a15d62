/* SPDX-License-Identifier: MIT */
/* A conversation between the two ends of a session. */
#ifndef LT_TESTS_IO_EXCHANGE_H
#define LT_TESTS_IO_EXCHANGE_H

#include "io/world.h"

namespace world
{

/* Media both ways, once every connection is open. */
inline void exchange(Context &context, Server &server, Caller &caller, unsigned connections,
                     int packets)
{
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(until(context, [&] {
        return open_connections(caller.session) == connections &&
               open_connections(server.session()) == connections;
    }));
    for (int i = 0; i < packets; i++) {
        REQUIRE(caller.send(rtp((uint16_t)i, 40 + (size_t)(i * 37 % 1400))) == LIVETCP_OK);
        REQUIRE(send(server.session(), rtp((uint16_t)i, 1200)) == LIVETCP_OK);
        context.turn();
    }
    REQUIRE(until(context, [&] {
        return server.record().packets() == (size_t)packets &&
               caller.record.packets() == (size_t)packets;
    }));
    for (const Bytes &packet : caller.record.all_packets())
        REQUIRE(packet == rtp(sequence_of(packet), 1200));
    for (const Bytes &packet : server.record().all_packets())
        REQUIRE(packet == rtp(sequence_of(packet), 40 + (size_t)(sequence_of(packet) * 37 % 1400)));
}

} // namespace world

#endif
