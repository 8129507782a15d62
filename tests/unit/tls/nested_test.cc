/* SPDX-License-Identifier: MIT */
/* TLS to a listener inside TLS to a proxy on the way. */
#include "pair.h"

using Catch::Matchers::Contains;

namespace
{

struct tunnelled {
    certificates made;
    certificate_files files = made.make("end");
    static lt_tls_setup listens(const certificate_files &files)
    {
        lt_tls_setup setup{};
        setup.listener = true;
        setup.cert_file = files.certificate.c_str();
        setup.key_file = files.key.c_str();
        return setup;
    }
    static lt_tls_setup calls(const certificates &made)
    {
        lt_tls_setup setup{};
        setup.ca_file = made.ca.c_str();
        setup.name = "localhost";
        return setup;
    }

    context_holder caller_context{calls(made)}, listener_context{listens(files)};
    /* With our ALPN, since only listeners of ours are here. */
    context_holder outer_context{calls(made)}, proxy_context{listens(files)};
    end caller{caller_context}, listener{listener_context};
    end outer{outer_context}, proxy{proxy_context};

    tunnelled()
    {
        shake_hands(outer, proxy);
        REQUIRE(outer.state() == LT_TLS_OPEN);
        lt_tls_filter_nest(caller.filter, outer.filter);
        outer.filter = nullptr; /* the caller's now */
    }

    /* What the caller has to say, as the listener gets it from the proxy, and back; both until
     * there is nothing. */
    void carry()
    {
        for (;;) {
            bytes there = caller.output();
            proxy.receive(there);
            listener.receive(proxy.read());
            bytes back = listener.output();
            if (there.empty() && back.empty())
                return;
            if (!back.empty())
                REQUIRE(lt_tls_filter_write(proxy.filter, back.data(), back.size()) == LIVETCP_OK);
            for (uint8_t byte : proxy.output())
                caller.receive({byte});
        }
    }
};

bytes media(size_t size)
{
    bytes data(size);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * 7);
    return data;
}

} // namespace

TEST_CASE("a filter within another carries plaintext both ways")
{
    tunnelled t;
    t.carry();
    REQUIRE(t.caller.state() == LT_TLS_OPEN);
    REQUIRE(t.listener.state() == LT_TLS_OPEN);

    for (size_t size : {1, 1200, 40000}) {
        bytes data = media(size), got;
        REQUIRE(lt_tls_filter_write(t.caller.filter, data.data(), size) == LIVETCP_OK);
        CHECK(t.caller.output().size() > size + 2 * 17); /* two layers of records */
        REQUIRE(lt_tls_filter_write(t.listener.filter, data.data(), size) == LIVETCP_OK);
        bytes records = t.listener.output();
        REQUIRE(lt_tls_filter_write(t.proxy.filter, records.data(), records.size()) == LIVETCP_OK);
        t.caller.receive(t.proxy.output());
        got = t.caller.read();
        CHECK(got == data);
    }
    uint8_t ours[LT_TLS_BINDING_SIZE], theirs[LT_TLS_BINDING_SIZE];
    REQUIRE(lt_tls_filter_binding(t.caller.filter, ours));
    REQUIRE(lt_tls_filter_binding(t.listener.filter, theirs));
    CHECK(memcmp(ours, theirs, sizeof ours) == 0); /* of the inner one, whatever the proxy is */
}

TEST_CASE("what ends or fails outside ends or fails inside")
{
    {
        tunnelled t;
        t.carry();
        lt_tls_filter_end(t.proxy.filter);
        t.caller.receive(t.proxy.output());
        CHECK(t.caller.read().empty());
        CHECK(t.caller.state() == LT_TLS_ENDED);
    }
    {
        tunnelled t;
        t.carry();
        REQUIRE(lt_tls_filter_write(t.proxy.filter, "x", 1) == LIVETCP_OK);
        bytes record = t.proxy.output();
        record.back() ^= 1;
        t.caller.receive(record);
        CHECK(t.caller.read().empty());
        CHECK_THAT(t.caller.failure(), Contains("altered"));
        CHECK_FALSE(t.caller.output().empty()); /* the alert */
    }
    tunnelled t;
    t.carry();
    lt_tls_filter_end(t.caller.filter);
    t.proxy.receive(t.caller.output());
    t.listener.receive(t.proxy.read());
    CHECK(t.listener.read().empty());
    CHECK(t.listener.state() == LT_TLS_ENDED);
}
