/* SPDX-License-Identifier: MIT */
/* Text of error codes from functions that take no livetcp_error. */
#include "catch.h"

extern "C" {
#include "base/error.h"
#include "base/sized.h"
}

#include <livetcp/version.h>

#include <cerrno>
#include <string>
#include <thread>

namespace
{

std::string detail(livetcp_result result)
{
    return livetcp_result_detail(result);
}

struct livetcp_thing {
    size_t struct_size;
    int value;
};

} // namespace

TEST_CASE("a result has the words of the thread's latest failure, if it is the same")
{
    CHECK(lt_fail(nullptr, LIVETCP_ERR_REFUSED, "port %d", 7) == LIVETCP_ERR_REFUSED);
    CHECK(detail(LIVETCP_ERR_REFUSED) == "port 7");
    CHECK(detail(LIVETCP_ERR_CLOSED) == livetcp_result_text(LIVETCP_ERR_CLOSED));
    CHECK(detail(LIVETCP_OK) == "success");

    livetcp_error error = {};
    lt_fail_errno(&error, LIVETCP_ERR_SYSTEM, ENOENT, "file");
    CHECK(detail(LIVETCP_ERR_SYSTEM) == error.message);
    CHECK(detail(LIVETCP_ERR_SYSTEM).find("file: ") == 0);
    CHECK(error.system_errno == ENOENT);
    CHECK(detail(LIVETCP_ERR_REFUSED) == livetcp_result_text(LIVETCP_ERR_REFUSED));
}

TEST_CASE("another thread's failure is not this one's, unless it is handed over")
{
    livetcp_error theirs = {}, mine = {};
    std::string before_theirs;
    lt_fail(nullptr, LIVETCP_ERR_RESOLVE, "ours");
    std::thread([&] {
        before_theirs = livetcp_result_detail(LIVETCP_ERR_RESOLVE);
        lt_fail(&theirs, LIVETCP_ERR_RESOLVE, "theirs");
    }).join();
    CHECK(before_theirs == livetcp_result_text(LIVETCP_ERR_RESOLVE));
    CHECK(detail(LIVETCP_ERR_RESOLVE) == "ours");
    CHECK(lt_fail_again(&mine, &theirs) == LIVETCP_ERR_RESOLVE);
    CHECK(detail(LIVETCP_ERR_RESOLVE) == "theirs");
    CHECK(std::string(mine.message) == "theirs");
}

TEST_CASE("a struct that nobody prepared is named, with the remedy")
{
    livetcp_thing thing = {0, 0};
    livetcp_error error = {};
    CHECK(LT_CHECK_SIZED(&thing, livetcp_thing, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message) ==
          "the livetcp_thing has struct_size 0: set it to sizeof(livetcp_thing) before the call");
    CHECK(LT_CHECK_INITIALIZED(&thing, livetcp_thing, 4, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message) ==
          "the livetcp_thing has struct_size 0: call livetcp_thing_init() first");
    CHECK(LT_CHECK_SIZED(nullptr, livetcp_thing, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message) == "the livetcp_thing is NULL");
    thing.struct_size = sizeof thing;
    CHECK(LT_CHECK_SIZED(&thing, livetcp_thing, &error) == LIVETCP_OK);
}

TEST_CASE("versions are compared by the compiler and at run time")
{
    STATIC_REQUIRE(LIVETCP_VERSION_CHECK(0, 0, 0));
    STATIC_REQUIRE(
        LIVETCP_VERSION_CHECK(LIVETCP_VERSION_MAJOR, LIVETCP_VERSION_MINOR, LIVETCP_VERSION_PATCH));
    STATIC_REQUIRE_FALSE(
        LIVETCP_VERSION_CHECK(LIVETCP_VERSION_MAJOR, LIVETCP_VERSION_MINOR + 1, 0));
    STATIC_REQUIRE_FALSE(LIVETCP_VERSION_CHECK(LIVETCP_VERSION_MAJOR + 1, 0, 0));
    STATIC_REQUIRE(LIVETCP_VERSION_ENCODE(1, 0, 0) > LIVETCP_VERSION_ENCODE(0, 255, 255));
#if !LIVETCP_VERSION_CHECK(0, 2, 0)
    FAIL("the preprocessor compares in another way");
#endif
    CHECK(livetcp_version_number() == LIVETCP_VERSION_NUMBER);
    CHECK(std::string(livetcp_version()) == LIVETCP_VERSION);
}
