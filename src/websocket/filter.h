/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket (RFC 6455) on one connection, between a byte stream and frames: bytes in, bytes out.
 * No socket and no clock. Each write becomes one binary message; the payload of received binary
 * messages is the stream, message boundaries have no meaning. After every call that takes input or
 * payload the owner writes output(), also after a failure: the peer gets an HTTP error or a close
 * frame. One thread at a time.
 */
#ifndef LT_WEBSOCKET_FILTER_H
#define LT_WEBSOCKET_FILTER_H

#include "websocket/frames.h"
#include "websocket/upgrade.h"

typedef struct lt_ws lt_ws;

/* Minimum buffer size of lt_ws_read(). */
#define LT_WS_READ_MIN 4096

/* Copies the setup and draws its key from `random`, which must be cryptographically secure. A
 * caller's has output() at once. Errors: LIVETCP_ERR_NO_MEMORY, those of `random`. */
livetcp_result lt_ws_create(const lt_ws_setup *setup, lt_ws_random random, void *random_user,
                            lt_ws **ws);
void lt_ws_destroy(lt_ws **ws);

lt_ws_state lt_ws_state_of(const lt_ws *ws);

/* Takes bytes received from the peer. Follow with read() until it returns 0. */
void lt_ws_receive(lt_ws *ws, const uint8_t *data, size_t size);

/* Reads received payload: number of bytes, 0 = no more for now. */
size_t lt_ws_read(lt_ws *ws, uint8_t *data, size_t size);

/* Writes all of the payload. Errors: LIVETCP_ERR_BAD_STATE before it is open and after end(), else
 * that of lt_ws_error(). */
livetcp_result lt_ws_write(lt_ws *ws, const void *data, size_t size);

/* Bytes to write to the peer; they stay valid until the next call. */
size_t lt_ws_output(const lt_ws *ws, const uint8_t **data);
void lt_ws_written(lt_ws *ws, size_t size);

/* Sends a close frame, with the reason; LIVETCP_OK = none. */
void lt_ws_end(lt_ws *ws, livetcp_result reason);

/* Listener: the head of the request did not arrive in time; output() has an HTTP error. */
void lt_ws_time_out(lt_ws *ws);

/* After a failure: cause and remedy. */
const livetcp_error *lt_ws_error(const lt_ws *ws);

/* After opening: true if both ends know that the TLS below ends at them. */
bool lt_ws_is_bound(const lt_ws *ws);

/* Listener, after a failure: true if the request was not a WebSocket request for this listener.
 * *head is all input so far then. */
bool lt_ws_is_foreign(const lt_ws *ws, const uint8_t **head, size_t *size);

/* Listener, after opening: the request's X-Forwarded-For, which any client can forge; "" = none. */
const char *lt_ws_forwarded(const lt_ws *ws);

#endif
