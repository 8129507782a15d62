/* SPDX-License-Identifier: MIT */
/* Common part of `livetcp send` and `livetcp receive`: one session at a time, as caller or
 * listener, with its messages and the summary at its end. */
#ifndef LT_TOOL_TRANSFER_H
#define LT_TOOL_TRANSFER_H

#include "lab/options.h"
#include "tool/token_file.h"

#include <livetcp/livetcp.h>

#include <uv.h>

typedef struct lt_transfer_options {
    char *format, *duration, *json, *signal, *tokens; /* as given */
    int size, keep, quiet, help;
} lt_transfer_options;

typedef struct lt_transfer {
    const char *command; /* "send" */
    livetcp_role role;   /* of a caller; a listener needs callers of the other role */
    livetcp_config config;
    livetcp_usec duration; /* LIVETCP_NEVER: without limit */
    const char *json;      /* file for the summary, or NULL */
    lt_token_file tokens;  /* authorizes callers; without a name: everybody */
    bool keep;             /* a listener accepts another session, a caller retries until answered */
    bool quiet;

    /* On the loop's thread, for each packet; NULL: none. */
    void (*on_packet)(const livetcp_packet *packet, void *user);
    void *user;

    /* Set by lt_transfer_open(). */
    livetcp_context *context;
    livetcp_listener *listener;
    uv_mutex_t lock; /* of the following members */
    uv_cond_t changed;
    livetcp_session *session; /* NULL: none yet, or ended */
    bool open;                /* media can flow */
    bool closed;              /* ended; *end has the reason */
    bool sent;                /* livetcp_session_notify_when_sent() has called back */
    bool failed;              /* no answer from the listener */
    char reported[240];       /* last reason, reported once */
    livetcp_error end;
    livetcp_usec start; /* when it was first open; 0 = never */
    bool served;        /* a session has ended, */
    int code;           /*   with this exit code */
} lt_transfer;

/* Reads `uri` and the common options. */
livetcp_result lt_transfer_take(lt_transfer *transfer, const lt_transfer_options *options,
                                const char *uri, livetcp_error *error);

/* Installs the handler: Ctrl-C sets the flag of lt_transfer_interrupted(); a second one ends the
 * program. */
livetcp_result lt_transfer_open(lt_transfer *transfer, livetcp_error *error);
bool lt_transfer_interrupted(void);

/* Waits until the session is open or has ended. False: Ctrl-C, or the session is impossible. */
bool lt_transfer_wait_open(lt_transfer *transfer);

/* Waits until all packets are sent. False: the session has ended, or Ctrl-C. */
bool lt_transfer_wait_sent(lt_transfer *transfer);

/* Waits until `at` on CLOCK_MONOTONIC. False: the session has ended, or Ctrl-C. */
bool lt_transfer_wait_until(lt_transfer *transfer, livetcp_usec at);

/* True after the duration, Ctrl-C, or the end of the session. */
bool lt_transfer_is_over(lt_transfer *transfer);

bool lt_transfer_is_closed(lt_transfer *transfer); /* the session has ended */

livetcp_usec lt_transfer_now(void);

/* Ends the session, sends the queued packets, and prints the summary. Returns the exit code:
 * success if there was a session and it ended in order. Without one it is that of the last session
 * that a kept listener had. */
int lt_transfer_finish(lt_transfer *transfer);

/* True if a listener waits for another session. */
bool lt_transfer_goes_on(const lt_transfer *transfer);

/* Frees everything. */
void lt_transfer_close(lt_transfer *transfer);

/* The common options, for the table of each command. */
#define LT_TRANSFER_OPTIONS(v)                                                                     \
    LT_OPTION_TEXT("duration", &(v)->duration, "end after this time", "TIME"),                     \
        LT_OPTION_ENTRY(                                                                           \
            "keep", 'k', POPT_ARG_NONE, &(v)->keep, 0,                                             \
            "a caller calls until it is answered; a listener waits for the next session", NULL),   \
        LT_OPTION_TEXT("tokens", &(v)->tokens,                                                     \
                       "a listener admits callers with a token of this file, or a JWT signed by "  \
                       "a key of it",                                                              \
                       "FILE"),                                                                    \
        LT_OPTION_JSON("write the summary as JSON; to standard output without =FILE"),             \
        LT_OPTION_ENTRY("quiet", 'q', POPT_ARG_NONE, &(v)->quiet, 0, "print errors only", NULL),   \
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &(v)->help, LT_OPTION_CODE_LAST,               \
                        "show this help", NULL)

#endif
