/* SPDX-License-Identifier: MIT */
/* The one place that knows which Catch2 is installed: 2.13 on Debian 12, 3.x elsewhere. */
#ifndef LT_TESTS_CATCH_H
#define LT_TESTS_CATCH_H

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#endif
