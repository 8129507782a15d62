/* SPDX-License-Identifier: MIT */
/* Runs commands at the two ends of a path: a libuv program around lt_path. It ends when the near
 * command ends, or on a signal; everything it started is then ended and reaped. */
#define _GNU_SOURCE
#include "lab/emulate/run.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/emulate/children.h"
#include "lab/emulate/control.h"
#include "lab/emulate/report.h"
#include "lab/emulate/schedule.h"
#include "lab/exit_code.h"
#include "lab/json.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <uv.h>

enum { GRACE_MSEC = 2000, KILL_AGAIN_MSEC = 50 };
enum { ON_CHILD, ON_INT, ON_TERM, ON_HUP, SIGNALS };

typedef struct emulation {
    const lt_emulate_options *options;
    lt_path *path;
    lt_schedule schedule;
    uv_loop_t loop;
    uv_signal_t signals[SIGNALS];
    uv_timer_t start_timer, schedule_timer, stats_timer, end_timer;
    lt_control *control;
    pid_t near, far; /* 0: not running */
    livetcp_usec started;
    bool ending;
    int exit_code;
} emulation;

static void complain(const char *message)
{
    fprintf(stderr, "livetcp emulate: %s\n", message);
}

static int exit_code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void on_kill(uv_timer_t *timer)
{
    (void)timer;
    lt_children_signal(SIGKILL);
}

/* SIGTERM for all processes, then SIGKILL for the remaining ones, repeated in case one was forking
 * meanwhile. reap() ends the loop. */
static void begin_end(emulation *run, int exit_code)
{
    if (run->ending)
        return;
    run->ending = true;
    run->exit_code = exit_code;
    uv_timer_stop(&run->start_timer);
    uv_timer_stop(&run->schedule_timer);
    uv_timer_stop(&run->stats_timer);
    lt_children_signal(SIGTERM);
    lt_children_signal(SIGCONT);
    uv_timer_start(&run->end_timer, on_kill, GRACE_MSEC, KILL_AGAIN_MSEC);
}

static void child_ended(emulation *run, pid_t child, int status)
{
    if (child == run->near) {
        run->near = 0;
        lt_children_reclaim_terminal(child);
        begin_end(run, exit_code_of(status));
    } else if (child == run->far) {
        run->far = 0;
        if (!run->ending && exit_code_of(status))
            fprintf(stderr, "livetcp emulate: the far command ended early with code %d\n",
                    exit_code_of(status));
    }
}

static void reap(emulation *run)
{
    int status;
    pid_t child;
    while ((child = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0)
        if (!WIFSTOPPED(status))
            child_ended(run, child, status);
        else if (child == run->near)
            lt_children_suspend(child);
    if (child < 0 && run->ending)
        uv_stop(&run->loop);
}

static void on_signal(uv_signal_t *handle, int number)
{
    emulation *run = handle->data;
    if (number == SIGCHLD)
        reap(run);
    else if (run->ending)
        lt_children_signal(SIGKILL);
    else {
        begin_end(run, 128 + number);
        reap(run); /* there may be no child to wait for */
    }
}

static void on_stats(uv_timer_t *timer)
{
    emulation *run = timer->data;
    lt_emulate_print_line(run->path, lt_clock_now() - run->started);
}

static void on_schedule(uv_timer_t *timer);

static void arm_schedule(emulation *run)
{
    if (run->schedule.next == run->schedule.count)
        return;
    livetcp_usec wait = run->started + run->schedule.changes[run->schedule.next].at;
    wait -= lt_clock_now();
    uv_update_time(&run->loop);
    uv_timer_start(&run->schedule_timer, on_schedule, wait > 0 ? (uint64_t)(wait + 999) / 1000 : 0,
                   0);
}

static void on_schedule(uv_timer_t *timer)
{
    emulation *run = timer->data;
    livetcp_usec elapsed = lt_clock_now() - run->started;
    while (run->schedule.next < run->schedule.count &&
           run->schedule.changes[run->schedule.next].at <= elapsed) {
        const lt_change *change = &run->schedule.changes[run->schedule.next++];
        livetcp_error error;
        if (lt_path_apply(run->path, change->directions, change->spec, &error))
            complain(error.message);
    }
    arm_schedule(run);
}

static int start_failure(const livetcp_error *error)
{
    complain(error->message);
    return error->system_errno == ENOENT ? 127 : 126;
}

static void on_start(uv_timer_t *timer)
{
    emulation *run = timer->data;
    livetcp_error error;
    pid_t child = lt_children_start(run->path, LT_NEAR, run->options->command, true, &error);
    if (child < 0) {
        begin_end(run, start_failure(&error));
        reap(run);
        return;
    }
    run->near = child;
    run->started = lt_clock_now();
    lt_path_begin(run->path, run->started);
    arm_schedule(run);
    uint64_t interval = (uint64_t)run->options->stats_interval / LIVETCP_USEC_MSEC;
    if (interval)
        uv_timer_start(&run->stats_timer, on_stats, interval, interval);
}

static livetcp_result start_far(emulation *run, livetcp_error *error)
{
    const char *const shell[] = {"/bin/sh", "-c", run->options->far_command, NULL};
    uint64_t head_start = 0;
    if (run->options->far_command) {
        pid_t child = lt_children_start(run->path, LT_FAR, shell, false, error);
        if (child < 0)
            return error->code;
        run->far = child;
        head_start = (uint64_t)run->options->head_start / LIVETCP_USEC_MSEC;
    }
    uv_update_time(&run->loop);
    uv_timer_start(&run->start_timer, on_start, head_start, 0);
    return LIVETCP_OK;
}

static void close_handle(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void close_loop(emulation *run)
{
    lt_control_destroy(&run->control);
    uv_walk(&run->loop, close_handle, NULL);
    uv_run(&run->loop, UV_RUN_DEFAULT);
    uv_loop_close(&run->loop);
}

static livetcp_result init_loop(emulation *run, livetcp_error *error)
{
    static const int numbers[SIGNALS] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    uv_timer_t *timers[] = {&run->start_timer, &run->schedule_timer, &run->stats_timer,
                            &run->end_timer};
    int failed = uv_loop_init(&run->loop);
    if (failed)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot start an event loop: %s",
                       uv_strerror(failed));
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
        uv_timer_init(&run->loop, timers[i]);
        timers[i]->data = run;
    }
    for (int i = 0; i < SIGNALS; i++) {
        uv_signal_init(&run->loop, &run->signals[i]);
        run->signals[i].data = run;
        failed |= uv_signal_start(&run->signals[i], on_signal, numbers[i]);
    }
    if (!failed)
        return LIVETCP_OK;
    close_loop(run);
    return lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot handle signals");
}

