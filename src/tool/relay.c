/* SPDX-License-Identifier: MIT */
/* livetcp relay: the command line. */
#include "relay/relay.h"

#include "base/error.h"
#include "lab/options.h"
#include "tool/command.h"
#include "tool/token_file.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
    "\nRelays between UDP programs and LiveTCP, in both directions: packets from IN go to every\n"
    "OUT, and packets from an OUT go to IN. Ends are udp://HOST:PORT, rtp://HOST:PORT,\n"
    "livetcp://HOST:PORT, livetcp://:PORT, which listens for any number of callers, srt:// and\n"
    "file://con. --help-url lists the keys of their URIs.\n"
    "The relay keeps running when a peer leaves. Ctrl-C ends it with a summary, a second one at\n"
    "once. SIGHUP reloads --config; unchanged routes are not interrupted.\n"
    "Commands of --on-open and --on-close get LIVETCP_EVENT, LIVETCP_ROUTE, LIVETCP_REMOTE and\n"
    "LIVETCP_REASON in their environment.\n\n"
    "Exit code: 0 when Ctrl-C, --once or the end of standard input ended it; 1 when a port is not\n"
    "available, or --timeout ended it; 2 when the command line or the file of --config is "
    "wrong.\n\n"
    "Examples:\n"
    "  livetcp relay 'udp://127.0.0.1:5000?encap=ts' livetcp://far.example:5004\n"
    "  livetcp relay livetcp://:5004 'udp://127.0.0.1:6000?encap=ts'      the other end\n"
    "  livetcp relay rtp://:5000 livetcp://:5004                          one to many\n"
    "  livetcp relay udp://127.0.0.1:51820 livetcp://far.example:5004     WireGuard, for example\n"
    "  ffmpeg ... -f mpegts - | livetcp relay file://con livetcp://far.example:5004\n"
    "  livetcp relay --config=/etc/livetcp/relay/studio.yaml --metrics=127.0.0.1:9464\n";

typedef struct options {
    char *config, *log_level, *metrics, *on_open, *on_close, *pcap, *stats, *timeout, *tokens,
        *json;
    int once, log_json, quiet, help, help_url;
} options;

static livetcp_result build_line(void *values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    options *v = values;
    const struct poptOption table[] = {
        LT_OPTION_TEXT("config", &v->config, "routes in YAML, instead of IN and OUT", "FILE"),
        LT_OPTION_FLAG("help-url", &v->help_url, "list the keys of URIs"),
        LT_OPTION_JSON("the summary as JSON, to standard output without =FILE"),
        LT_OPTION_FLAG("log-json", &v->log_json, "print messages as lines of JSON"),
        LT_OPTION_TEXT("log-level", &v->log_level,
                       "off, error, warning, info, debug or trace (info)", "LEVEL"),
        LT_OPTION_TEXT("metrics", &v->metrics,
                       "serve Prometheus metrics at http://ADDRESS:PORT/metrics", "ADDRESS:PORT"),
        LT_OPTION_TEXT("on-close", &v->on_close, "run this command when a session has ended",
                       "COMMAND"),
        LT_OPTION_TEXT("on-open", &v->on_open, "run this command when a session is open",
                       "COMMAND"),
        LT_OPTION_FLAG("once", &v->once, "end when the first session has ended"),
        LT_OPTION_TEXT("pcap", &v->pcap, "record received packets as a pcap file", "FILE"),
        LT_OPTION_TEXT("stats", &v->stats,
                       "print a line of JSON at this interval; a plain number is ms", "TIME"),
        LT_OPTION_TEXT("timeout", &v->timeout, "end when no packet has arrived for this time",
                       "TIME"),
        LT_OPTION_TEXT("tokens", &v->tokens,
                       "admit callers with a token of this file, or a JWT signed by a key of it",
                       "FILE"),
        LT_OPTION_ENTRY("quiet", 'q', POPT_ARG_NONE, &v->quiet, 0, "print errors only", NULL),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &v->help, LT_OPTION_CODE_LAST, "show this help",
                        NULL),
        POPT_TABLEEND};
    const lt_command_line line = {.command = "livetcp relay",
                                  .usage = "[OPTION...] IN OUT [OUT...]",
                                  .table = table,
                                  .json = &v->json,
                                  .json_alone = true};
    return use(&line, user, error);
}

static bool uses_console(const lt_relay_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++)
        for (unsigned j = 1; j < plan->routes[i].count; j++)
            if (plan->routes[i].ends[j].scheme == LT_RELAY_CONSOLE)
                return true;
    return false;
}

static livetcp_result take_routes(const options *v, const char *const *words, lt_relay_options *o,
                                  livetcp_error *error)
{
    if (v->config && words && words[0])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "'%.100s': routes are in the file of --config, or on the command line",
                       words[0]);
    if (v->config)
        return lt_relay_read_config(v->config, &o->plan, error);
    return lt_relay_plan_words(&o->plan, words, error);
}

