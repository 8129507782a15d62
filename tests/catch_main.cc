/* SPDX-License-Identifier: MIT */
/* Catch2 2.x wants its main() compiled once; shared by every test program. */
#define CATCH_CONFIG_MAIN
#include "catch.h"
