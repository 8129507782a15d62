/* SPDX-License-Identifier: MIT */
/* A caller's and a listener's filter, with what travels between them in the test's hands. */
#ifndef LT_TESTS_UNIT_TLS_PAIR_H
#define LT_TESTS_UNIT_TLS_PAIR_H

extern "C" {
#include "tls/filter.h"
}

#include "catch.h"
#include "certificates.h"

#include <cstring>
#include <ctime>
#include <string>
#include <vector>

using bytes = std::vector<uint8_t>;

struct context_holder {
    lt_tls_context *context = nullptr;
    livetcp_error error{};
    livetcp_result result;

    explicit context_holder(const lt_tls_setup &setup, const lt_tls_context *previous = nullptr)
        : result(lt_tls_context_create(&setup, previous, &context, &error))
    {
    }
    ~context_holder()
    {
        lt_tls_context_release(&context);
    }
    context_holder(const context_holder &) = delete;
    context_holder &operator=(const context_holder &) = delete;
};

struct end {
    lt_tls_filter *filter = nullptr;

    explicit end(const context_holder &holder, int64_t wall_s = time(nullptr))
    {
        INFO(holder.error.message);
        REQUIRE(holder.result == LIVETCP_OK);
        REQUIRE(lt_tls_filter_create(holder.context, wall_s, &filter) == LIVETCP_OK);
    }
    ~end()
    {
        lt_tls_filter_destroy(&filter);
    }
    end(const end &) = delete;
    end &operator=(const end &) = delete;

    bytes output() const
    {
        const uint8_t *data;
        size_t size = lt_tls_filter_output(filter, &data);
        bytes taken(data, data + size);
        lt_tls_filter_written(filter, size);
        return taken;
    }

    void receive(const bytes &data) const
    {
        lt_tls_filter_receive(filter, data.data(), data.size());
    }

    bytes read() const
    {
        bytes data(1 << 17);
        data.resize(lt_tls_filter_read(filter, data.data(), data.size()));
        return data;
    }

    lt_tls_state state() const
    {
        return lt_tls_filter_state(filter);
    }

    std::string failure() const
    {
        CHECK(state() == LT_TLS_FAILED);
        CHECK(lt_tls_filter_error(filter)->code == LIVETCP_ERR_TLS);
        return lt_tls_filter_error(filter)->message;
    }
};

/* Carries bytes both ways until there are none; returns the number of flights. Plaintext that comes
 * along is discarded: with it tickets come. */
inline unsigned shake_hands(const end &caller, const end &listener)
{
    unsigned flights = 0;

    for (;;) {
        bytes there = caller.output();
        if (!there.empty()) {
            flights++;
            listener.receive(there);
            listener.read();
        }
        bytes back = listener.output();
        if (!back.empty()) {
            flights++;
            caller.receive(back);
            caller.read();
        }
        if (there.empty() && back.empty())
            return flights;
    }
}

#endif
