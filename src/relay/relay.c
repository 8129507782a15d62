/* SPDX-License-Identifier: MIT */
#include "relay/relay.h"

#include "base/error.h"
#include "lab/exit_code.h"
#include "lab/json.h"
#include "relay/hooks.h"
#include "relay/metrics.h"
#include "relay/plan/packing.h"
#include "relay/report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONFIG_MAX = 4 << 20, /* maximum size of the file, in bytes */
    LIMIT_MS = 600,       /* maximum time from Ctrl-C to the end */
    LINGER_MS = 5,        /* interval of checks for closed connections, at the end */
    LOOK_MS = 50,         /* interval of checks of the time-out */
};

/* Time to send queued packets: after Ctrl-C or for a removed route, and at the end of standard
 * input.
 */
#define DRAIN_US       (300 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define DRAIN_INPUT_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

typedef struct relay {
    lt_relay_options *options;
    uv_loop_t loop;
    lt_relay_world world;
    lt_relay_listeners listeners;
    lt_relay_hooks hooks;
    lt_relay_pcap pcap;
    lt_relay_metrics *metrics;
    lt_relay_writer *lines; /* for statistics */
    lt_relay_route_events events;
    lt_relay_plan plan; /* plan of `routes`, in the same order */
    lt_relay_route **routes;
    unsigned number;        /* of the next route */
    unsigned ending_routes; /* routes that are finishing */
    uv_signal_t signals[3]; /* SIGINT, SIGTERM, SIGHUP */
    uv_timer_t look, statistics, limit;
    unsigned handles;
    livetcp_usec start;
    bool stopping, closed;
    int code;
    livetcp_error error;
} relay;

static void say(const relay *r, livetcp_log_level level, const char *text)
{
    lt_relay_log(r->world.journal, level, "", "%s", text);
}

/* ---- the end ---- */

static void on_context_closed(void *user)
{
    (void)user;
}

static void on_handle_closed(uv_handle_t *handle)
{
    ((relay *)handle->data)->handles--;
}

static void close_all(relay *r)
{
    uv_handle_t *handles[] = {(uv_handle_t *)&r->signals[0], (uv_handle_t *)&r->signals[1],
                              (uv_handle_t *)&r->signals[2], (uv_handle_t *)&r->look,
                              (uv_handle_t *)&r->statistics, (uv_handle_t *)&r->limit};

    if (r->closed)
        return;
    r->closed = true;
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (handles[i]->data && !uv_is_closing(handles[i]))
            uv_close(handles[i], on_handle_closed);
    lt_relay_metrics_destroy(&r->metrics);
    lt_relay_writer_destroy(&r->lines);
    lt_relay_pcap_close(&r->pcap);
    if (r->world.context)
        livetcp_context_close(&r->world.context, on_context_closed, r);
}

static void count_poll(uv_handle_t *handle, void *user)
{
    *(unsigned *)user += handle->type == UV_POLL && !uv_is_closing(handle);
}

/* Closing the sockets at once would reset connections, and destroy data that the peer has not read:
 * the context closes them lingering. At this point no route is left. */
static void on_linger(uv_timer_t *timer)
{
    relay *r = timer->data;
    unsigned sockets = 0;

    uv_walk(&r->loop, count_poll, &sockets);
    if (!sockets)
        close_all(r);
}

/* All routes have ended. */
static void let_linger(relay *r)
{
    if (!r->closed)
        uv_timer_start(&r->look, on_linger, 0, LINGER_MS);
}

static void on_limit(uv_timer_t *timer)
{
    close_all(timer->data);
}

static void write_summary(relay *r)
{
    bool failed = false;
    livetcp_error error = {.message = ""};

    lt_relay_report_summary(r->routes, r->plan.count, r->world.journal, r->start);
    if (r->pcap.left_out)
        lt_relay_log(r->world.journal, LIVETCP_LOG_WARNING, "",
                     "%llu packets are missing in %s: the disk was too slow, or full",
                     (unsigned long long)r->pcap.left_out, r->options->pcap);
    if (!r->options->json)
        return;
    json_t *root = lt_relay_report_json(r->routes, r->plan.count, r->start, &failed);
    lt_json_put(root, "success", json_boolean(r->code == LT_EXIT_OK), &failed);
    if (lt_json_save(root, failed, r->options->json, &error) != LIVETCP_OK) {
        r->code = LT_EXIT_FAILED;
        r->error = error;
    }
}

