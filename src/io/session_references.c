/* SPDX-License-Identifier: MIT */
/* Reference counting of sessions: the last release frees one. */
#include "io/session.h"

#include "wire/authenticator.h"

#include <stdlib.h>
#include <string.h>

void lt_io_session_reference(livetcp_session *session)
{
    session->references++;
}

void lt_io_forget_headers(char **headers)
{
    if (*headers)
        lt_wipe(*headers, strlen(*headers));
    free(*headers);
    *headers = NULL;
}

void lt_io_session_release(livetcp_session *session)
{
    livetcp_context *context = session->context;

    if (--session->references > 0)
        return;
    lt_io_arrivals_free(&session->arrivals);
    lt_io_tls_destroy(&session->tls);
    lt_io_proxy_destroy(&session->proxy);
    lt_wipe(session->introduced.token, sizeof session->introduced.token);
    lt_io_forget_headers(&session->websocket_headers);
    livetcp_engine_destroy(&session->engine);
    uv_mutex_destroy(&session->lock);
    free(session->links);
    free(session);
    lt_io_context_release(context);
}

void lt_io_session_hold_owner(void *owner)
{
    lt_io_session_reference(owner);
}

void lt_io_session_release_owner(void *owner)
{
    lt_io_session_release(owner);
}
