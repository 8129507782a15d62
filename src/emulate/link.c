/* SPDX-License-Identifier: MIT */
#include "emulate/link.h"
