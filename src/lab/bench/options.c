/* SPDX-License-Identifier: MIT */
/* From options as typed to options that make sense. */
#include "lab/bench/options.h"

#include "base/error.h"
#include "lab/bench/option_table.h"

#include <math.h>
#include <string.h>

static livetcp_result take_seconds(const char *name, double value, double most, livetcp_usec *out,
                                   livetcp_error *error)
{
    if (!(value >= 0) || value > most)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: 0 to %g seconds are possible",
                       name, most);
    *out = (livetcp_usec)llround(value * 1e6);
    return LIVETCP_OK;
}

static livetcp_result take_count(const char *name, int value, int least, int most, unsigned *out,
                                 livetcp_error *error)
{
    if (value < least || value > most)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s %d: %d to %d are possible", name,
                       value, least, most);
    *out = (unsigned)value;
    return LIVETCP_OK;
}

static livetcp_result take_file(const char *name, const char *value, char *out, size_t size,
                                livetcp_error *error)
{
    if (value && (!*value || strlen(value) >= size))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: not a usable file name", name);
    snprintf(out, size, "%s", value ? value : "");
    return LIVETCP_OK;
}

static livetcp_result take_plan(const lt_raw_options *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    lt_plan *plan = &options->plan;
    const char *way = raw->direction ? raw->direction : "forward";
    livetcp_result result;
    if (!strcmp(way, "forward"))
        plan->direction = LT_MEDIA_FORWARD;
    else if (!strcmp(way, "backward"))
        plan->direction = LT_MEDIA_BACKWARD;
    else if (!strcmp(way, "both"))
        plan->direction = LT_MEDIA_BOTH;
    else
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--direction %.40s: it is forward, backward or both", way);
    double interval = raw->interval_ms != LT_INTERVAL_USUAL ? raw->interval_ms
                      : raw->greedy                         ? 0.1
                                                            : 20;
    if (!(interval >= 0.1 && interval <= 60000))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--interval: 0.1 to 60000 ms are possible");
    plan->greedy = raw->greedy;
    plan->interval = (livetcp_usec)llround(interval * 1000);
    plan->size = raw->size < 0 ? 0 : (size_t)raw->size;
    if ((result = take_count("--flows", raw->flows, 1, LT_BENCH_MAX_FLOWS, &plan->flows, error)) ||
        (result = take_seconds("--warmup", raw->warmup_s, 86400, &plan->warmup, error)) ||
        (result = take_seconds("--duration", raw->duration_s, 86400, &plan->duration, error)) ||
        (result = take_seconds("--drain", raw->drain_s, 3600, &options->drain, error)) ||
        (result = take_seconds("--talkspurt", raw->talkspurt_s, 86400, &plan->talkspurt, error)) ||
        (result = take_seconds("--silence", raw->silence_s, 86400, &plan->silence, error)) ||
        (result = take_count("--opening", raw->opening, 1, 1000000, &plan->opening, error)))
        return result;
    options->seed = (uint64_t)raw->seed;
    return lt_plan_make(plan, options->seed, error);
}

static livetcp_result take_path(const lt_raw_options *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    const char *spec = raw->path ? raw->path : "delay=50ms,loss=1%";
    livetcp_result result = LIVETCP_OK;
    lt_link_params_init(&options->link[0]);
    lt_link_params_init(&options->link[1]);
    options->emulated = strcmp(spec, "none") != 0;
    if (!options->emulated && raw->path_back)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--path-back makes no sense with --path none: loopback has no way back");
    if (options->emulated)
        result = lt_link_params_parse(&options->link[0], spec, error);
    options->link[1].delay = options->link[0].delay;
    if (result == LIVETCP_OK && raw->path_back)
        result = lt_link_params_parse(&options->link[1], raw->path_back, error);
    if (strlen(spec) >= LT_PARAMS_TEXT ||
        (raw->path_back && strlen(raw->path_back) >= LT_PARAMS_TEXT))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--path: too long");
    snprintf(options->link_text[0], LT_PARAMS_TEXT, "%s", options->emulated ? spec : "loopback");
    if (!options->emulated || raw->path_back)
        snprintf(options->link_text[1], LT_PARAMS_TEXT, "%s",
                 raw->path_back ? raw->path_back : "loopback");
    else
        snprintf(options->link_text[1], LT_PARAMS_TEXT, "delay=%gms",
                 (double)options->link[1].delay / 1e3);
    return result;
}

static livetcp_result take_sysctls(const lt_raw_options *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    for (char **item = raw->sysctls; item && *item; item++) {
        if (!options->emulated)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--sysctl %.60s: it is for the ends of an emulated path; loopback is "
                           "this machine's own",
                           *item);
        if (options->sysctl_count == LT_BENCH_MAX_SYSCTLS)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--sysctl: %d settings are possible, no more", LT_BENCH_MAX_SYSCTLS);
        if (!strchr(*item, '=') || **item == '=' || strlen(*item) >= LT_BENCH_SYSCTL_TEXT)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--sysctl %.60s: expected KEY=VALUE, for example net.ipv4.tcp_ecn=1",
                           *item);
        snprintf(options->sysctls[options->sysctl_count++], LT_BENCH_SYSCTL_TEXT, "%s", *item);
    }
    return LIVETCP_OK;
}

