/* SPDX-License-Identifier: MIT */
/* Interface between a session and the pending connection that asks for it. */
#ifndef LT_ENGINE_PENDING_H
#define LT_ENGINE_PENDING_H

#include "wire/handshake.h"

#include <livetcp/engine.h>

/* The session's key, and the PROOF that is still to come. Returns the number of connections that
 * the caller announced. */
unsigned lt_pending_session(const livetcp_pending *pending, lt_credentials *credentials,
                            lt_pending_authenticator *proof);

/* LT_CAPABILITY_...: of both ends of the session that it makes. */
uint32_t lt_pending_capabilities(const livetcp_pending *pending);

/* See lt_connection_number(). */
uint32_t lt_pending_number(const livetcp_pending *pending);

/* With which a connection that joins has proved itself; 0 = without one. */
uint32_t lt_pending_ticket(const livetcp_pending *pending);

/* True if the connection, which has proved itself, takes the place of one that the session still
 * has: its caller has left that, and the end of it has not arrived yet. The owner closes that one,
 * with livetcp_engine_lost(), before livetcp_engine_adopt_pending(). */
bool lt_engine_is_replaced_by(const livetcp_engine *engine, const livetcp_pending *pending);

/* As livetcp_pending_challenge(), of the session that has these credentials and has taken tickets
 * up to this one. */
livetcp_result lt_pending_challenge(livetcp_pending *pending, const lt_credentials *credentials,
                                    uint32_t ticket, livetcp_random_fn random, void *random_user,
                                    livetcp_reply *reply);

#endif
