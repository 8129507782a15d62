/* SPDX-License-Identifier: MIT */
/* Makes catch.h a precompiled header: tests/CMakeLists.txt gives it to every test program. */
#include "catch.h"