static void stop(relay *r, int code, livetcp_usec drain_us)
{
    if (r->stopping)
        return;
    r->stopping = true;
    r->code = code;
    write_summary(r);
    r->ending_routes += r->plan.count + 1;
    for (unsigned i = 0; i < r->plan.count; i++)
        lt_relay_route_finish(r->routes[i], drain_us);
    uv_timer_start(&r->limit, on_limit,
                   LIMIT_MS + (uint64_t)(drain_us > DRAIN_US ? drain_us : 0) / 1000, 0);
    if (!--r->ending_routes)
        let_linger(r);
}

static void on_finished(lt_relay_route *route, void *user)
{
    relay *r = user;

    (void)route;
    if (!--r->ending_routes && r->stopping)
        let_linger(r);
}

static void on_open(lt_relay_route *route, const char *remote, void *user)
{
    relay *r = user;

    lt_relay_hooks_opened(&r->hooks, route->name, remote);
}

static void on_left(lt_relay_route *route, const char *remote, const char *why, void *user)
{
    relay *r = user;

    lt_relay_hooks_closed(&r->hooks, route->name, remote, why);
    if (r->options->once && !r->stopping)
        stop(r, LT_EXIT_OK, DRAIN_US);
}

static void on_input_ended(lt_relay_route *route, void *user)
{
    (void)route;
    stop(user, LT_EXIT_OK, DRAIN_INPUT_US);
}

/* ---- timers and signals ---- */

static void on_stop_signal(uv_signal_t *handle, int number)
{
    relay *r = handle->data;

    if (r->stopping) { /* a second signal */
        close_all(r);
        return;
    }
    (void)number;
    stop(r, LT_EXIT_OK, DRAIN_US);
}

static void on_look(uv_timer_t *timer)
{
    relay *r = timer->data;
    livetcp_usec active = r->start;

    for (unsigned i = 0; i < r->plan.count; i++)
        if (r->routes[i]->active_us > active)
            active = r->routes[i]->active_us;
    if (r->stopping || lt_relay_now() - active < r->options->timeout_us)
        return;
    lt_fail(&r->error, LIVETCP_ERR_PEER_TIMEOUT, "no packet has come for %.1f s (--timeout)",
            (double)r->options->timeout_us / 1e6);
    stop(r, LT_EXIT_FAILED, DRAIN_US);
}

static void on_statistics(uv_timer_t *timer)
{
    relay *r = timer->data;
    bool failed = false;
    json_t *root = lt_relay_report_json(r->routes, r->plan.count, r->start, &failed);
    char *text = failed ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(10));

    if (text)
        (void)lt_relay_writer_put(r->lines, text, strlen(text), "\n", 1);
    free(text);
    json_decref(root);
}

/* ---- routes ---- */

livetcp_result lt_relay_read_config(const char *path, lt_relay_plan *plan, livetcp_error *error)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(CONFIG_MAX);
    livetcp_result result;

    if (!file || !text) {
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, file ? ENOMEM : errno,
                               "cannot read %.100s", path);
    } else {
        size_t size = fread(text, 1, CONFIG_MAX, file);
        if (ferror(file))
            result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %.100s", path);
        else if (size == CONFIG_MAX)
            result =
                lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.100s: longer than 4 MiB", path);
        else
            result = lt_relay_plan_yaml(plan, path, text, size, error);
    }
    free(text);
    if (file)
        fclose(file);
    return result;
}

