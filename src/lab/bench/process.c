/* SPDX-License-Identifier: MIT */
#include "lab/bench/process.h"

#include "base/error.h"
#include "lab/clock.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WAITING = 64, TICK_MS = 10, CONTROL_FD = STDERR_FILENO + 1 };

static volatile sig_atomic_t interrupted;
static struct sigaction old_int, old_term;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void lt_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    interrupted = 0;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
}

void lt_interrupt_restore(void)
{
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
}

bool lt_interrupted(void)
{
    return interrupted != 0;
}

/* Hundreds of flows with several connections each exceed the default of 1024 descriptors. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Closes inherited descriptors: other schemes' paths, and the coordinator's ends of socket pairs,
 * which would keep sockets alive that the coordinator has closed. */
static int close_others(int control)
{
    if (control != CONTROL_FD && dup2(control, CONTROL_FD) < 0)
        return -1;
    return close_range(CONTROL_FD + 1, ~0U, 0);
}

static int child_main(const lt_path *path, lt_end end, int (*body)(void *context, int control),
                      void *context, int control)
{
    livetcp_error error;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    allow_descriptors();
    if (path && lt_path_enter(path, end, &error) != LIVETCP_OK) {
        fprintf(stderr, "livetcp bench: %s\n", error.message);
        return 1;
    }
    if (close_others(control)) {
        perror("livetcp bench: cannot close what a process does not need");
        return 1;
    }
    return body(context, CONTROL_FD);
}

livetcp_result lt_process_start(lt_process *process, const lt_path *path, lt_end end,
                                int (*body)(void *context, int control), void *context,
                                livetcp_error *error)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot make a socket pair");
    fflush(NULL);
    pid_t parent = getpid();
    process->pid = fork();
    if (process->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* no other process would end this one */
        if (getppid() != parent)
            _exit(1);
        _exit(child_main(path, end, body, context, pair[1]));
    }
    close(pair[1]);
    process->control = pair[0];
    if (process->pid < 0) {
        process->pid = 0;
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot start the %s",
                             process->what);
    }
    return LIVETCP_OK;
}

void lt_process_notify(lt_process *processes, unsigned count, lt_message_kind kind,
                       livetcp_usec time)
{
    for (unsigned i = 0; i < count; i++)
        if (processes[i].pid)
            lt_control_send(processes[i].control, kind, time);
}

/* Takes a process's message; everything but `kind` is a failure. */
static livetcp_result take(lt_process *process, lt_message_kind kind, livetcp_error *error)
{
    lt_message message;
    bool received = lt_control_receive(process->control, &message);
    if (received && message.kind == kind) {
        process->answered = true;
        return LIVETCP_OK;
    }
    if (process->report->code)
        return lt_fail(error, process->report->code, "the %s failed: %s", process->what,
                       process->report->message);
    return lt_fail(error, LIVETCP_ERR_SYSTEM, "the %s ended unexpectedly", process->what);
}

livetcp_result lt_process_await(lt_process **processes, unsigned count, lt_message_kind kind,
                                livetcp_usec deadline, void (*tick)(void *user), void *user,
                                livetcp_error *error)
{
    struct pollfd polls[MAX_WAITING];
    livetcp_result result = LIVETCP_OK;
    for (unsigned i = 0; i < count; i++)
        processes[i]->answered = false;
    for (;;) {
        const lt_process *waiting = NULL;
        for (unsigned i = 0; i < count; i++) {
            polls[i] = (struct pollfd){.fd = processes[i]->answered ? -1 : processes[i]->control,
                                       .events = POLLIN};
            if (!processes[i]->answered)
                waiting = processes[i];
        }
        if (!waiting)
            return LIVETCP_OK;
        if (poll(polls, count, TICK_MS) < 0)
            polls[0].revents = 0;
        if (lt_interrupted())
            return lt_fail(error, LIVETCP_ERR_CANCELLED, "interrupted");
        if (lt_clock_now() > deadline)
            return lt_fail(error, LIVETCP_ERR_SYSTEM, "the %s does not answer", waiting->what);
        for (unsigned i = 0; i < count && result == LIVETCP_OK; i++)
            if (!processes[i]->answered && polls[i].revents)
                result = take(processes[i], kind, error);
        if (result != LIVETCP_OK)
            return result;
        if (tick)
            tick(user);
    }
}

void lt_process_stop(lt_process *process, livetcp_usec grace)
{
    livetcp_usec deadline = lt_clock_now() + grace;
    if (process->pid) {
        while (waitpid(process->pid, NULL, WNOHANG) == 0) {
            if (lt_clock_now() >= deadline) {
                kill(process->pid, SIGKILL);
                waitpid(process->pid, NULL, 0);
                break;
            }
            lt_clock_sleep_until(lt_clock_now() + 5000);
        }
    }
    if (process->control >= 0)
        close(process->control);
    process->pid = 0;
    process->control = -1;
}
