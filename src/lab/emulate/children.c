/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/emulate/children.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void lt_children_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1UL);
}

static void give_terminal(pid_t group)
{
    sigset_t stop, before;
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0)
        return;
    /* tcsetpgrp() from a background process raises SIGTTOU. */
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    tcsetpgrp(terminal, group);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(terminal);
}

/* True if this process group has the terminal. */
static bool has_terminal(pid_t group)
{
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0)
        return false;
    bool foreground = tcgetpgrp(terminal) == group;
    close(terminal);
    return foreground;
}

static void reset_signals(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child of a process with threads: async-signal-safe calls only, which includes execvp()
 * where it does not allocate (glibc since 2.24, musl). Formats no message. Reports the reason of a
 * failure through `report`. */
static void run_child(const lt_path *path, lt_end end, const char *const *argv, bool foreground,
                      pid_t parent, int report)
{
    int failed;
    setpgid(0, 0);
    if (foreground)
        give_terminal(getpid());
    reset_signals();
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (!lt_path_enter(path, end, NULL))
        execvp(argv[0], (char *const *)argv);
    failed = errno;
    if (write(report, &failed, sizeof failed) < 0)
        _exit(1);
    _exit(127);
}

pid_t lt_children_start(const lt_path *path, lt_end end, const char *const *argv, bool foreground,
                        livetcp_error *error)
{
    int report[2], failed = 0;
    pid_t parent = getpid();
    foreground = foreground && has_terminal(getpgrp());
    if (pipe2(report, O_CLOEXEC)) {
        lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot create a pipe");
        return -1;
    }
    pid_t child = fork();
    if (child == 0)
        run_child(path, end, argv, foreground, parent, report[1]);
    if (child < 0)
        failed = errno;
    else
        setpgid(child, child); /* also here: either process may run first */
    close(report[1]);
    if (child > 0 && read(report[0], &failed, sizeof failed) > 0) {
        waitpid(child, NULL, 0);
        child = -1;
    }
    close(report[0]);
    if (child < 0)
        lt_fail_errno(error, LIVETCP_ERR_SYSTEM, failed, "cannot run '%s'", argv[0]);
    return child;
}

/* Signals the descendants of `parent`, deepest first, so that none is reparented in between. */
static void signal_below(pid_t parent, int signal_number, int depth)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *children = fopen(path, "re");
    if (!children)
        return;
    while (fscanf(children, "%d", &child) == 1) {
        if (depth > 0)
            signal_below(child, signal_number, depth - 1);
        kill(child, signal_number);
    }
    fclose(children);
}

void lt_children_signal(int signal_number)
{
    enum { DEEPEST = 64 };
    signal_below(getpid(), signal_number, DEEPEST);
}

void lt_children_reclaim_terminal(pid_t command)
{
    if (has_terminal(command))
        give_terminal(getpgrp());
}

void lt_children_suspend(pid_t command)
{
    if (!has_terminal(command))
        return;
    give_terminal(getpgrp());
    raise(SIGSTOP);
    if (has_terminal(getpgrp()))
        give_terminal(command);
    kill(-command, SIGCONT);
}
