/* SPDX-License-Identifier: MIT */
#include "gstlivetcpcallers.h"

#include "gstlivetcpdebug.h"
#include "gstlivetcppeers.h"
#include "gstlivetcpreport.h"

#define GST_CAT_DEFAULT gst_livetcp_session_debug

/* ---- who calls, on the loop's thread ---- */

void gst_livetcp_callers_prepare_rejection(GstLiveTcpEndpoint *endpoint, guint code,
                                           const gchar *text)
{
    gst_livetcp_question_set_reason(&endpoint->question, code, text);
}

/* Runs the handlers of caller-connecting. */
static gboolean is_welcome(GstLiveTcpEndpoint *endpoint, livetcp_session *session,
                           GSocketAddress *address)
{
    GstLiveTcpQuestion *question = &endpoint->question;
    GstStructure *caller = gst_livetcp_describe_caller(session);

    g_mutex_lock(&endpoint->lock);
    gst_livetcp_question_begin(question, session, endpoint->next_id, caller);
    g_mutex_unlock(&endpoint->lock);
    gboolean welcome = gst_livetcp_signal_caller_connecting(endpoint->element, address);
    g_mutex_lock(&endpoint->lock);
    caller = gst_livetcp_question_forget_caller(question);
    g_mutex_unlock(&endpoint->lock);
    gst_structure_free(caller);
    if (!welcome) {
        gst_livetcp_turn_away(session, question->code, question->text);
    }
    return welcome;
}

/* With the lock held. */
static void end_asking(GstLiveTcpEndpoint *endpoint)
{
    gst_livetcp_question_end(&endpoint->question);
    g_cond_broadcast(&endpoint->cond);
}

/* ---- answers that come later, on any thread ---- */

guint gst_livetcp_callers_defer(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    livetcp_session *session =
        gst_livetcp_question_is_here(&endpoint->question) ? endpoint->question.session : NULL;
    g_mutex_unlock(&endpoint->lock);
    livetcp_result result =
        session != NULL ? livetcp_session_admit_later(session) : LIVETCP_ERR_BAD_STATE;

    if (result != LIVETCP_OK) {
        GST_WARNING_OBJECT(endpoint->element, "admit-caller-later: %s",
                           session == NULL ? "no handler of caller-connecting emits it"
                           : result == LIVETCP_ERR_NOT_SUPPORTED
                               ? "a plain peer (RFC 4571) cannot wait: answer it at once"
                               : "the caller has its answer, or waits already");
        return 0;
    }
    endpoint->question.deferred = TRUE;
    return endpoint->question.number;
}

/* With the lock held, which is released meanwhile. Returns the caller with that number, or NULL; it
 * is not freed before let_go(). A thread can be faster than the handler that started it, so this
 * waits for the end of the handlers. */
static GstLiveTcpPeer *hold_caller(GstLiveTcpEndpoint *endpoint, guint session)
{
    while (endpoint->question.session != NULL && endpoint->question.number == session &&
           !endpoint->closing) {
        g_cond_wait(&endpoint->cond, &endpoint->lock);
    }
    for (guint i = 0; session != 0 && i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->id == session) {
            peer->holders++;
            endpoint->answering++;
            return peer;
        }
    }
    return NULL;
}

static void let_go(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    g_mutex_lock(&endpoint->lock);
    gboolean last = --peer->holders == 0 && peer->orphaned;
    g_mutex_unlock(&endpoint->lock);
    if (last) {
        gst_livetcp_peer_free(peer);
    }
    g_mutex_lock(&endpoint->lock);
    endpoint->answering--;
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
}

static livetcp_result give_answer(livetcp_session *session, gboolean admit, guint code,
                                  const gchar *text)
{
    return admit ? livetcp_session_admit(session) : gst_livetcp_turn_away(session, code, text);
}

