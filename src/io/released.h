/* SPDX-License-Identifier: MIT */
/*
 * The end of a pending connection: attached to a session, or turned away with a reason. It has left
 * the pool, and its socket is not watched. Each function but the first three ends the connection: a
 * session has the socket afterwards, or it is closed. These may all call back.
 */
#ifndef LT_IO_RELEASED_H
#define LT_IO_RELEASED_H

#include "io/admission.h"

typedef struct lt_io_released {
    livetcp_listener *listener;      /* referenced */
    uint8_t address[LT_ADDRESS_KEY]; /* the peer's: of the socket, or as a trusted proxy in front
                                        states it */
    lt_address peer;                 /* and in the form for texts */
    char remote[LT_ADDRESS_TEXT];    /* its text, once composed */
    uv_os_sock_t socket;
    lt_io_filter *filter;   /* NULL = none, or handed to a session */
    livetcp_pending *state; /* NULL = handed to a session */
    bool plain;             /* plain wire: RFC 4571 only */
} lt_io_released;

/* Sets the peer's address. */
void lt_io_released_name(lt_io_released *released, const lt_address *peer);

/* "address:port", composed on first use: in a flood few connections need it. */
const char *lt_io_released_remote(lt_io_released *released);

/* Frees filter and state, not the socket. */
void lt_io_released_clear(lt_io_released *released);

/* Becomes a session of its own, on a plain wire; `data` is its first input. */
void lt_io_released_take_plain(lt_io_released *released, const uint8_t *data, size_t size);

/* Creates a session after PROOF: `joined` is the reply, `data` the input after PROOF. If the
 * application answers later, `on_decided` is called then. */
void lt_io_released_create_session(lt_io_released *released, const livetcp_reply *joined,
                                   const uint8_t *data, size_t size,
                                   void (*on_decided)(livetcp_listener *listener));

/* Attaches the connection to `session`, as above; NULL = that has ended. */
void lt_io_released_join_session(lt_io_released *released, livetcp_session *session,
                                 const livetcp_reply *joined, const uint8_t *data, size_t size);

/* Turns the connection away. The peer gets a REJECT or `reply`; the application is notified with
 * the text of `error`, or one composed from the reason. */
void lt_io_released_reject(lt_io_released *released, livetcp_result reason);
void lt_io_released_turn_away(lt_io_released *released, livetcp_result reason,
                              const livetcp_reply *reply);
void lt_io_released_send_off(lt_io_released *released, const livetcp_error *error,
                             const livetcp_reply *reply);

/* The same without a notice: the application already knows. */
void lt_io_released_dismiss(lt_io_released *released, livetcp_result reason,
                            const livetcp_reply *reply);

/* The connection failed with this errno, or was closed by the peer (0). */
void lt_io_released_lose(lt_io_released *released, int system_errno);

/* It made room for others: of max-joining (0), or of the system (the errno that says what it is
 * short of). */
void lt_io_released_push_out(lt_io_released *released, int shortage);

#endif