static livetcp_result start_route(relay *r, lt_relay_plan_route *plan, livetcp_error *error)
{
    lt_relay_plan_route *plans = realloc(r->plan.routes, (r->plan.count + 1) * sizeof *plans);
    lt_relay_route *route;

    if (plans)
        r->plan.routes = plans;
    lt_relay_route **routes = realloc(r->routes, (r->plan.count + 1) * sizeof *routes);
    if (routes)
        r->routes = routes;
    if (!plans || !routes)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    livetcp_result result = lt_relay_plan_route_check(plan, r->options->check, error);
    if (result == LIVETCP_OK)
        result =
            lt_relay_route_start(plan, r->number, &r->world, &r->events, &r->pcap, &route, error);
    if (result != LIVETCP_OK)
        return result;
    r->number++;
    r->routes[r->plan.count] = route;
    r->plan.routes[r->plan.count++] = *plan;
    *plan = (lt_relay_plan_route){.count = 0}; /* taken over */
    return LIVETCP_OK;
}

static bool is_in(const lt_relay_plan *plan, const lt_relay_plan_route *route)
{
    for (unsigned i = 0; i < plan->count; i++)
        if (lt_relay_plan_route_equal(&plan->routes[i], route))
            return true;
    return false;
}

static void remove_route(relay *r, unsigned position)
{
    lt_relay_plan gone = {.routes = malloc(sizeof *gone.routes), .count = 1};
    lt_relay_route *route = r->routes[position];
    const unsigned after = --r->plan.count - position;

    if (gone.routes) {
        gone.routes[0] = r->plan.routes[position];
        lt_relay_plan_clear(&gone);
    }
    memmove(&r->plan.routes[position], &r->plan.routes[position + 1],
            after * sizeof *r->plan.routes);
    memmove(&r->routes[position], &r->routes[position + 1], after * sizeof *r->routes);
    r->ending_routes++;
    lt_relay_route_finish(route, DRAIN_US);
}

/* SIGHUP: routes that are unchanged in the file continue without interruption. */
static void on_reload(uv_signal_t *handle, int number)
{
    relay *r = handle->data;
    lt_relay_plan plan;
    livetcp_error error = {.message = ""};
    unsigned kept = 0, started = 0, ended = 0;

    (void)number;
    if (r->stopping)
        return;
    if (!r->options->config) {
        say(r, LIVETCP_LOG_WARNING, "SIGHUP reads the file of --config again, and there is none");
        return;
    }
    if (lt_relay_read_config(r->options->config, &plan, &error) != LIVETCP_OK) {
        lt_relay_log(r->world.journal, LIVETCP_LOG_ERROR, "", "%s; all routes stay as they were",
                     error.message);
        return;
    }
    for (unsigned i = r->plan.count; i--;)
        if (!is_in(&plan, &r->plan.routes[i])) {
            remove_route(r, i);
            ended++;
        }
    kept = r->plan.count;
    for (unsigned i = 0; i < plan.count; i++) {
        if (is_in(&r->plan, &plan.routes[i]))
            continue;
        if (start_route(r, &plan.routes[i], &error) == LIVETCP_OK)
            started++;
        else
            lt_relay_log(r->world.journal, LIVETCP_LOG_ERROR, plan.routes[i].name,
                         "%s; the route is not started: correct it, and send SIGHUP again",
                         error.message);
    }
    lt_relay_plan_clear(&plan);
    lt_relay_log(r->world.journal, LIVETCP_LOG_INFO, "", "%s: %u routes stay, %u ended, %u started",
                 r->options->config, kept, ended, started);
}

/* ---- start ---- */

static void watch(relay *r, unsigned position, int number, uv_signal_cb callback)
{
    if (uv_signal_init(&r->loop, &r->signals[position]) != 0)
        return;
    r->signals[position].data = r;
    r->handles++;
    uv_signal_start(&r->signals[position], callback, number);
    uv_unref((uv_handle_t *)&r->signals[position]);
}

static void add_timer(relay *r, uv_timer_t *timer, livetcp_usec interval, uv_timer_cb callback)
{
    const uint64_t ms = (uint64_t)interval / LIVETCP_USEC_MSEC;

    uv_timer_init(&r->loop, timer);
    timer->data = r;
    r->handles++;
    if (callback)
        uv_timer_start(timer, callback, ms, ms);
}