static livetcp_result take(const options *v, const char *const *words, lt_relay_options *o,
                           livetcp_error *error)
{
    static const char *const levels[] = {"off", "error", "warning", "info", "debug", "trace", NULL};
    int level = v->quiet ? LIVETCP_LOG_ERROR : LIVETCP_LOG_INFO;
    const livetcp_usec day = 86400 * (livetcp_usec)LIVETCP_USEC_SEC;
    livetcp_result result;

    *o = (lt_relay_options){.config = v->config,
                            .once = v->once,
                            .timeout_us = LIVETCP_NEVER,
                            .metrics = v->metrics,
                            .on_open = v->on_open,
                            .on_close = v->on_close,
                            .pcap = v->pcap,
                            .json = v->json};
    if ((result = lt_option_choice("--log-level ", v->log_level, levels, &level, error)) ||
        (result = lt_option_time("--stats ", v->stats, LIVETCP_USEC_MSEC, 10 * LIVETCP_USEC_MSEC,
                                 day, &o->stats_us, error)) ||
        (result = lt_option_time("--timeout ", v->timeout, LIVETCP_USEC_SEC,
                                 100 * LIVETCP_USEC_MSEC, day, &o->timeout_us, error)) ||
        (result = take_routes(v, words, o, error)))
        return result;
    o->journal = (lt_relay_journal){.level = (livetcp_log_level)level, .json = v->log_json};
    const bool json_out = v->json && !strcmp(v->json, "-");
    if (uses_console(&o->plan) && (o->stats_us || json_out))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "standard output takes the media of file://con, or JSON: --json=FILE, and "
                       "--metrics instead of --stats");
    return LIVETCP_OK;
}

/* Tokens that authorize callers, and the journal for changes of their file. */
typedef struct door {
    lt_token_file tokens;
    const lt_relay_journal *journal;
} door;

/* Authorizes a caller by the current content of the token file. */
static unsigned admit(const livetcp_caller *caller, const char **why, void *user)
{
    door *d = user;
    livetcp_error error;

    switch (lt_token_file_look(&d->tokens, false, &error)) {
    case LT_TOKEN_FILE_CHANGED:
        lt_relay_log(d->journal, LIVETCP_LOG_INFO, "", "read the tokens again");
        break;
    case LT_TOKEN_FILE_WRONG:
        lt_relay_log(d->journal, LIVETCP_LOG_ERROR, "", "%s", error.message);
        break;
    case LT_TOKEN_FILE_SAME:
        break;
    }
    return lt_token_file_admit(&d->tokens, caller, why);
}

static livetcp_result take_tokens(const char *name, lt_relay_options *o, door *d,
                                  livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    /* A reloaded file may add listeners. */
    if (!o->config && !lt_relay_plan_listens(&o->plan))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--tokens is for ends that wait for callers (livetcp://:PORT): a caller has "
                       "one, ?token=");
    for (unsigned i = 0; i < o->plan.count && result == LIVETCP_OK; i++)
        result = lt_relay_plan_route_check(&o->plan.routes[i], lt_token_file_check, error);
    if (result == LIVETCP_OK)
        result = lt_token_file_open(&d->tokens, name, error);
    d->journal = &o->journal;
    o->admit = admit;
    o->admit_user = d;
    o->check = lt_token_file_check;
    return result;
}

static int run_relay(int argc, const char **argv)
{
    options v = {.once = 0};
    lt_relay_options o = {.once = false};
    door d = {.journal = NULL};
    livetcp_error error = {.message = ""};
    const char **words = NULL;
    int code = LT_EXIT_OK;
    livetcp_result result = lt_built_line_read(build_line, &v, argc, argv, &words, &error);

    if (result == LIVETCP_OK && !v.help && !v.help_url)
        result = take(&v, words, &o, &error);
    if (result == LIVETCP_OK && v.tokens && !v.help && !v.help_url)
        result = take_tokens(v.tokens, &o, &d, &error);
    if (result != LIVETCP_OK)
        code = lt_command_refused("relay", &error);
    else if (v.help_url)
        lt_relay_location_help(stdout);
    else if (!v.help)
        code = lt_relay_run(&o, &error);
    else if (lt_built_line_help(build_line, &v, stdout, &error) == LIVETCP_OK)
        fputs(about, stdout);
    if (result == LIVETCP_OK && code != LT_EXIT_OK)
        code = lt_command_failed("relay", &error);
    lt_relay_plan_clear(&o.plan);
    lt_token_file_close(&d.tokens);
    free(words);
    lt_built_line_clear(build_line, &v);
    return code;
}

const lt_command lt_command_relay = {
    .name = "relay",
    .summary = "carry UDP of other programs: RTP, MPEG-TS or any datagrams",
    .run = run_relay,
};
