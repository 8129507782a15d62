/* SPDX-License-Identifier: MIT */
#include "io/released.h"

#include "base/error.h"
#include "io/error_text.h"
#include "io/lingering_close.h"
#include "io/listener.h"
#include "io/reply.h"
#include "io/session_slots.h"
#include "io/socket.h"
#include "io/undecided.h"

#include <string.h>

void lt_io_released_name(lt_io_released *released, const lt_address *peer)
{
    released->peer = *peer;
    released->remote[0] = '\0';
    lt_address_key(peer, released->address);
}

const char *lt_io_released_remote(lt_io_released *released)
{
    if (!released->remote[0])
        lt_address_text(&released->peer, released->remote);
    return released->remote;
}

void lt_io_released_clear(lt_io_released *released)
{
    livetcp_pending_destroy(&released->state);
    lt_io_filter_destroy(&released->filter);
}

/* ---- away ---- */

/* Sends the reply if possible, and closes. */
void lt_io_released_dismiss(lt_io_released *released, livetcp_result reason,
                            const livetcp_reply *reply)
{
    lt_io_reply_write(released->socket, released->filter, reply);
    if (released->filter) {
        lt_io_filter_end(released->filter, reason);
        lt_io_reply_flush(released->socket, released->filter);
    }
    lt_io_close_lingering(released->listener->context, released->socket, NULL, 0);
}

void lt_io_released_send_off(lt_io_released *released, const livetcp_error *error,
                             const livetcp_reply *reply)
{
    lt_io_released_dismiss(released, error->code, reply);
    lt_io_admission_rejected(released->listener, lt_io_released_remote(released), error);
}

void lt_io_released_turn_away(lt_io_released *released, livetcp_result reason,
                              const livetcp_reply *reply)
{
    livetcp_error error;

    if (reason == LIVETCP_ERR_TLS)
        lt_fail(&error, reason,
                "connection from %s: it sent a token that anybody on the way can read; set a "
                "passphrase or TLS at both ends, and make a new token",
                lt_io_released_remote(released));
    else
        lt_fail(&error, reason, "connection from %s: %s%s", lt_io_released_remote(released),
                livetcp_result_text(reason), lt_io_advice(reason));
    lt_io_released_send_off(released, &error, reply);
}

void lt_io_released_reject(lt_io_released *released, livetcp_result reason)
{
    livetcp_reply reply = {.size = 0};

    if (!released->plain)
        livetcp_pending_reject(released->state, reason, &reply);
    lt_io_released_turn_away(released, reason, &reply);
}

/* Refused by the application, possibly with a code and text. */
static void reject_with(lt_io_released *released, livetcp_result reason,
                        const lt_io_refusal *refusal)
{
    livetcp_reply reply = {.size = 0};
    livetcp_error error;

    if (!released->plain)
        livetcp_pending_reject_with(released->state, reason, refusal->code, refusal->text, &reply);
    if (!*refusal->text) {
        lt_io_released_turn_away(released, reason, &reply);
        return;
    }
    lt_fail(&error, reason, "connection from %s: refused by the application: %s",
            lt_io_released_remote(released), refusal->text);
    lt_io_released_send_off(released, &error, &reply);
}

void lt_io_released_lose(lt_io_released *released, int system_errno)
{
    const char *remote = lt_io_released_remote(released);
    livetcp_error error;

    if (system_errno)
        lt_fail(&error, lt_io_socket_result(system_errno, true), "connection from %s: %s", remote,
                strerror(system_errno));
    else
        lt_fail(&error, LIVETCP_ERR_CONNECTION_LOST,
                "connection from %s: closed before its request was complete", remote);
    lt_socket_close(released->socket);
    lt_io_admission_rejected(released->listener, remote, &error);
}

/* That it had to is worth a line, its REJECT is not worth a write. A reset costs half of an orderly
 * end, and leaves nothing in the kernel that waits for the peer's. */
