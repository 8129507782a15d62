/* SPDX-License-Identifier: MIT */
/* One question to the handlers of caller-connecting: who calls, and what they have answered so
 * far. Every endpoint that listens has one, about one caller at a time; all zero, nobody is asked.
 * Its lock is held for all functions but those that say otherwise. */
#ifndef GST_LIVETCP_QUESTION_H
#define GST_LIVETCP_QUESTION_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpQuestion {
    livetcp_session *session; /* NULL: nobody is asked, or all threads know the answer */
    guint number;             /* of the session, if it is accepted */
    GThread *thread;          /* the one that asks: handlers run on it */
    GstStructure *caller;     /* the property connecting-caller; NULL once they have answered */
    guint code;               /* what they tell the caller if they turn it away, */
    gchar *text;              /*   or NULL */
    gboolean deferred;        /* they answer later */
} GstLiveTcpQuestion;

/* Who calls, for gst_livetcp_question_begin(), which takes it over. Without the lock. */
GstStructure *gst_livetcp_describe_caller(const livetcp_session *session);

/* The handlers are asked about this session from here on. */
void gst_livetcp_question_begin(GstLiveTcpQuestion *question, livetcp_session *session,
                                guint number, GstStructure *caller);

/* TRUE within a handler that is asked, or what it calls. */
gboolean gst_livetcp_question_is_here(const GstLiveTcpQuestion *question);

/* The handlers have answered: gives back who called. */
GstStructure *gst_livetcp_question_forget_caller(GstLiveTcpQuestion *question);

/* On the thread that asks, without the lock: what the caller is told if it is turned away. */
void gst_livetcp_question_set_reason(GstLiveTcpQuestion *question, guint code, const gchar *text);

/* What follows from the answer is done, and other threads may act on the session. */
void gst_livetcp_question_end(GstLiveTcpQuestion *question);

/* Without the lock. */
void gst_livetcp_question_clear(GstLiveTcpQuestion *question);

/* Turns the session away, without the words if they cannot be shown. Without the lock. */
livetcp_result gst_livetcp_turn_away(livetcp_session *session, guint code, const gchar *text);

G_END_DECLS

#endif
