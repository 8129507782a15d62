/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the link model: a link that is destroyed at the end of the scope, and
 * packets that are nothing but numbers. */
#ifndef LT_TESTS_EMULATE_TEST_H
#define LT_TESTS_EMULATE_TEST_H

#include "catch.h"

extern "C" {
#include "lab/emulate/link.h"
}

#include <cstdint>
#include <string>
#include <vector>

static inline lt_link_params params_of(const std::string &spec)
{
    lt_link_params params;
    livetcp_error error;
    lt_link_params_init(&params);
    if (lt_link_params_parse(&params, spec.c_str(), &error))
        FAIL(error.message);
    return params;
}

struct Delivered {
    std::uintptr_t number;
    livetcp_usec departure;
    bool marked;
};

class Link
{
  public:
    explicit Link(const std::string &spec, std::uint64_t seed = 1)
    {
        const lt_link_params params = params_of(spec);
        link = lt_link_create(&params, seed);
        REQUIRE(link);
    }
    ~Link()
    {
        lt_link_destroy(&link);
    }
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;

    lt_link_result push(livetcp_usec now, std::uintptr_t number, std::size_t size = 1500,
                        lt_ecn ecn = LT_ECN_NOT_ECT)
    {
        lt_link_packet packet = {reinterpret_cast<void *>(number), size, ecn, 0};
        return lt_link_offer(link, now, &packet);
    }

    /* Runs to `end`, popping exactly when the link asks for it. */
    std::vector<Delivered> run(livetcp_usec end = LIVETCP_NEVER - 1)
    {
        std::vector<Delivered> all;
        for (livetcp_usec next; (next = lt_link_next(link)) <= end;) {
            lt_link_delivery out;
            while (lt_link_pop(link, next, &out)) {
                CHECK(out.departure <= next);
                all.push_back(
                    {reinterpret_cast<std::uintptr_t>(out.packet), out.departure, out.marked});
            }
        }
        return all;
    }

    void change(livetcp_usec now, const std::string &spec)
    {
        lt_link_params params;
        lt_link_get_params(link, &params);
        REQUIRE(lt_link_params_parse(&params, spec.c_str(), nullptr) == LIVETCP_OK);
        REQUIRE(lt_link_set(link, now, &params, nullptr) == LIVETCP_OK);
    }

    lt_link_counters counters() const
    {
        lt_link_counters out;
        lt_link_get_counters(link, &out);
        return out;
    }

    lt_link *link;
};

#endif
