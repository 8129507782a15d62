/* SPDX-License-Identifier: MIT */
#include "lab/bench/runner.h"

#include "base/error.h"
#include "lab/bench/background.h"
#include "lab/bench/endpoint.h"
#include "lab/bench/progress.h"
#include "lab/clock.h"

#include <stdlib.h>
#include <string.h>

#define SETUP_TIMEOUT_US (40 * (livetcp_usec)LIVETCP_USEC_SEC)
#define SLACK_US         (30 * (livetcp_usec)LIVETCP_USEC_SEC)
#define START_DELAY_US   (200 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define DRAIN_POLL_US    (20 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define EXIT_GRACE_US    (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Schemes that run at the same time: all, or one. */
typedef struct group {
    lt_run *runs;
    unsigned count;
    lt_stall_log *stalls;
    lt_progress progress;
    livetcp_error schedule_error;
} group;

/* Arguments of a child. */
typedef struct child {
    const lt_run *run;
    lt_end end;
} child;

/* The far address of the scheme's link, which selects the link for unbound sockets. */
static const char *far_address(const lt_run *run, lt_path_address *buffer)
{
    if (!run->path)
        return "127.0.0.1";
    *buffer = lt_path_ipv4(run->scheme->link ? run->scheme->link - 1 : 0, LT_FAR);
    return buffer->text;
}

static int endpoint_body(void *context, int control)
{
    const child *c = context;
    lt_path_address address;
    lt_endpoint_job job = {.scheme = c->run->scheme,
                           .plan = &c->run->options->plan,
                           .shared = c->run->shared,
                           .end = c->end,
                           .far_address = far_address(c->run, &address),
                           .seed = c->run->options->seed,
                           .control = control};
    return lt_endpoint_main(&job);
}

static int background_body(void *context, int control)
{
    const child *c = context;
    const lt_bench_options *options = c->run->options;
    lt_path_address address;
    lt_background_job job = {.load = &options->load,
                             .plan = &options->plan,
                             .shared = c->run->shared,
                             .end = c->end,
                             .far_address = far_address(c->run, &address),
                             .seed = options->seed,
                             .control = control};
    return lt_background_main(&job);
}

/* Applies scheduled changes of the path that are due. */
static livetcp_result change_path(lt_run *run, livetcp_error *error)
{
    const lt_schedule *schedule = &run->options->schedule;
    livetcp_result result = LIVETCP_OK;
    while (result == LIVETCP_OK && run->path && run->start && run->changes < schedule->count &&
           lt_clock_now() >= run->start + schedule->changes[run->changes].at) {
        const lt_change *change = &schedule->changes[run->changes++];
        result = lt_path_apply(run->path, change->directions, change->spec, error);
    }
    return result;
}

/* Regular work while the group runs. */
static void on_tick(void *user)
{
    group *g = user;
    for (unsigned i = 0; i < g->count; i++)
        if (change_path(&g->runs[i], &g->schedule_error) != LIVETCP_OK)
            return;
    lt_progress_tick(&g->progress);
}

static bool has_background(const lt_run *run)
{
    return lt_load_any(&run->options->load);
}

/* Collects the group's processes in these two roles. */
static unsigned collect(group *g, lt_role a, lt_role b, lt_process **out)
{
    unsigned count = 0;
    for (unsigned i = 0; i < g->count; i++) {
        lt_process *processes = g->runs[i].processes;
        if (processes[a].pid)
            out[count++] = &processes[a];
        if (processes[b].pid && b != a)
            out[count++] = &processes[b];
    }
    return count;
}

static livetcp_result await(group *g, lt_role a, lt_role b, lt_message_kind kind,
                            livetcp_usec timeout, livetcp_error *error)
{
    lt_process *waiting[LT_ROLES * LT_BENCH_MAX_SCHEMES];
    unsigned count = collect(g, a, b, waiting);
    livetcp_result result =
        lt_process_await(waiting, count, kind, lt_clock_now() + timeout, on_tick, g, error);
    if (result == LIVETCP_OK && g->schedule_error.code) {
        *error = g->schedule_error;
        result = error->code;
    }
    return result;
}

