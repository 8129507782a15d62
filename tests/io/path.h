/* SPDX-License-Identifier: MIT */
/* An emulated path for tests with real sockets. */
#ifndef LT_TESTS_IO_PATH_H
#define LT_TESTS_IO_PATH_H

#include "catch.h"

extern "C" {
#include "lab/emulate/path.h"
}

#include <iostream>

/* Without TUN and network namespaces it prints "SKIPPED:" and the reason, and `path` is NULL. */
class Path
{
  public:
    explicit Path(const char *spec)
    {
        lt_path_params params;
        livetcp_error error = {};
        lt_path_params_init(&params);
        for (lt_link_params &link : params.link)
            REQUIRE(!lt_link_params_parse(&link, spec, nullptr));
        path = lt_path_create(&params, &error);
        if (path) {
            REQUIRE(lt_path_start(path, &error) == LIVETCP_OK);
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
