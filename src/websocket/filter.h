/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket (RFC 6455) on one connection, between a stream of bytes and frames: bytes in, bytes
 * out. No socket and no clock. Each write becomes one binary message; of what comes, the payload of
 * binary messages is the stream, and their boundaries mean nothing. The owner writes output() after
 * every call below that takes input or payload, and also when it has failed: the peer gets an HTTP
 * error or a closing frame. One thread at a time.
 */
#ifndef LT_WEBSOCKET_FILTER_H
#define LT_WEBSOCKET_FILTER_H

#include "websocket/frames.h"
#include "websocket/upgrade.h"

typedef struct lt_ws lt_ws;

/* A read() has at least so much room. */
#define LT_WS_READ_MIN 4096

/* Copies the setup, whose key it draws itself; `random` must be unpredictable. A caller's has
 * output() at once. Errors: LIVETCP_ERR_NO_MEMORY, those of `random`. */
livetcp_result lt_ws_create(const lt_ws_setup *setup, lt_ws_random random, void *random_user,
                            lt_ws **ws);
void lt_ws_destroy(lt_ws **ws);

lt_ws_state lt_ws_state_of(const lt_ws *ws);

/* Takes bytes that came from the peer. Follow with read() until it returns 0. */
void lt_ws_receive(lt_ws *ws, const uint8_t *data, size_t size);

/* Payload that has come: number of bytes, 0 = no more for now. */
size_t lt_ws_read(lt_ws *ws, uint8_t *data, size_t size);

/* Takes payload whole. Errors: LIVETCP_ERR_BAD_STATE before it is open and after end(), the
 * error's otherwise. */
livetcp_result lt_ws_write(lt_ws *ws, const void *data, size_t size);

/* Bytes to write to the peer; they stay valid until the next call. */
size_t lt_ws_output(const lt_ws *ws, const uint8_t **data);
void lt_ws_written(lt_ws *ws, size_t size);

/* Tells the peer that nothing follows, and why: LIVETCP_OK for no reason. */
void lt_ws_end(lt_ws *ws, livetcp_result reason);

/* Listener: the head of the request did not come in time; output() tells the peer. */
void lt_ws_time_out(lt_ws *ws);

/* Once it has failed: cause and remedy. */
const livetcp_error *lt_ws_error(const lt_ws *ws);

/* Of one that is open: both ends know that they are the ends of the TLS below. */
bool lt_ws_is_bound(const lt_ws *ws);

/* Of a listener's that has failed: true if the request was no WebSocket for this listener. *head is
 * all that has come then. */
bool lt_ws_is_foreign(const lt_ws *ws, const uint8_t **head, size_t *size);

/* Of a listener's that is open: the request's X-Forwarded-For, which anybody may write; "" = none.
 */
const char *lt_ws_forwarded(const lt_ws *ws);

#endif