static livetcp_result open_run(lt_run *run, livetcp_error *error)
{
    const lt_bench_options *options = run->options;
    lt_path_params params;
    livetcp_result result = lt_shared_create(&run->shared, &options->plan, error);
    if (result != LIVETCP_OK || !options->emulated)
        return result;
    lt_path_params_init(&params);
    memcpy(params.link, options->link, sizeof params.link);
    params.links = options->links;
    params.seed = options->seed;
    livetcp_error why = {.code = LIVETCP_OK};
    run->path = lt_path_create(&params, &why);
    for (unsigned i = 0; run->path && result == LIVETCP_OK && i < options->sysctl_count; i++)
        result = lt_path_apply_sysctl(run->path, options->sysctls[i], error);
    if (run->path)
        return result;
    return lt_fail(error, why.code, "%s; or measure on loopback with --path none", why.message);
}

/* Forks the processes of one end of a run. */
static livetcp_result fork_end(lt_run *run, lt_end end, livetcp_error *error)
{
    static const char *const names[2][2] = {{"near end", "far end"},
                                            {"near background", "far background"}};
    child context = {.run = run, .end = end};
    lt_process *media = &run->processes[end == LT_NEAR ? LT_ROLE_NEAR : LT_ROLE_FAR];
    lt_process *back = &run->processes[end == LT_NEAR ? LT_ROLE_BACK_NEAR : LT_ROLE_BACK_FAR];
    media->what = names[0][end];
    media->report = &run->shared->endpoint[end].error;
    back->what = names[1][end];
    back->report = &run->shared->background[end].error;
    livetcp_result result = lt_process_start(media, run->path, end, endpoint_body, &context, error);
    if (result == LIVETCP_OK && has_background(run))
        result = lt_process_start(back, run->path, end, background_body, &context, error);
    return result;
}

/* Forks all processes before any thread starts: see lt_path_create(). */
static livetcp_result start_all(group *g, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    for (unsigned i = 0; result == LIVETCP_OK && i < g->count; i++) {
        result = fork_end(&g->runs[i], LT_FAR, error);
        if (result == LIVETCP_OK)
            result = fork_end(&g->runs[i], LT_NEAR, error);
    }
    for (unsigned i = 0; result == LIVETCP_OK && i < g->count; i++)
        if (g->runs[i].path)
            result = lt_path_start(g->runs[i].path, error);
    return result;
}

static void tell(group *g, lt_role role, lt_message_kind kind)
{
    for (unsigned i = 0; i < g->count; i++)
        lt_process_notify(&g->runs[i].processes[role], 1, kind, g->runs[i].start);
}

static void notify_all(group *g, lt_message_kind kind)
{
    for (unsigned role = 0; role < LT_ROLES; role++)
        tell(g, (lt_role)role, kind);
}

static livetcp_result connect_all(group *g, livetcp_error *error)
{
    lt_progress_phase(&g->progress, "connecting", 0);
    livetcp_result result =
        await(g, LT_ROLE_FAR, LT_ROLE_BACK_FAR, LT_MESSAGE_LISTENING, SETUP_TIMEOUT_US, error);
    if (result != LIVETCP_OK)
        return result;
    tell(g, LT_ROLE_NEAR, LT_MESSAGE_CONNECT);
    tell(g, LT_ROLE_BACK_NEAR, LT_MESSAGE_CONNECT);
    result = await(g, LT_ROLE_NEAR, LT_ROLE_FAR, LT_MESSAGE_READY, SETUP_TIMEOUT_US, error);
    if (result == LIVETCP_OK)
        result = await(g, LT_ROLE_BACK_NEAR, LT_ROLE_BACK_FAR, LT_MESSAGE_READY, SETUP_TIMEOUT_US,
                       error);
    return result;
}

/* Offsets the schemes' packets against each other, so that they do not compete for the
 * processor. */
static livetcp_result send_all(group *g, livetcp_error *error)
{
    const lt_plan *plan = &g->runs[0].options->plan;
    livetcp_usec now = lt_clock_now();
    for (unsigned i = 0; i < g->count; i++)
        g->runs[i].start = now + START_DELAY_US + (livetcp_usec)i * plan->interval / g->count;
    for (unsigned i = 0; i < g->count; i++)
        if (g->runs[i].path)
            lt_path_begin(g->runs[i].path, g->runs[i].start);
    lt_progress_phase(&g->progress, "measuring", plan->length);
    notify_all(g, LT_MESSAGE_START);
    return await(g, LT_ROLE_NEAR, LT_ROLE_FAR, LT_MESSAGE_SENT, plan->length + SLACK_US, error);
}

static bool all_arrived(const lt_run *run)
{
    const lt_endpoint_report *e = run->shared->endpoint;
    return lt_shared_load(&e[0].sent) + lt_shared_load(&e[1].sent) ==
           lt_shared_load(&e[0].arrived) + lt_shared_load(&e[1].arrived);
}