static livetcp_result take_schemes(const lt_raw_options *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    static const char *const usual[] = {"plain", "shortest-queue"};
    lt_scheme_defaults defaults = {.congestion_control = raw->congestion_control,
                                   .nagle = raw->nagle,
                                   .max_packet = options->plan.size - LT_BENCH_FRAMING};
    livetcp_result result;
    if ((result = take_count("--connections", raw->connections, 1, LIVETCP_MAX_CONNECTIONS,
                             &defaults.connections, error)) ||
        (result = take_count("--split", raw->split, 1, 16, &defaults.split, error)))
        return result;
    options->scheme_count = raw->scheme_count ? raw->scheme_count : 2;
    for (unsigned i = 0; i < options->scheme_count; i++) {
        const char *spec = raw->scheme_count ? raw->scheme_specs[i] : usual[i];
        result = lt_scheme_parse(&options->schemes[i], spec, &defaults, error);
        if (result != LIVETCP_OK)
            return result;
    }
    return LIVETCP_OK;
}

static livetcp_result take_load(const lt_raw_options *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    const char *cc = raw->background_cc ? raw->background_cc : "";
    lt_load *load = &options->load;
    livetcp_result result;
    if (strlen(cc) >= sizeof load->congestion_control)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--background-cc %.40s: no congestion control has so long a name", cc);
    snprintf(load->congestion_control, sizeof load->congestion_control, "%s", cc);
    load->peer = raw->peer;
    if ((result = lt_load_parse_count("--ftp", raw->ftp, &load->ftp, &load->ftp_time, error)) ||
        (result = lt_load_parse_count("--mice", raw->mice, &load->mice, &load->mice_time, error)) ||
        (result = lt_load_parse_rate("--cbr", raw->cbr, &load->cbr, &load->cbr_time, error)) ||
        (result = lt_load_parse_rate("--poisson", raw->poisson, &load->poisson, &load->poisson_time,
                                     error)) ||
        (result = take_count("--web", raw->web, 0, LT_BENCH_MAX_BACKGROUND, &load->web, error)))
        return result;
    if ((load->mice || load->cbr || load->poisson) && options->plan.direction != LT_MEDIA_FORWARD)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--mice, --cbr and --poisson go forward, so the media has to (--direction "
                       "forward)");
    return LIVETCP_OK;
}

static livetcp_result take_playout(const lt_raw_options *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    if (raw->playout && options->plan.greedy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--playout makes no sense with --greedy: nobody plays what has no rate");
    return lt_playout_parse(&options->playout, raw->playout, raw->codec,
                            options->link[0].delay + options->link[1].delay, options->plan.interval,
                            error);
}

static livetcp_result take_rest(const lt_raw_options *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    livetcp_result result;
    options->consecutive = raw->consecutive;
    options->discard_stalls = raw->discard;
    options->quiet = raw->quiet;
    options->check = raw->check;
    if ((result = take_load(raw, options, error)) || (result = take_playout(raw, options, error)) ||
        (result = take_file("--csv", raw->csv, options->csv, sizeof options->csv, error)) ||
        (result = take_file("--json", raw->json, options->json, sizeof options->json, error)))
        return result;
    return take_file("--raw", raw->raw, options->raw, sizeof options->raw, error);
}

/* Quoted for a shell where that is needed. */
static size_t add_word(char *text, size_t size, size_t length, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./_-";
    const bool quote = !*word || word[strspn(word, plain)];
    length += (size_t)snprintf(text + length, size - length, quote ? " '" : " ");
    for (; *word && length < size; word++)
        length +=
            (size_t)snprintf(text + length, size - length, *word == '\'' ? "'\\''" : "%c", *word);
    if (quote && length < size)
        length += (size_t)snprintf(text + length, size - length, "'");
    return length < size ? length : size - 1;
}

static void keep_command(lt_bench_options *options, int argc, const char **argv)
{
    const size_t size = sizeof options->command;
    size_t length = (size_t)snprintf(options->command, size, "livetcp bench");
    for (int i = 1; i < argc; i++)
        length = add_word(options->command, size, length, argv[i]);
}

livetcp_result lt_bench_options_parse(lt_bench_options *options, int argc, const char **argv,
                                      livetcp_error *error)
{
    lt_raw_options raw;
    memset(options, 0, sizeof *options);
    lt_raw_options_init(&raw);
    livetcp_result result = lt_raw_options_read(&raw, argc, argv, error);
    options->help = raw.help;
    keep_command(options, argc, argv);
    if (result == LIVETCP_OK && !raw.help) {
        if ((result = take_plan(&raw, options, error)) == LIVETCP_OK &&
            (result = take_path(&raw, options, error)) == LIVETCP_OK &&
            (result = take_sysctls(&raw, options, error)) == LIVETCP_OK &&
            (result = take_schemes(&raw, options, error)) == LIVETCP_OK)
            result = take_rest(&raw, options, error);
    }
    lt_raw_options_clear(&raw);
    return result;
}