static livetcp_result open_extras(relay *r, livetcp_error *error)
{
    const lt_relay_options *o = r->options;
    livetcp_result result = LIVETCP_OK;

    if (o->pcap)
        result = lt_relay_pcap_open(&r->pcap, &r->loop, o->pcap, error);
    if (result == LIVETCP_OK && o->stats_us && !(r->lines = lt_relay_writer_create(&r->loop, 1)))
        result = lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot write to standard output");
    if (result == LIVETCP_OK && o->metrics)
        result = lt_relay_metrics_create(&r->loop, o->metrics, &r->routes, &r->plan.count,
                                         r->world.journal, &r->metrics, error);
    return result;
}

static livetcp_result start(relay *r, livetcp_error *error)
{
    livetcp_result result;

    add_timer(r, &r->limit, 0, NULL);
    add_timer(r, &r->look, LOOK_MS * LIVETCP_USEC_MSEC,
              r->options->timeout_us == LIVETCP_NEVER ? NULL : on_look);
    add_timer(r, &r->statistics, r->options->stats_us, r->options->stats_us ? on_statistics : NULL);
    watch(r, 0, SIGINT, on_stop_signal);
    watch(r, 1, SIGTERM, on_stop_signal);
    watch(r, 2, SIGHUP, on_reload);
    r->world.buffer = malloc(LT_RELAY_BUFFER);
    r->world.packet_buffer = malloc(LT_RELAY_PACKET_MAX);
    if (!r->world.buffer || !r->world.packet_buffer)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    if ((result = livetcp_context_create(&r->loop, &r->world.context, error)) != LIVETCP_OK)
        return result;
    livetcp_context_set_log(r->world.context, r->world.journal->level, lt_relay_on_log,
                            r->world.journal);
    if ((result = open_extras(r, error)) != LIVETCP_OK)
        return result;
    for (unsigned i = 0; i < r->options->plan.count && result == LIVETCP_OK; i++)
        result = start_route(r, &r->options->plan.routes[i], error);
    return result;
}

/* Remaining handles, such as those of running hook commands. */
static void close_rest(uv_handle_t *handle, void *user)
{
    (void)user;
    if (!uv_is_closing(handle))
        uv_close(handle, handle->type == UV_PROCESS ? lt_relay_hook_closed : NULL);
}

static void release(relay *r)
{
    uv_walk(&r->loop, close_rest, NULL);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&r->loop);
    lt_relay_plan_clear(&r->plan);
    free(r->routes);
    free(r->world.buffer);
    free(r->world.packet_buffer);
}

int lt_relay_run(lt_relay_options *options, livetcp_error *error)
{
    relay *r = calloc(1, sizeof *r);
    int code;

    if (!r || uv_loop_init(&r->loop) != 0) {
        free(r);
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
        return LT_EXIT_FAILED;
    }
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
    r->options = options;
    r->world.loop = &r->loop;
    r->world.listeners = &r->listeners;
    r->listeners.admit = options->admit;
    r->listeners.admit_user = options->admit_user;
    r->world.journal = &options->journal;
    r->hooks = (lt_relay_hooks){.loop = &r->loop,
                                .journal = &options->journal,
                                .on_open = options->on_open,
                                .on_close = options->on_close};
    r->events = (lt_relay_route_events){.on_open = on_open,
                                        .on_left = on_left,
                                        .on_input_ended = on_input_ended,
                                        .on_finished = on_finished,
                                        .user = r};
    r->start = lt_relay_now();
    if (start(r, &r->error) != LIVETCP_OK) {
        r->options->json = NULL;
        r->world.journal->level = LIVETCP_LOG_OFF; /* the error is printed once, by the caller */
        stop(r, LT_EXIT_FAILED, 0);
    }
    uv_run(&r->loop, UV_RUN_DEFAULT);
    release(r);
    code = r->code;
    if (code != LT_EXIT_OK)
        *error = r->error;
    free(r);
    return code;
}
