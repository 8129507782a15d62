/* SPDX-License-Identifier: MIT */
/* The processes of a run, as the coordinator sees them. */
#ifndef LT_LAB_BENCH_PROCESS_H
#define LT_LAB_BENCH_PROCESS_H

#include "lab/bench/control.h"
#include "lab/emulate/path.h"

#include <sys/types.h>

typedef struct lt_process {
    pid_t pid;   /* 0 = not running */
    int control; /* the coordinator's end; -1 = none */
    const char *what;
    const livetcp_error *report; /* in shared memory: why it failed */
    bool answered;               /* the expected message has come */
} lt_process;

/* Forks, so the caller must not have started a thread. The child enters `end` of `path` (NULL:
 * stays), calls body(context, control) and exits with its result. It keeps no descriptor but the
 * standard ones and `control`. */
livetcp_result lt_process_start(lt_process *process, const lt_path *path, lt_end end,
                                int (*body)(void *context, int control), void *context,
                                livetcp_error *error);

/* Sends the message to every process. */
void lt_process_tell(lt_process *processes, unsigned count, lt_message_kind kind,
                     livetcp_usec time);

/* Waits until every one has sent a message of that kind. `tick`, which may be NULL, is called
 * at least every 10 ms or so. Fails when one fails, ends, is silent until `deadline`, or *stop is
 * set. */
livetcp_result lt_process_await(lt_process **processes, unsigned count, lt_message_kind kind,
                                livetcp_usec deadline, void (*tick)(void *user), void *user,
                                livetcp_error *error);

/* Ends the process: gives it `grace` to exit by itself, then kills it. */
void lt_process_stop(lt_process *process, livetcp_usec grace);

/* From now on SIGINT and SIGTERM make lt_process_await() fail, until ..._restore(). */
void lt_interrupt_catch(void);
void lt_interrupt_restore(void);
bool lt_interrupted(void);

#endif
