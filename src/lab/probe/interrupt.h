/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM end a probe, whose findings so far are reported; a second signal ends it at
 * once. */
#ifndef LT_LAB_PROBE_INTERRUPT_H
#define LT_LAB_PROBE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Starts handling. Blocks the signals except during waits with the mask *waiting (ppoll()), so that
 * none is missed. */
void lt_probe_interrupt_watch(sigset_t *waiting);

/* True after a signal; also takes a pending one. */
bool lt_probe_interrupted(void);

#endif