static livetcp_result apply_sysctls(const emulation *run, livetcp_error *error)
{
    const lt_emulate_options *options = run->options;
    if (options->congestion_control) {
        livetcp_result result =
            lt_path_set_congestion_control(run->path, options->congestion_control, error);
        if (result)
            return result;
    }
    for (const char *const *item = options->sysctls; item && *item; item++) {
        livetcp_result result = lt_path_apply_sysctl(run->path, *item, error);
        if (result)
            return result;
    }
    return LIVETCP_OK;
}

static livetcp_result prepare(emulation *run, livetcp_error *error)
{
    const lt_emulate_options *options = run->options;
    livetcp_result result = LIVETCP_OK;
    if (options->schedule)
        result = lt_schedule_load(&run->schedule, options->schedule, options->path.link,
                                  options->path.links, error);
    if (result)
        return result;
    run->path = lt_path_create(&options->path, error);
    if (!run->path)
        return LIVETCP_ERR_SYSTEM;
    result = apply_sysctls(run, error);
    return result ? result : lt_path_start(run->path, error);
}

/* LIVETCP_NEAR, LIVETCP_FAR6 and so on; for the second link LIVETCP_NEAR_2, LIVETCP_FAR6_2. */
static void set_environment(unsigned links)
{
    static const char *const ends[2] = {[LT_NEAR] = "NEAR", [LT_FAR] = "FAR"};
    for (unsigned link = 0; link < links; link++)
        for (int end = 0; end < 2; end++) {
            char name[32], number[12] = "";
            if (link)
                snprintf(number, sizeof number, "_%u", link + 1);
            snprintf(name, sizeof name, "LIVETCP_%s%s", ends[end], number);
            setenv(name, lt_path_ipv4(link, (lt_end)end).text, 1);
            snprintf(name, sizeof name, "LIVETCP_%s6%s", ends[end], number);
            setenv(name, lt_path_ipv6(link, (lt_end)end).text, 1);
        }
}

static livetcp_result start(emulation *run, livetcp_error *error)
{
    set_environment(run->options->path.links);
    signal(SIGPIPE, SIG_IGN);
    lt_children_adopt();
    if (run->options->control) {
        run->control = lt_control_create(&run->loop, run->options->control, run->path, error);
        if (!run->control)
            return LIVETCP_ERR_SYSTEM;
    }
    return start_far(run, error);
}

static bool write_report(const emulation *run)
{
    const lt_emulate_options *options = run->options;
    bool failed = false;
    json_t *report = lt_emulate_report(run->path, &failed);
    if (run->started)
        lt_json_put(report, "seconds",
                    lt_json_number((double)(lt_clock_now() - run->started) / 1e6), &failed);
    lt_json_put(report, "seed", lt_json_count(options->path.seed), &failed);
    lt_json_put(report, "exit_code", json_integer(run->exit_code), &failed);
    return lt_emulate_write_json(report, failed, options->json);
}

static int finish(const emulation *run)
{
    if (!run->options->quiet)
        lt_emulate_print_table(run->path);
    if (run->options->json && !write_report(run) && !run->exit_code)
        return LT_EXIT_FAILED;
    return run->exit_code;
}

int lt_emulate_run(const lt_emulate_options *options)
{
    emulation run = {.options = options, .exit_code = LT_EXIT_USAGE};
    livetcp_error error;
    if (prepare(&run, &error) || init_loop(&run, &error)) {
        complain(error.message);
    } else {
        if (start(&run, &error)) {
            complain(error.message);
        } else {
            uv_run(&run.loop, UV_RUN_DEFAULT);
            run.exit_code = finish(&run);
        }
        close_loop(&run);
    }
    lt_path_destroy(&run.path);
    lt_schedule_clear(&run.schedule);
    return run.exit_code;
}
