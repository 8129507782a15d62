/* SPDX-License-Identifier: MIT */
#include "gstlivetcpquestion.h"

#include <string.h>

GstStructure *gst_livetcp_describe_caller(const livetcp_session *session)
{
    static const gchar *const roles[] = {"both", "publish", "subscribe"};
    livetcp_caller caller = {.struct_size = sizeof(caller)};
    livetcp_tls_info tls = {.struct_size = sizeof(tls)};

    livetcp_session_get_caller(session, &caller);
    livetcp_session_get_tls(session, &tls);
    GstStructure *described = gst_structure_new(
        "livetcp-caller", "address", G_TYPE_STRING, caller.remote, "stream-id", G_TYPE_STRING,
        caller.stream_id, "role", G_TYPE_STRING, roles[caller.role], "token", G_TYPE_STRING,
        caller.token, "tls-version", G_TYPE_STRING, tls.version, "tls-subject", G_TYPE_STRING,
        tls.subject, "tls-fingerprint", G_TYPE_STRING, tls.fingerprint, "passphrase",
        G_TYPE_BOOLEAN, tls.shared_key, NULL);
    memset(caller.token, 0, sizeof(caller.token));
    return described;
}

void gst_livetcp_question_begin(GstLiveTcpQuestion *question, livetcp_session *session,
                                guint number, GstStructure *caller)
{
    gst_livetcp_question_set_reason(question, 0, NULL);
    question->session = session;
    question->number = number;
    question->thread = g_thread_self();
    question->caller = caller;
    question->deferred = FALSE;
}

gboolean gst_livetcp_question_is_here(const GstLiveTcpQuestion *question)
{
    return question->session != NULL && question->thread == g_thread_self();
}

GstStructure *gst_livetcp_question_forget_caller(GstLiveTcpQuestion *question)
{
    return g_steal_pointer(&question->caller);
}

void gst_livetcp_question_set_reason(GstLiveTcpQuestion *question, guint code, const gchar *text)
{
    g_free(question->text);
    question->code = MIN(code, G_MAXUINT16);
    question->text = g_strdup(text);
}

void gst_livetcp_question_end(GstLiveTcpQuestion *question)
{
    question->session = NULL;
    question->thread = NULL;
}

void gst_livetcp_question_clear(GstLiveTcpQuestion *question)
{
    g_clear_pointer(&question->text, g_free);
}

livetcp_result gst_livetcp_turn_away(livetcp_session *session, guint code, const gchar *text)
{
    guint16 known = (guint16)MIN(code, G_MAXUINT16);
    livetcp_result result = livetcp_session_reject(session, known, text);

    return result == LIVETCP_ERR_INVALID_ARGUMENT ? livetcp_session_reject(session, known, NULL)
                                                  : result;
}
