/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a connection that is pending no more: part of a session, or turned away with a
 * reason. Nothing watches its socket, and nobody counts it any more. Each function but the first
 * three is the last of one connection: the socket is gone after it, to a session or for good. All
 * of those may call back.
 */
#ifndef LT_IO_RELEASED_H
#define LT_IO_RELEASED_H

#include "io/admission.h"

typedef struct lt_io_released {
    livetcp_listener *listener;      /* referenced */
    uint8_t address[LT_ADDRESS_KEY]; /* the peer's: what a proxy in front says, or the socket's */
    lt_address peer;                 /*   and as others show it */
    char remote[LT_ADDRESS_TEXT];    /* text of that, once somebody asks */
    uv_os_sock_t socket;
    lt_io_filter *filter;   /* NULL = none, or it is a session's */
    livetcp_pending *state; /* the same */
    bool plain;             /* RFC 4571 and nothing else */
} lt_io_released;

/* Says whose connection it is. */
void lt_io_released_name(lt_io_released *released, const lt_address *peer);

/* "address:port". Few of a flood are worth their text. */
const char *lt_io_released_remote(lt_io_released *released);

/* Frees filter and state, not the socket. */
void lt_io_released_clear(lt_io_released *released);

/* Becomes a session of its own: on a plain wire, with this input. */
void lt_io_released_take_plain(lt_io_released *released, const uint8_t *data, size_t size);

/* Becomes the first of a session, after PROOF: `joined` is the reply to it, and the input what came
 * behind. If the application answers later, `on_decided` is called then. */
void lt_io_released_create_session(lt_io_released *released, const livetcp_reply *joined,
                                   const uint8_t *data, size_t size,
                                   void (*on_decided)(livetcp_listener *listener));

/* Becomes one more of a session, the same; NULL if that has ended. */
void lt_io_released_join_session(lt_io_released *released, livetcp_session *session,
                                 const livetcp_reply *joined, const uint8_t *data, size_t size);

/* Turned away: the peer is told by a REJECT, or by this reply, and the application with a text that
 * the error has, or that follows from the reason. */
void lt_io_released_reject(lt_io_released *released, livetcp_result reason);
void lt_io_released_turn_away(lt_io_released *released, livetcp_result reason,
                              const livetcp_reply *reply);
void lt_io_released_send_off(lt_io_released *released, const livetcp_error *error,
                             const livetcp_reply *reply);

/* The same with nothing for the application: it knows. */
void lt_io_released_dismiss(lt_io_released *released, livetcp_result reason,
                            const livetcp_reply *reply);

/* It broke, with an errno, or the peer has ended it (0). */
void lt_io_released_lose(lt_io_released *released, int system_errno);

/* It made room for others: of max-joining (0), or of the system (the errno that says what it is
 * short of). */
void lt_io_released_push_out(lt_io_released *released, int shortage);

#endif
