/* SPDX-License-Identifier: MIT */
/* Commands at the ends of a path, and their descendants; none of them outlives the tool. */
#ifndef LT_LAB_EMULATE_CHILDREN_H
#define LT_LAB_EMULATE_CHILDREN_H

#include "lab/emulate/path.h"

#include <stdbool.h>
#include <sys/types.h>

/* Makes orphaned descendants children of this process (subreaper), which can then end and reap
 * them. Call before the first command. */
void lt_children_adopt(void);

/* Starts argv[0], searched in PATH, at one end, in a process group of its own; with `foreground`
 * that group gets the terminal, if there is one. Returns the process, or -1 with *error;
 * error->system_errno is ENOENT or EACCES if there is no such program. */
pid_t lt_children_start(const lt_path *path, lt_end end, const char *const *argv, bool foreground,
                        livetcp_error *error);

/* Sends a signal to every descendant. */
void lt_children_signal(int signal);

/* Call after a foreground command has ended or stopped: takes the terminal back. */
void lt_children_reclaim_terminal(pid_t command);

/* A foreground command was stopped from the terminal (Ctrl-Z): stops this process as well, so that
 * the shell takes over, and continues both when the shell continues it. No effect for a command
 * without the terminal. */
void lt_children_suspend(pid_t command);

#endif
