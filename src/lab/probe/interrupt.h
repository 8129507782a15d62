/* SPDX-License-Identifier: MIT */
/* Ctrl-C and TERM end a probe, and its findings so far are reported; a second one ends it at
 * once. */
#ifndef LT_LAB_PROBE_INTERRUPT_H
#define LT_LAB_PROBE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* From now on. Blocks the signals except during waits with *waiting as the mask (ppoll), so that
 * none is missed. */
void lt_probe_interrupt_watch(sigset_t *waiting);

/* True when one came; also takes a pending one. */
bool lt_probe_interrupted(void);

#endif