static gboolean answer_caller(GstLiveTcpEndpoint *endpoint, guint session, gboolean admit,
                              guint code, const gchar *text)
{
    GstLiveTcpPeer *peer = NULL;
    livetcp_result result = LIVETCP_ERR_CLOSED;

    g_mutex_lock(&endpoint->lock);
    GstLiveTcpQuestion *question = &endpoint->question;
    gboolean inside = gst_livetcp_question_is_here(question) && question->number == session;
    livetcp_session *asked = question->session;
    if (!inside) {
        peer = hold_caller(endpoint, session);
    }
    g_mutex_unlock(&endpoint->lock);

    if (inside && question->deferred) { /* the handler itself, which had deferred the answer */
        result = give_answer(asked, admit, code, text);
        question->deferred = FALSE;
    } else if (peer != NULL) {
        result = give_answer(peer->session, admit, code, text);
        let_go(endpoint, peer);
    }
    if (result != LIVETCP_OK) {
        GST_WARNING_OBJECT(endpoint->element, "caller %u: %s", session,
                           result == LIVETCP_ERR_BAD_STATE ? "it has its answer already"
                                                           : "it is gone, or never was");
    }
    return result == LIVETCP_OK;
}

gboolean gst_livetcp_callers_admit(GstLiveTcpEndpoint *endpoint, guint session)
{
    return answer_caller(endpoint, session, TRUE, 0, NULL);
}

gboolean gst_livetcp_callers_reject(GstLiveTcpEndpoint *endpoint, guint session, guint code,
                                    const gchar *text)
{
    return answer_caller(endpoint, session, FALSE, code, text);
}

/* ---- callers, on the loop's thread ---- */

/* NULL, or the reason to refuse the caller. */
static const gchar *refusal(GstLiveTcpEndpoint *endpoint, livetcp_session *session,
                            GSocketAddress *address)
{
    if (address == NULL) {
        return "its address cannot be read";
    }
    if (!is_welcome(endpoint, session, address)) {
        return "a handler of caller-connecting refused the caller";
    }
    g_mutex_lock(&endpoint->lock);
    gboolean over = endpoint->closing || endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return over ? "the stream is over" : NULL;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    (void)listener;
    GstLiveTcpEndpoint *endpoint = user;
    GSocketAddress *address = gst_livetcp_parse_address(remote);
    const gchar *why_not = refusal(endpoint, session, address);
    if (why_not != NULL) {
        g_mutex_lock(&endpoint->lock);
        end_asking(endpoint);
        g_mutex_unlock(&endpoint->lock);
        endpoint->refusal = why_not; /* on_rejected() follows */
        g_clear_object(&address);
        return false;
    }

    GstLiveTcpPeer *peer = gst_livetcp_peer_new(endpoint, endpoint->next_id, remote);
    peer->address = address;
    peer->undecided = endpoint->question.deferred;
    livetcp_session_set_callbacks(session, &gst_livetcp_peer_callbacks, peer);
    g_mutex_lock(&endpoint->lock);
    gst_livetcp_peers_add(endpoint, peer, session);
    endpoint->next_id++;
    gboolean undecided = peer->undecided;
    end_asking(endpoint);
    g_mutex_unlock(&endpoint->lock);
    if (!undecided) {
        gst_livetcp_signal_caller_added(endpoint->element, peer->id, address);
    }
    if (livetcp_session_get_state(session) == LIVETCP_SESSION_OPEN) {
        gst_livetcp_peer_opened(peer, session);
    }
    return true;
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    (void)listener;
    GstLiveTcpEndpoint *endpoint = user;
    const gchar *why = endpoint->refusal != NULL ? endpoint->refusal : error->message;
    if (endpoint->refusal != NULL) { /* other refusals are in the library's log */
        GST_WARNING_OBJECT(endpoint->element, "turned %s away: %s", remote, why);
    }
    endpoint->refusal = NULL;
    GSocketAddress *address = gst_livetcp_parse_address(remote);
    if (address != NULL) {
        gst_livetcp_signal_caller_rejected(endpoint->element, address, why);
        g_object_unref(address);
    }
    if (gst_livetcp_is_wrong_end(error->code)) {
        gst_livetcp_post_warning(endpoint->element, error, "Turned a peer away", remote);
    }
}

const livetcp_listener_callbacks gst_livetcp_caller_callbacks = {
    .struct_size = sizeof(gst_livetcp_caller_callbacks),
    .on_session = on_session,
    .on_rejected = on_rejected,
};