void lt_io_released_push_out(lt_io_released *released, int shortage)
{
    livetcp_error error;

    lt_socket_reset(released->socket);
    if (!lt_io_admission_may_notify(released->listener))
        return;
    lt_fail(&error, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
            "connection from %s: closed to make room for others, before it had joined%s%s; %s",
            lt_io_released_remote(released), shortage ? ": " : "",
            shortage ? strerror(shortage) : "",
            shortage ? lt_io_shortage_advice(shortage)
                     : "if it was no stranger, raise max-joining or max-joining-address");
    lt_io_admission_notify(released->listener, lt_io_released_remote(released), &error);
}

/* ---- into a session ---- */

static void hand_over(lt_io_released *released, livetcp_session *session, unsigned index,
                      const livetcp_reply *joined, const uint8_t *data, size_t size)
{
    lt_io_first_connection first = {.index = index,
                                    .socket = released->socket,
                                    .filter = released->filter,
                                    .state = released->plain ? NULL : released->state,
                                    .reply = joined,
                                    .data = data,
                                    .size = size};
    livetcp_result result = lt_io_admission_attach(released->listener, session, &first);

    if (result != LIVETCP_OK) {
        lt_io_released_reject(released, result);
        return;
    }
    released->filter = NULL;
    lt_io_admission_feed(session, &first);
}

/* The application answers later: moves the connection to undecided.c. */
static void wait_for_answer(lt_io_released *released, livetcp_session *session,
                            const lt_io_undecided_parts *parts)
{
    livetcp_result result = lt_io_undecided_start(released->listener, session, parts);

    if (result != LIVETCP_OK) {
        lt_io_released_reject(released, result);
        livetcp_session_close(session, 0);
        return;
    }
    released->filter = NULL;
    released->state = NULL;
}

/* The socket is not attached before the application has answered, since on_session may end the
 * listener. */
void lt_io_released_create_session(lt_io_released *released, const livetcp_reply *joined,
                                   const uint8_t *data, size_t size,
                                   void (*on_decided)(livetcp_listener *listener))
{
    livetcp_listener *listener = released->listener;
    unsigned index = livetcp_pending_index(released->state);
    livetcp_session *session = NULL;
    lt_io_refusal refusal;

    livetcp_result result =
        lt_io_admission_offer(listener, lt_io_released_remote(released), released->address,
                              released->filter, released->state, &session, &refusal);
    if (result != LIVETCP_OK) {
        lt_io_admission_note_refused(listener, livetcp_pending_session_id(released->state));
        reject_with(released, result, &refusal);
    } else if (session->decision == LT_IO_LATER) {
        lt_io_undecided_parts parts = {.socket = released->socket,
                                       .filter = released->filter,
                                       .state = released->state,
                                       .joined = *joined,
                                       .rest = data,
                                       .rest_size = size,
                                       .on_decided = on_decided};
        wait_for_answer(released, session, &parts);
    } else {
        hand_over(released, session, index, joined, data, size);
    }
}

void lt_io_released_join_session(lt_io_released *released, livetcp_session *session,
                                 const livetcp_reply *joined, const uint8_t *data, size_t size)
{
    if (!session) {
        lt_io_released_reject(released, LIVETCP_ERR_UNKNOWN_SESSION);
        return;
    }
    lt_io_session_note_tls(session, released->filter);
    hand_over(released, session, livetcp_pending_index(released->state), joined, data, size);
}

void lt_io_released_take_plain(lt_io_released *released, const uint8_t *data, size_t size)
{
    livetcp_session *session = NULL;
    lt_io_refusal refusal;

    released->plain = true;
    livetcp_result result =
        lt_io_admission_offer(released->listener, lt_io_released_remote(released),
                              released->address, released->filter, NULL, &session, &refusal);
    if (result != LIVETCP_OK)
        reject_with(released, result, &refusal);
    else
        hand_over(released, session, 0, NULL, data, size);
}
