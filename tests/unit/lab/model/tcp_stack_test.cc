/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <livetcp/model.h>

#include <string>

static livetcp_tcp_stack stack_of(livetcp_tcp_constants constants)
{
    livetcp_tcp_stack stack;
    REQUIRE(livetcp_tcp_stack_init(&stack, constants, nullptr) == LIVETCP_OK);
    REQUIRE(stack.struct_size == sizeof stack);
    return stack;
}

TEST_CASE("the timeout of a steady path is the paper's, or Linux's")
{
    auto brosh = stack_of(LIVETCP_TCP_CONSTANTS_BROSH);
    auto zhang = stack_of(LIVETCP_TCP_CONSTANTS_ZHANG);
    auto now = stack_of(LIVETCP_TCP_CONSTANTS_LINUX);

    CHECK(livetcp_tcp_stack_rto(&brosh, 100000) == 400000);
    CHECK(livetcp_tcp_stack_rto(&zhang, 100000) == 300000);
    CHECK(livetcp_tcp_stack_rto(&zhang, 20000) == 200000);
    CHECK(livetcp_tcp_stack_rto(&now, 100000) == 300000);
    auto without_sack = stack_of(LIVETCP_TCP_CONSTANTS_NEWRENO);
    CHECK(without_sack.detection == LIVETCP_LOSS_DETECTION_DUPACK);
    CHECK(livetcp_tcp_stack_rto(&without_sack, 300000) == 500000);
    CHECK(livetcp_tcp_stack_rto(&now, -1) == 200000);
    CHECK(livetcp_tcp_stack_rto(&now, 1000 * LIVETCP_USEC_SEC) == now.rto_max_us);
}

TEST_CASE("constants have names, and there are no others")
{
    livetcp_tcp_stack stack = {};
    livetcp_error error = {};

    CHECK(std::string(livetcp_tcp_constants_name(LIVETCP_TCP_CONSTANTS_LINUX)) == "linux");
    CHECK(livetcp_tcp_constants_name((livetcp_tcp_constants)4) == nullptr);
    CHECK(livetcp_tcp_stack_init(&stack, (livetcp_tcp_constants)-1, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("constants is -1") == 0);
    CHECK(stack.struct_size == 0);
}
