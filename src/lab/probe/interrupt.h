/* SPDX-License-Identifier: MIT */
/* Ctrl-C and TERM end a probe, and what it has found by then is reported; a second one ends it at
 * once. */
#ifndef LT_LAB_PROBE_INTERRUPT_H
#define LT_LAB_PROBE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* From now on. Blocks the signals but for those who wait with *waiting as their mask (ppoll), so
 * that none is missed. */
void lt_probe_interrupt_watch(sigset_t *waiting);

/* Whether one came; also takes one that is pending. */
bool lt_probe_interrupted(void);

#endif
