/* SPDX-License-Identifier: MIT */
/* An emulated path for tests with real sockets. */
#ifndef LT_TESTS_IO_PATH_H
#define LT_TESTS_IO_PATH_H

#include "catch.h"

extern "C" {
#include "lab/emulate/path.h"
}

#include <cstdint>
#include <iostream>
#include <string>

/* For the length of a test. Without TUN and network namespaces it prints "SKIPPED:" and the reason,
 * and `path` is NULL. */
class Path
{
  public:
    explicit Path(const std::string &forward = "", const std::string &backward = "",
                  std::uint64_t seed = 1, bool started = true)
    {
        lt_path_params params;
        livetcp_error error = {};
        lt_path_params_init(&params);
        params.seed = seed;
        REQUIRE(!lt_link_params_parse(&params.link[LT_FORWARD], forward.c_str(), nullptr));
        REQUIRE(!lt_link_params_parse(&params.link[LT_BACKWARD], backward.c_str(), nullptr));
        path = lt_path_create(&params, &error);
        if (path) {
            if (started && lt_path_start(path, &error))
                FAIL(error.message);
            return;
        }
        if (error.code != LIVETCP_ERR_PERMISSION && error.code != LIVETCP_ERR_NOT_SUPPORTED)
            FAIL(error.message);
        std::cout << "SKIPPED: " << error.message << std::endl;
    }
    ~Path()
    {
        lt_path_destroy(&path);
    }
    Path(const Path &) = delete;
    Path &operator=(const Path &) = delete;

    /* What this thread makes from here on, threads included, is at that end. */
    void enter(lt_end end) const
    {
        REQUIRE(lt_path_enter(path, end, nullptr) == LIVETCP_OK);
    }

    lt_path *path = nullptr;
};

#endif
