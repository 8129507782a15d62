/* SPDX-License-Identifier: MIT */
/* The pool of connections that have proved nothing: room, addresses, turns. No socket, no clock. */
#include "catch.h"

#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <vector>

extern "C" {
#include "io/pending_pool.h"
}

namespace
{

const livetcp_usec second = LIVETCP_USEC_SEC;

lt_address ipv4(uint32_t number)
{
    lt_address address = {};
    auto *in = (sockaddr_in *)&address.storage;
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(number);
    address.size = sizeof *in;
    return address;
}

lt_address ipv6(uint32_t network, uint32_t host)
{
    lt_address address = {};
    auto *in6 = (sockaddr_in6 *)&address.storage;
    in6->sin6_family = AF_INET6;
    in6->sin6_addr.s6_addr[0] = 0x20;
    memcpy(in6->sin6_addr.s6_addr + 4, &network, 4);
    memcpy(in6->sin6_addr.s6_addr + 12, &host, 4);
    address.size = sizeof *in6;
    return address;
}

class Pool
{
  public:
    explicit Pool(lt_io_pool_limits limits)
    {
        lt_io_pool_init(&pool, &limits, 12345);
    }
    ~Pool()
    {
        while (pool.count)
            remove(lt_io_pool_oldest(&pool));
        lt_io_pool_clear(&pool);
    }

    /* The members that stay until they are removed. */
    lt_io_pool_member *add(const lt_address &address, lt_io_pool_member **leaves = nullptr)
    {
        lt_io_pool_member *out;
        members.push_back(std::make_unique<lt_io_pool_member>());
        REQUIRE(lt_io_pool_add(&pool, members.back().get(), &address, &out));
        if (leaves)
            *leaves = out;
        else if (out)
            remove(out);
        return members.back().get();
    }
    void remove(lt_io_pool_member *member, bool failed = false)
    {
        lt_io_pool_remove(&pool, member, failed, now);
    }
    lt_io_pool_member *ask(const lt_address &address)
    {
        lt_io_pool_member *member = add(address);
        lt_io_pool_want_turn(&pool, member, now);
        return member;
    }
    lt_io_pool_member *turn()
    {
        return lt_io_pool_next_turn(&pool, now);
    }

    lt_io_pool pool;
    livetcp_usec now = 1000 * second;
    std::vector<std::unique_ptr<lt_io_pool_member>> members;
};

} // namespace

TEST_CASE("a newcomer pushes out the oldest of its address, or of the address that has most",
          "[pending-pool]")
{
    Pool pool({10, 4, 1000});
    lt_io_pool_member *leaves;
    lt_io_pool_member *oldest = pool.add(ipv4(1), &leaves);
    for (int i = 0; i < 3; i++) {
        pool.add(ipv4(1), &leaves);
        CHECK(leaves == nullptr);
    }
    pool.add(ipv4(1), &leaves);
    CHECK(leaves == oldest);
    pool.remove(leaves);
    lt_io_pool_member *second_oldest = lt_io_pool_oldest(&pool.pool);
    for (uint32_t i = 2; i < 8; i++) {
        pool.add(ipv4(i), &leaves);
        CHECK(leaves == nullptr);
    }
    pool.add(ipv4(100), &leaves); /* the pool is full: address 1 has four */
    CHECK(leaves == second_oldest);
    CHECK(lt_io_pool_surplus(&pool.pool) == second_oldest);
}

TEST_CASE("where every address has one connection the oldest of all leaves", "[pending-pool]")
{
    Pool pool({50, 4, 1000});
    lt_io_pool_member *leaves, *first = pool.add(ipv4(1), &leaves);
    for (uint32_t i = 2; i <= 50; i++)
        pool.add(ipv4(i), &leaves);
    pool.add(ipv4(51), &leaves);
    CHECK(leaves == first);
}

