/* SPDX-License-Identifier: MIT */
/* Reason codes of the wire format, apart from the API's numbers. */
#include "catch.h"

extern "C" {
#include "wire/reason.h"
}

#include <string>

TEST_CASE("every reason means one result, which is sent as that reason")
{
    for (unsigned reason = 1; reason <= LT_REASON_MAX; reason++) {
        CAPTURE(reason);
        livetcp_result result = lt_reason_result(reason);
        CHECK(result < 0);
        CHECK(std::string(livetcp_result_name(result)) != "unknown");
        CHECK((unsigned)lt_reason_of(result) == reason);
    }
}

TEST_CASE("the numbers of the wire are those of docs/reference/wire-format.md")
{
    CHECK(lt_reason_of(LIVETCP_OK) == 0);
    CHECK(lt_reason_of(LIVETCP_ERR_NO_MEMORY) == 2);
    CHECK(lt_reason_of(LIVETCP_ERR_CLOSED) == 6);
    CHECK(lt_reason_of(LIVETCP_ERR_CANCELLED) == 7);
    CHECK(lt_reason_of(LIVETCP_ERR_FRAME_TOO_LARGE) == 10);
    CHECK(lt_reason_of(LIVETCP_ERR_PROTOCOL) == 12);
    CHECK(lt_reason_of(LIVETCP_ERR_UNKNOWN_SESSION) == 14);
    CHECK(lt_reason_of(LIVETCP_ERR_PEER_TIMEOUT) == 21);
    CHECK(lt_reason_of(LIVETCP_ERR_KEYFRAME_DROPPED) == 34);
}

TEST_CASE("what has no number is a protocol error, in both directions")
{
    CHECK(lt_reason_of((livetcp_result)-35) == LT_REASON_PROTOCOL);
    CHECK(lt_reason_of((livetcp_result)-1000) == LT_REASON_PROTOCOL);
    CHECK(lt_reason_result(0) == LIVETCP_ERR_PROTOCOL);
    CHECK(lt_reason_result(LT_REASON_MAX + 1) == LIVETCP_ERR_PROTOCOL);
    CHECK(lt_reason_result(255) == LIVETCP_ERR_PROTOCOL);
}
