/* SPDX-License-Identifier: MIT */
extern "C" {
#include "wire/client_hello.h"
}

#include "catch.h"

#include <string>
#include <vector>

namespace
{

using bytes = std::vector<uint8_t>;

void put_vector(bytes &to, size_t width, const bytes &contents)
{
    for (size_t i = width; i-- > 0;)
        to.push_back(uint8_t(contents.size() >> 8 * i));
    to.insert(to.end(), contents.begin(), contents.end());
}

/* A ClientHello record (RFC 8446 section 4.1.2) with the given extensions. */
bytes record_of(const bytes *extensions, uint8_t type = 1)
{
    bytes hello{3, 3}, message{type}, record{22, 3, 1};
    hello.resize(2 + 32, 0x5a);
    put_vector(hello, 1, bytes(32, 7));
    put_vector(hello, 2, {0x13, 1, 0x13, 2});
    put_vector(hello, 1, {0});
    if (extensions)
        put_vector(hello, 2, *extensions);
    put_vector(message, 3, hello);
    put_vector(record, 2, message);
    return record;
}

bytes alpn_of(const std::vector<std::string> &names)
{
    bytes list, contents, all{0, 23, 0, 0, 0, 16}; /* after another extension */
    for (const std::string &name : names)
        put_vector(list, 1, bytes(name.begin(), name.end()));
    put_vector(contents, 2, list);
    put_vector(all, 2, contents);
    return all;
}

lt_client_hello classify(const bytes &data)
{
    return lt_client_hello_classify(data.data(), data.size(), "livetcp");
}

} // namespace

TEST_CASE("a ClientHello is for the protocols that it offers")
{
    bytes ours = alpn_of({"livetcp"}), among = alpn_of({"h2", "livetcp"}),
          web = alpn_of({"h2", "http/1.1"}), alike = alpn_of({"livetcp2", "live"}), none{};

    CHECK(classify(record_of(&ours)) == LT_CLIENT_HELLO_OFFERED);
    CHECK(classify(record_of(&among)) == LT_CLIENT_HELLO_OFFERED);
    CHECK(classify(record_of(&web)) == LT_CLIENT_HELLO_OTHER);
    CHECK(classify(record_of(&alike)) == LT_CLIENT_HELLO_OTHER);
    CHECK(classify(record_of(&none)) == LT_CLIENT_HELLO_OTHER);
    CHECK(classify(record_of(nullptr)) == LT_CLIENT_HELLO_OTHER);
}

TEST_CASE("a ClientHello is decided when its record is there, not before")
{
    bytes ours = alpn_of({"livetcp"}), record = record_of(&ours);

    for (size_t size = 0; size < record.size(); size++)
        CHECK(classify(bytes(record.begin(), record.begin() + long(size))) == LT_CLIENT_HELLO_MORE);
    record.push_back(0x99);
    CHECK(classify(record) == LT_CLIENT_HELLO_OFFERED);
}

TEST_CASE("what is no ClientHello is left to TLS")
{
    bytes ours = alpn_of({"livetcp"}), cut = alpn_of({"livetcp"});

    CHECK(classify({21, 3, 3, 0, 2, 2, 40}) == LT_CLIENT_HELLO_UNKNOWN);
    CHECK(classify({22, 3, 3, 0, 0}) == LT_CLIENT_HELLO_UNKNOWN);
    CHECK(classify({22, 3, 3, 0x40, 1}) == LT_CLIENT_HELLO_UNKNOWN);
    CHECK(classify(record_of(&ours, 2)) == LT_CLIENT_HELLO_UNKNOWN);
    cut.resize(cut.size() - 1);
    CHECK(classify(record_of(&cut)) == LT_CLIENT_HELLO_UNKNOWN);
}
