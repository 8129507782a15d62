/* SPDX-License-Identifier: MIT */
/* The processes of a run, for the coordinator. */
#ifndef LT_LAB_BENCH_PROCESS_H
#define LT_LAB_BENCH_PROCESS_H

#include "lab/bench/control.h"
#include "lab/emulate/path.h"

#include <sys/types.h>

typedef struct lt_process {
    pid_t pid;   /* 0 = not running */
    int control; /* the coordinator's end of the socket pair; -1 = none */
    const char *what;
    const livetcp_error *report; /* in shared memory: reason of a failure */
    bool answered;               /* the expected message was received */
} lt_process;

/* Forks; the caller must not have started a thread. The child enters `end` of `path` (NULL: stays),
 * calls body(context, control) and exits with its result. It keeps only the standard descriptors
 * and `control`. */
livetcp_result lt_process_start(lt_process *process, const lt_path *path, lt_end end,
                                int (*body)(void *context, int control), void *context,
                                livetcp_error *error);

/* Sends the message to every process. */
void lt_process_notify(lt_process *processes, unsigned count, lt_message_kind kind,
                       livetcp_usec time);

/* Waits until each has sent a message of that kind. `tick` (may be NULL) is called at least about
 * every 10 ms. Fails if one fails, ends or is silent until `deadline`, or *stop is set. */
livetcp_result lt_process_await(lt_process **processes, unsigned count, lt_message_kind kind,
                                livetcp_usec deadline, void (*tick)(void *user), void *user,
                                livetcp_error *error);

/* Ends the process: waits `grace` for its exit, then kills it. */
void lt_process_stop(lt_process *process, livetcp_usec grace);

/* Makes lt_process_await() fail on SIGINT and SIGTERM, until lt_interrupt_restore(). */
void lt_interrupt_catch(void);
void lt_interrupt_restore(void);
bool lt_interrupted(void);

#endif