TEST_CASE("the addresses of one IPv6 network are one, and an IPv4 address is one in any form",
          "[pending-pool]")
{
    Pool pool({100, 2, 1000});
    lt_io_pool_member *leaves, *first = pool.add(ipv6(1, 1), &leaves);
    pool.add(ipv6(1, 2), &leaves);
    pool.add(ipv6(2, 2), &leaves);
    CHECK(leaves == nullptr);
    pool.add(ipv6(1, 3), &leaves);
    CHECK(leaves == first);

    lt_address mapped = {};
    auto *in6 = (sockaddr_in6 *)&mapped.storage;
    in6->sin6_family = AF_INET6;
    const uint8_t bytes[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
    memcpy(in6->sin6_addr.s6_addr, bytes, sizeof bytes);
    mapped.size = sizeof *in6;
    lt_io_pool_member *plain = pool.add(ipv4(0xc0000201), &leaves);
    pool.add(mapped, &leaves);
    CHECK(leaves == nullptr);
    pool.add(mapped, &leaves);
    CHECK(leaves == plain);
}

TEST_CASE("an address that asks for thousands of turns takes none from another", "[pending-pool]")
{
    Pool pool({20000, 20000, 100});
    for (int i = 0; i < 10000; i++)
        pool.ask(ipv4(1));
    unsigned served = 0;
    while (pool.turn())
        served++;
    CHECK(served == LT_IO_POOL_BURST);
    CHECK(lt_io_pool_turn_at(&pool.pool) > pool.now);
    lt_io_pool_member *other = pool.ask(ipv4(2));
    pool.now = lt_io_pool_turn_at(&pool.pool);
    lt_io_pool_member *next = pool.turn();
    if (next != other) { /* they take turns: it is the other's no later than the second time */
        pool.now = lt_io_pool_turn_at(&pool.pool);
        next = pool.turn();
    }
    CHECK(next == other);
    served = 0;
    livetcp_usec until = pool.now + 10 * second;
    while ((pool.now = lt_io_pool_turn_at(&pool.pool)) < until)
        served += pool.turn() != nullptr;
    CHECK(served <= 1001);
    CHECK(served >= 990);
}

TEST_CASE("the newest of an address has its turn first", "[pending-pool]")
{
    Pool pool({100, 100, 100});
    pool.ask(ipv4(1));
    lt_io_pool_member *newest = pool.ask(ipv4(1));
    CHECK(lt_io_pool_wants_turn(newest));
    CHECK(pool.turn() == newest);
    CHECK_FALSE(lt_io_pool_wants_turn(newest));
}

TEST_CASE("addresses that do not prove themselves come last, and share half of the turns",
          "[pending-pool]")
{
    Pool pool({1000, 1000, 100});
    for (int i = 0; i < LT_IO_POOL_FORGIVEN; i++)
        pool.remove(pool.add(ipv4(1)), true);
    lt_io_pool_member *probe = pool.add(ipv4(1));
    CHECK(lt_io_pool_is_blamed(probe, pool.now));
    for (int i = 0; i < 500; i++)
        pool.ask(ipv4(1));
    lt_io_pool_member *other = pool.ask(ipv4(2));
    CHECK(pool.turn() == other);
    while (pool.turn())
        ;
    unsigned served = 0;
    for (livetcp_usec until = pool.now + 4 * second; pool.now < until; pool.now += 1000)
        if (lt_io_pool_member *member = pool.turn()) {
            pool.remove(member, true);
            served++;
        }
    CHECK(served <= 201);
    CHECK(served >= 190);
    /* It is forgiven, with time. */
    pool.now += 100 * second;
    CHECK_FALSE(lt_io_pool_is_blamed(probe, pool.now));
}

TEST_CASE("a newcomer does not wait for the turns of addresses that have failed", "[pending-pool]")
{
    const unsigned addresses = 200;
    Pool pool({10000, 10000, 500});
    std::vector<lt_io_pool_member *> unproved;
    auto attack = [&](livetcp_usec length) { /* CREATE alone, and who had a turn fails later */
                                             for (livetcp_usec until = pool.now + length;
                                                  pool.now < until; pool.now += 2000) {
                                                 for (uint32_t i = 0; i < 10; i++)
                                                     pool.ask(ipv4(1000 + static_cast<uint32_t>(
                                                                              pool.now / 200 + i) %
                                                                              addresses));
                                                 while (lt_io_pool_member *member = pool.turn())
                                                     unproved.push_back(member);
                                                 for (; unproved.size() > 100;
                                                      unproved.erase(unproved.begin()))
                                                     pool.remove(unproved.front(), true);
                                             }
    };
    attack(second);
    for (uint32_t i = 0; i < 10; i++) {
        attack(second / 10);
        lt_io_pool_member *newcomer = pool.ask(ipv4(1));
        unsigned turns = 0;
        for (lt_io_pool_member *next = nullptr; next != newcomer; turns++) {
            pool.now = lt_io_pool_turn_at(&pool.pool);
            next = pool.turn();
            REQUIRE(next);
            if (next != newcomer)
                unproved.push_back(next);
        }
        CHECK(turns <= 20); /* of addresses that are clean again, and every other */
        pool.remove(newcomer);
    }
}

TEST_CASE("addresses that have failed take turns with clean ones", "[pending-pool]")
{
    Pool pool({10000, 10000, 100});
    pool.remove(pool.add(ipv4(1)), true);
    for (uint32_t i = 0; i < 100; i++)
        pool.ask(ipv4(100 + i));
    lt_io_pool_member *failed = pool.ask(ipv4(1));
    lt_io_pool_member *first = pool.turn(), *next = pool.turn();
    CHECK(first != failed);
    CHECK(next == failed);
}

TEST_CASE("of many connections the oldest of the largest address leaves", "[pending-pool]")
{
    Pool pool({LT_IO_POOL_MANY * 5, LT_IO_POOL_MANY * 3, 100});
    const unsigned counts[] = {LT_IO_POOL_MANY, LT_IO_POOL_MANY * 2 + 1, LT_IO_POOL_MANY * 2 - 1};
    lt_io_pool_member *oldest[3] = {};
    for (uint32_t address = 0; address < 3; address++)
        for (unsigned i = 0; i < counts[address]; i++) {
            lt_io_pool_member *member = pool.add(ipv4(address));
            if (!oldest[address])
                oldest[address] = member;
        }
    CHECK(lt_io_pool_surplus(&pool.pool) == oldest[1]);
    for (unsigned i = 0; i < 3; i++) /* fewer, until the third has most */
        pool.remove(lt_io_pool_surplus(&pool.pool));
    CHECK(lt_io_pool_surplus(&pool.pool) != oldest[0]);
    pool.remove(oldest[0]);
    CHECK(pool.pool.count == LT_IO_POOL_MANY * 5 - 4);
}

TEST_CASE("addresses are remembered only while they have something to forgive", "[pending-pool]")
{
    Pool pool({1000, 1000, 100});
    for (uint32_t i = 0; i < 100000; i++) {
        pool.remove(pool.add(ipv4(i)), i % 2);
        pool.members.clear();
    }
    CHECK(pool.pool.count == 0);
    CHECK(pool.pool.empty_count <= 1024);
    CHECK(lt_io_pool_turn_at(&pool.pool) == LIVETCP_NEVER);
    CHECK(lt_io_pool_surplus(&pool.pool) == nullptr);
}

TEST_CASE("a member that turns out to be of another address counts there")
{
    Pool p({100, 2, 1000});
    lt_io_pool_member *first = p.add(ipv4(1)), *leaves;
    lt_address other = ipv4(2);

    REQUIRE(lt_io_pool_move(&p.pool, first, &other, p.now, &leaves));
    CHECK(leaves == nullptr);
    p.add(ipv4(1), &leaves);
    CHECK(leaves == nullptr);
    lt_io_pool_member *second = p.add(ipv4(1), &leaves);
    CHECK(leaves == nullptr); /* the first is of another address */
    REQUIRE(lt_io_pool_move(&p.pool, second, &other, p.now, &leaves));
    CHECK(leaves == nullptr);
    lt_io_pool_member *third = p.add(ipv4(3), &leaves);
    REQUIRE(lt_io_pool_move(&p.pool, third, &other, p.now, &leaves));
    CHECK(leaves == first);
    REQUIRE(lt_io_pool_move(&p.pool, third, &other, p.now, &leaves));
    CHECK(leaves == nullptr); /* it is there already */
    CHECK(lt_io_pool_oldest(&p.pool) == first);
    CHECK(p.pool.count == 4);
}