static livetcp_result drain_all(group *g, livetcp_error *error)
{
    livetcp_usec deadline = lt_clock_now() + g->runs[0].options->drain;
    lt_progress_phase(&g->progress, "waiting for late packets", g->runs[0].options->drain);
    for (bool done = false; !done && lt_clock_now() < deadline;) {
        if (lt_interrupted())
            return lt_fail(error, LIVETCP_ERR_CANCELLED, "interrupted");
        on_tick(g);
        lt_clock_sleep_until(lt_clock_now() + DRAIN_POLL_US);
        done = true;
        for (unsigned i = 0; i < g->count; i++)
            done = done && all_arrived(&g->runs[i]);
    }
    for (unsigned i = 0; i < g->count; i++) {
        lt_run *run = &g->runs[i];
        run->end = lt_clock_now();
        if (!run->path)
            continue;
        for (unsigned lane = 0; lane < 2 * run->options->links; lane++)
            lt_path_get_counters(run->path, (lt_direction)lane, &run->counters[lane]);
        lt_path_get_health(run->path, &run->health);
    }
    return LIVETCP_OK;
}

static livetcp_result report_all(group *g, livetcp_error *error)
{
    notify_all(g, LT_MESSAGE_REPORT);
    livetcp_result result =
        await(g, LT_ROLE_NEAR, LT_ROLE_FAR, LT_MESSAGE_REPORTED, SLACK_US, error);
    if (result == LIVETCP_OK)
        result =
            await(g, LT_ROLE_BACK_NEAR, LT_ROLE_BACK_FAR, LT_MESSAGE_REPORTED, SLACK_US, error);
    notify_all(g, LT_MESSAGE_END);
    return result;
}

/* Forks before threads start: the stall watch and the paths start after the last fork, and have
 * ended when this returns. */
static livetcp_result run_group(group *g, livetcp_error *error)
{
    lt_stall_watch *watch = NULL;
    livetcp_result result = start_all(g, error);
    if (result == LIVETCP_OK)
        result = connect_all(g, error);
    if (result == LIVETCP_OK)
        result = lt_stall_watch_start(g->stalls, &watch, error);
    if (result == LIVETCP_OK)
        result = send_all(g, error);
    if (result == LIVETCP_OK)
        result = drain_all(g, error);
    if (result == LIVETCP_OK)
        result = report_all(g, error);
    lt_stall_watch_stop(&watch);
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned role = 0; role < LT_ROLES; role++)
            lt_process_stop(&g->runs[i].processes[role], result == LIVETCP_OK ? EXIT_GRACE_US : 0);
    for (unsigned i = 0; i < g->count; i++)
        lt_path_destroy(&g->runs[i].path);
    lt_progress_end(&g->progress);
    return result;
}

/* Creates all paths first: without root, the first one must be created before there are threads. */
static livetcp_result run_groups(const lt_bench_options *options, lt_bench_log *log,
                                 livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    for (unsigned i = 0; result == LIVETCP_OK && i < log->count; i++)
        result = open_run(&log->runs[i], error);
    unsigned size = options->consecutive ? 1 : log->count;
    for (unsigned i = 0; result == LIVETCP_OK && i < log->count; i += size) {
        group g = {.runs = &log->runs[i], .count = size, .stalls = &log->stalls};
        lt_progress_init(&g.progress, options->quiet, i / size + 1, log->count / size);
        result = run_group(&g, error);
    }
    return result;
}

livetcp_result lt_runner_execute(const lt_bench_options *options, lt_bench_log **out,
                                 livetcp_error *error)
{
    lt_bench_log *log = calloc(1, sizeof *log);
    *out = log;
    if (!log)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the run");
    log->count = options->scheme_count;
    for (unsigned i = 0; i < log->count; i++) {
        log->runs[i].options = options;
        log->runs[i].scheme = &options->schemes[i];
        for (unsigned role = 0; role < LT_ROLES; role++)
            log->runs[i].processes[role].control = -1;
    }
    lt_interrupt_catch();
    livetcp_result result = run_groups(options, log, error);
    lt_interrupt_restore();
    if (result != LIVETCP_OK)
        lt_runner_clear(out);
    return result;
}

void lt_runner_clear(lt_bench_log **log)
{
    if (!*log)
        return;
    for (unsigned i = 0; i < (*log)->count; i++) {
        lt_path_destroy(&(*log)->runs[i].path);
        lt_shared_destroy(&(*log)->runs[i].shared);
    }
    free(*log);
    *log = NULL;
}
