/* SPDX-License-Identifier: MIT */
#include "lab/probe/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t came;

static void note(int number)
{
    came = 1;
    signal(number, SIG_DFL);
}

void lt_probe_interrupt_watch(sigset_t *waiting)
{
    struct sigaction action = {.sa_handler = note};
    const int numbers[] = {SIGINT, SIGTERM};
    sigset_t ours;

    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], &action, NULL);
        sigaddset(&ours, numbers[i]);
    }
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &ours, waiting);
    sigdelset(waiting, SIGINT);
    sigdelset(waiting, SIGTERM);
}

bool lt_probe_interrupted(void)
{
    sigset_t pending;
    const struct timespec now = {0};

    if (!came) {
        sigemptyset(&pending);
        sigaddset(&pending, SIGINT);
        sigaddset(&pending, SIGTERM);
        if (sigtimedwait(&pending, NULL, &now) > 0)
            came = 1;
    }
    return came;
}
