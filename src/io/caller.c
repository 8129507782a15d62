/* SPDX-License-Identifier: MIT */
/* Public functions for a listener's application: properties of the caller, and the admission
 * decision. */
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "io/session.h"

#include <stdio.h>
#include <string.h>

livetcp_result livetcp_session_get_caller(const livetcp_session *session, livetcp_caller *caller)
{
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(caller, livetcp_caller, NULL);
    if (result == LIVETCP_OK && session->caller)
        return lt_fail(NULL, LIVETCP_ERR_BAD_STATE, "this session is the caller's own end");
    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(lt_io_session_lock_of(session));
    lt_sized_fill(caller, &session->introduced, sizeof session->introduced);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    return LIVETCP_OK;
}

/* ---- the answer ---- */

typedef struct answer_call {
    livetcp_session *session;
    lt_io_decision decision;
    unsigned code;
    const char *text;
    livetcp_result result;
} answer_call;

static livetcp_result check_answer(const livetcp_session *session)
{
    if (session->ended || livetcp_session_get_state(session) == LIVETCP_SESSION_CLOSED)
        return lt_fail(NULL, LIVETCP_ERR_CLOSED, "the session has ended: its caller is gone");
    if (session->decision != LT_IO_ASKED && session->decision != LT_IO_LATER)
        return lt_fail(NULL, LIVETCP_ERR_BAD_STATE, "the caller has its answer already");
    return LIVETCP_OK;
}

static void run_answer(void *argument)
{
    answer_call *call = argument;
    livetcp_session *session = call->session;

    call->result = check_answer(session);
    if (call->result != LIVETCP_OK)
        return;
    session->decision = call->decision;
    session->refusal.code = call->code;
    if (call->text)
        snprintf(session->refusal.text, sizeof session->refusal.text, "%.*s",
                 (int)lt_utf8_cut(call->text, LIVETCP_REJECTION_MAX), call->text);
    if (session->on_answer)
        session->on_answer(session);
}

static livetcp_result answer(livetcp_session *session, lt_io_decision decision, unsigned code,
                             const char *text)
{
    answer_call call = {.session = session, .decision = decision, .code = code, .text = text};
    livetcp_result result = lt_io_session_check(session);

    if (result != LIVETCP_OK)
        return result;
    lt_io_context_run(session->context, run_answer, &call);
    return call.result;
}

livetcp_result livetcp_session_admit(livetcp_session *session)
{
    return answer(session, LT_IO_ADMITTED, 0, NULL);
}

livetcp_result livetcp_session_reject(livetcp_session *session, unsigned code, const char *text)
{
    if (code > UINT16_MAX || (text && !lt_utf8_is_text(text, strlen(text))))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a rejection has a code of at most 65535, and a text in UTF-8 without "
                       "control characters");
    return answer(session, LT_IO_REFUSED, code, text);
}

livetcp_result livetcp_session_admit_later(livetcp_session *session)
{
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK && session->config.wire == LIVETCP_WIRE_PLAIN)
        return lt_fail(NULL, LIVETCP_ERR_NOT_SUPPORTED,
                       "a plain peer cannot wait: answer within the callback");
    if (result == LIVETCP_OK && session->decision != LT_IO_ASKED)
        return lt_fail(NULL, LIVETCP_ERR_BAD_STATE,
                       "an answer can be deferred within on_session only, and once");
    return result == LIVETCP_OK ? answer(session, LT_IO_LATER, 0, NULL) : result;
}

/* ---- the answer that we got ---- */

livetcp_result livetcp_session_get_rejection(const livetcp_session *session,
                                             livetcp_rejection *rejection)
{
    livetcp_rejection known = {.struct_size = sizeof known};
    livetcp_result result = lt_io_session_check(session);
    const char *text;

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(rejection, livetcp_rejection, NULL);
    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(lt_io_session_lock_of(session));
    known.code = livetcp_engine_rejection(session->engine, &text);
    snprintf(known.text, sizeof known.text, "%s", text);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    lt_sized_fill(rejection, &known, sizeof known);
    return LIVETCP_OK;
}
