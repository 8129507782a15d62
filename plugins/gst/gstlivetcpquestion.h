/* SPDX-License-Identifier: MIT */
/* The state of caller-connecting while its handlers run: the caller, and their answer so far. A
 * listening endpoint has one, used for one caller at a time; zero-initialized: no handler is
 * running. Call all functions with the lock held, unless noted. */
#ifndef GST_LIVETCP_QUESTION_H
#define GST_LIVETCP_QUESTION_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpQuestion {
    livetcp_session *session; /* NULL: no handler is running, and the answer was carried out */
    guint number;             /* of the session, if it is accepted */
    GThread *thread;          /* the thread on which the handlers run */
    GstStructure *caller;     /* value of connecting-caller; NULL after the handlers */
    guint code;               /* code for a refused caller, */
    gchar *text;              /* and text, or NULL */
    gboolean deferred;        /* the answer comes later */
} GstLiveTcpQuestion;

/* Describes the caller for gst_livetcp_question_begin(), which takes it over. Without the lock. */
GstStructure *gst_livetcp_describe_caller(const livetcp_session *session);

/* The handlers run for this session from now on. */
void gst_livetcp_question_begin(GstLiveTcpQuestion *question, livetcp_session *session,
                                guint number, GstStructure *caller);

/* TRUE within a handler, or a function that it calls. */
gboolean gst_livetcp_question_is_here(const GstLiveTcpQuestion *question);

/* The handlers have returned: returns the description of the caller. */
GstStructure *gst_livetcp_question_forget_caller(GstLiveTcpQuestion *question);

/* On the handlers' thread, without the lock: sets code and text for a refusal. */
void gst_livetcp_question_set_reason(GstLiveTcpQuestion *question, guint code, const gchar *text);

/* The answer has been carried out; other threads may act on the session. */
void gst_livetcp_question_end(GstLiveTcpQuestion *question);

/* Without the lock. */
void gst_livetcp_question_clear(GstLiveTcpQuestion *question);

/* Refuses the session, without the text if that is invalid. Without the lock. */
livetcp_result gst_livetcp_turn_away(livetcp_session *session, guint code, const gchar *text);

G_END_DECLS

#endif
