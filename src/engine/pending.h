/* SPDX-License-Identifier: MIT */
/* Interface between a session and the pending connection that creates or joins it. */
#ifndef LT_ENGINE_PENDING_H
#define LT_ENGINE_PENDING_H

#include "wire/handshake.h"

#include <livetcp/engine.h>

/* Copies the session's credentials, and the state with which its PROOF is checked. Returns the
 * number of connections that the caller announced. */
unsigned lt_pending_session(const livetcp_pending *pending, lt_credentials *credentials,
                            lt_pending_authenticator *authenticator);

/* LT_CAPABILITY_... that both ends of the new session have. */
uint32_t lt_pending_capabilities(const livetcp_pending *pending);

/* Number of the connection: see lt_connection_number(). */
uint32_t lt_pending_number(const livetcp_pending *pending);

/* Ticket by which a joining connection proved itself; 0 = by a PROOF. */
uint32_t lt_pending_ticket(const livetcp_pending *pending);

/* True if this connection, which has proved itself, replaces one of the session whose end has not
 * been noticed yet: its caller has left it. The owner reports that one with livetcp_engine_lost()
 * before livetcp_engine_adopt_pending(). */
bool lt_engine_is_replaced_by(const livetcp_engine *engine, const livetcp_pending *pending);

/* livetcp_pending_challenge() for a session with these credentials, in which tickets up to `ticket`
 * are used. */
livetcp_result lt_pending_challenge(livetcp_pending *pending, const lt_credentials *credentials,
                                    uint32_t ticket, livetcp_random_fn random, void *random_user,
                                    livetcp_reply *reply);

#endif
