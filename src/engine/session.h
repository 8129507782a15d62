/* SPDX-License-Identifier: MIT */
/* A session's engine from the inside; livetcp/engine.h is what it does. */
#ifndef LT_ENGINE_SESSION_H
#define LT_ENGINE_SESSION_H

#include "wire/handshake.h"

#include <livetcp/engine.h>

/* How many packets under way the policy is asked about in one round. */
#define LT_REVIEW_MAX 64

#endif
