/* SPDX-License-Identifier: MIT */
/* What a new session takes over from the connection that asked for it. */
#ifndef LT_ENGINE_PENDING_H
#define LT_ENGINE_PENDING_H

#include "wire/handshake.h"

#include <livetcp/engine.h>

/* The session's key, and the proof that is still to come. Returns how many connections the caller
 * has announced. */
unsigned lt_pending_session(const livetcp_pending *pending, lt_credentials *credentials,
                            lt_pending_proof *proof);

#endif
