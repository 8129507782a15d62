/* SPDX-License-Identifier: MIT */
/* Validates the command line of bench. */
#include "lab/bench/options.h"

#include "base/error.h"
#include "lab/bench/command_line.h"
#include "lab/options.h"
#include "lab/trace_file.h"
#include "lab/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY (86400 * (livetcp_usec)LIVETCP_USEC_SEC)

/* ---- what is sent ---- */

static livetcp_result take_seconds(const char *option, const char *text, livetcp_usec max,
                                   livetcp_usec *out, livetcp_error *error)
{
    return lt_option_time(option, text, LIVETCP_USEC_SEC, 0, max, out, error);
}

static livetcp_result take_trace(const lt_bench_line *raw, lt_bench_options *options,
                                 livetcp_error *error)
{
    lt_frame_sizes *sizes = &options->plan.encoder.sizes;
    livetcp_trace_frame *frames;
    size_t count;
    livetcp_result result = lt_option_copy("--trace", raw->trace ? raw->trace : "x264",
                                           options->trace, sizeof options->trace, NULL, error);
    if (result != LIVETCP_OK)
        return result;
    if (!strcmp(options->trace, "ideal")) {
        lt_frame_sizes_ideal(sizes);
        return LIVETCP_OK;
    }
    if (!strcmp(options->trace, "x264")) {
        lt_frame_sizes_x264(sizes);
        return LIVETCP_OK;
    }
    if (!strcmp(options->trace, "screen")) {
        lt_frame_sizes_screen(sizes);
        return LIVETCP_OK;
    }
    result = lt_trace_read(options->trace, &frames, &count, error);
    if (result == LIVETCP_OK)
        result = lt_frame_sizes_take(sizes, frames, count, error);
    free(frames);
    return result;
}

static livetcp_result take_bitrate(const char *option, const char *text, double *out,
                                   livetcp_error *error)
{
    uint64_t rate;
    if (!lt_parse_rate(text, &rate) || rate < 10000 || rate > 1000000000)
        return lt_option_refuse(option, text, error, "a rate of 10kbit to 1gbit, such as 1500kbit");
    *out = (double)rate;
    return LIVETCP_OK;
}

/* Rejects options that need an adaptive source without one, and options that contradict it. */
static livetcp_result check_adaptive(const lt_bench_line *raw, livetcp_error *error)
{
    const struct {
        const char *name;
        bool given;
    } only[] = {{"--fps", raw->fps != 0},      {"--key-interval", raw->key_interval},
                {"--max-rate", raw->max_rate}, {"--overshoot", raw->overshoot != 0},
                {"--trace", raw->trace},       {"--flow-times", raw->flow_times}},
      not_with[] = {{"--greedy", raw->greedy},
                    {"--interval", raw->interval},
                    {"--talkspurt", raw->talkspurt},
                    {"--silence", raw->silence},
                    {"--playout", raw->playout}};
    for (size_t i = 0; !raw->adaptive && i < sizeof only / sizeof *only; i++)
        if (only[i].given)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "%s is for an adaptive source: add --adaptive", only[i].name);
    for (size_t i = 0; raw->adaptive && i < sizeof not_with / sizeof *not_with; i++)
        if (not_with[i].given)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "%s and --adaptive: take one of them; an adaptive source sends frames "
                           "of video at --fps",
                           not_with[i].name);
    return LIVETCP_OK;
}

static livetcp_result take_adaptive(const lt_bench_line *raw, lt_bench_options *options,
                                    livetcp_error *error)
{
    lt_plan *plan = &options->plan;
    lt_encoder_config *encoder = &plan->encoder;
    livetcp_usec key = 2 * LIVETCP_USEC_SEC;
    double fps = raw->fps != 0 ? raw->fps : 25;
    livetcp_result result = check_adaptive(raw, error);
    if (result != LIVETCP_OK || !raw->adaptive)
        return result;
    plan->adaptive = true;
    plan->warmup = 10 * LIVETCP_USEC_SEC;
    if (!(fps >= 1 && fps <= 240))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--fps %g: 1 to 240 frames a second are possible", fps);
    encoder->overshoot = raw->overshoot != 0 ? raw->overshoot : 1;
    if (!(encoder->overshoot >= 0.1 && encoder->overshoot <= 10))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--overshoot %g: 0.1 to 10 times what the encoder is told are possible",
                       encoder->overshoot);
    plan->interval = llround(LIVETCP_USEC_SEC / fps);
    if ((result = take_bitrate("--adaptive=", raw->adaptive, &encoder->start_rate, error)) ||
        (result = take_bitrate("--max-rate ", raw->max_rate ? raw->max_rate : "20mbit",
                               &encoder->max_rate, error)) ||
        (result = take_seconds("--key-interval ", raw->key_interval, DAY, &key, error)))
        return result;
    if (encoder->start_rate > encoder->max_rate)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--adaptive=%s is above --max-rate %s: raise that, or begin lower",
                       raw->adaptive, raw->max_rate ? raw->max_rate : "20mbit");
    if (key && key < 2 * plan->interval)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--key-interval %s: it is 0, or two frames or more (%.0f ms)",
                       raw->key_interval, 2e-3 * (double)plan->interval);
    result = take_trace(raw, options, error);
    const bool ideal = !strcmp(options->trace, "ideal");
    if (result == LIVETCP_OK && ideal && raw->key_interval && key)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--key-interval %s: all frames of the ideal encoder are the same; take "
                       "another --trace, or leave one out",
                       raw->key_interval);
    encoder->key_interval = ideal ? 0 : (uint32_t)((key + plan->interval / 2) / plan->interval);
    return result;
}

static livetcp_result take_plan(const lt_bench_line *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    lt_plan *plan = &options->plan;
    static const char *const ways[] = {"forward", "backward", "both", NULL};
    static const lt_media_direction directions[] = {LT_MEDIA_FORWARD, LT_MEDIA_BACKWARD,
                                                    LT_MEDIA_BOTH};
    int way = 0;
    livetcp_result result = lt_option_choice("--direction ", raw->direction, ways, &way, error);
    if (result != LIVETCP_OK)
        return result;
    plan->direction = directions[way];
    plan->greedy = raw->greedy;
    plan->speech = raw->speech;
    plan->interval = raw->greedy ? 100 : 20 * LIVETCP_USEC_MSEC;
    plan->warmup = 5 * LIVETCP_USEC_SEC;
    plan->duration = 60 * LIVETCP_USEC_SEC;
    options->drain = 10 * LIVETCP_USEC_SEC;
    if ((result = take_adaptive(raw, options, error)))
        return result;
    plan->size = raw->size < 0 ? 0 : (size_t)raw->size;
    if ((result =
             lt_option_count("--flows ", raw->flows, 1, LT_BENCH_MAX_FLOWS, &plan->flows, error)) ||
        (result = lt_option_time("--interval ", raw->interval, LIVETCP_USEC_MSEC, 100,
                                 60 * LIVETCP_USEC_SEC, &plan->interval, error)) ||
        (result = take_seconds("--warmup ", raw->warmup, DAY, &plan->warmup, error)) ||
        (result = take_seconds("--duration ", raw->duration, DAY, &plan->duration, error)) ||
        (result = take_seconds("--drain ", raw->drain, DAY / 24, &options->drain, error)) ||
        (result = take_seconds("--talkspurt ", raw->talkspurt, DAY, &plan->talkspurt, error)) ||
        (result = take_seconds("--silence ", raw->silence, DAY, &plan->silence, error)) ||
        (result = lt_option_count("--opening ", raw->opening, 1, 1000000, &plan->opening, error)))
        return result;
    options->seed = (uint64_t)raw->seed;
    return lt_plan_make(plan, options->seed, error);
}

/* After take_plan(), which sets the number of flows. */
static livetcp_result take_flow_times(const lt_bench_line *raw, lt_bench_options *options,
                                      livetcp_error *error)
{
    lt_plan *plan = &options->plan;
    char item[64];
    unsigned flow = 0;
    for (const char *at = raw->flow_times; at; flow++) {
        size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (flow == plan->flows)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--flow-times %.60s: there are only %u flows (--flows)", raw->flow_times,
                           plan->flows);
        if (length >= sizeof item || !lt_window_parse(item, &plan->times[flow]) ||
            plan->times[flow].from >= plan->length)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--flow-times %.40s: it is FROM-TO or FROM-, within the %g s of the "
                           "run, for example 0-,5s-20s",
                           item, (double)plan->length / 1e6);
        at = at[length] ? at + length + 1 : NULL;
    }
    return LIVETCP_OK;
}

/* ---- the path ---- */

/* Parses a spec per link, separated by ';', for one direction. */
static livetcp_result take_links(const char *text, lt_direction direction,
                                 lt_bench_options *options, unsigned *links, livetcp_error *error)
{
    char spec[LT_PARAMS_TEXT];
    livetcp_result result = LIVETCP_OK;
    *links = 0;
    for (const char *at = text; at && result == LIVETCP_OK; (*links)++) {
        const size_t length = strcspn(at, ";");
        if (*links == LT_PATH_MAX_LINKS || length >= sizeof spec)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--path: at most %d links, of %d characters each, are possible",
                           LT_PATH_MAX_LINKS, LT_PARAMS_TEXT - 1);
        snprintf(spec, sizeof spec, "%.*s", (int)length, at);
        result = lt_link_params_parse(&options->link[2 * *links + direction], spec, error);
        at = at[length] ? at + length + 1 : NULL;
    }
    return result;
}

static livetcp_result take_both_ways(const lt_bench_line *raw, const char *spec,
                                     lt_bench_options *options, livetcp_error *error)
{
    unsigned back;
    livetcp_result result = take_links(spec, LT_FORWARD, options, &options->links, error);
    for (unsigned i = 0; i < options->links; i++)
        options->link[2 * i + LT_BACKWARD].delay = options->link[2 * i + LT_FORWARD].delay;
    if (result == LIVETCP_OK && raw->path_back) {
        result = take_links(raw->path_back, LT_BACKWARD, options, &back, error);
        if (result == LIVETCP_OK && back != options->links)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--path has %u link%s and --path-back %u: give one for each",
                           options->links, options->links == 1 ? "" : "s", back);
    }
    return result;
}

static livetcp_result take_path(const lt_bench_line *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    const char *spec = raw->path ? raw->path : "delay=50ms,loss=1%";
    livetcp_result result = LIVETCP_OK;
    options->links = 1;
    for (int i = 0; i < LT_PATH_LANES; i++)
        lt_link_params_init(&options->link[i]);
    options->emulated = strcmp(spec, "none") != 0;
    if (!options->emulated && raw->path_back)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--path-back needs an emulated path: --path none is loopback");
    if (options->emulated)
        result = take_both_ways(raw, spec, options, error);
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

static livetcp_result take_schedule(const lt_bench_line *raw, lt_bench_options *options,
                                    livetcp_error *error)
{
    if (!raw->schedule)
        return LIVETCP_OK;
    if (!options->emulated)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--schedule %.60s: it changes an emulated path, and this is loopback",
                       raw->schedule);
    return lt_schedule_load(&options->schedule, raw->schedule, options->link, options->links,
                            error);
}

static livetcp_result take_sysctls(const lt_bench_line *raw, lt_bench_options *options,
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

/* ---- schemes ---- */

static livetcp_result take_programs(const lt_bench_line *raw, lt_bench_options *options,
                                    lt_scheme_defaults *defaults, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    defaults->programs = options->programs;
    for (char **text = raw->programs; result == LIVETCP_OK && text && *text; text++) {
        if (defaults->program_count == LT_BENCH_MAX_PROGRAMS)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--program: %d programs are possible, no more", LT_BENCH_MAX_PROGRAMS);
        result =
            lt_bench_program_parse(&options->programs[defaults->program_count++], *text, error);
    }
    return result;
}

/* Checks of a scheme that depend on the plan. */
static livetcp_result check_scheme(const lt_bench_options *options, lt_scheme *scheme,
                                   livetcp_error *error)
{
    const lt_plan *plan = &options->plan;
    const bool program = scheme->kind == LT_TRANSPORT_PROGRAM;
    if (plan->speech && scheme->redundancy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.60s and --speech: take one of them; packets that repeat others are the "
                       "stream's own",
                       scheme->spec);
    if (plan->adaptive && scheme->redundancy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.60s and --adaptive: packets that repeat others are audio, and this "
                       "is video",
                       scheme->spec);
    if (!plan->adaptive && scheme->start_rate > 0)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.60s: start-rate is of an encoder: add --adaptive", scheme->spec);
    if (scheme->start_rate > plan->encoder.max_rate && plan->adaptive)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.60s: start-rate is above --max-rate",
                       scheme->spec);
    if (program && (plan->greedy || plan->direction != LT_MEDIA_FORWARD))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.60s: a program carries media forward only, and no --greedy source",
                       scheme->spec);
    if (program && plan->size - LT_BENCH_FRAMING > UINT16_MAX)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.60s: packets of %zu bytes are too long for a program", scheme->spec,
                       plan->size);
    if (plan->adaptive && scheme->start_rate == 0)
        scheme->start_rate = plan->encoder.start_rate;
    else if (!plan->adaptive)
        scheme->start_rate = 8e6 * (double)plan->size / (double)plan->interval;
    return LIVETCP_OK;
}

static livetcp_result take_schemes(const lt_bench_line *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    static const char *const default_schemes[] = {"plain", "auto"};
    lt_scheme_defaults defaults = {.congestion_control = raw->congestion_control,
                                   .nagle = raw->nagle,
                                   .links = options->links,
                                   .max_packet = options->plan.size - LT_BENCH_FRAMING};
    livetcp_result result;
    if ((result = lt_option_count("--connections ", raw->connections, 1, LIVETCP_MAX_CONNECTIONS,
                                  &defaults.connections, error)) ||
        (result = lt_option_count("--split ", raw->split, 1, 16, &defaults.split, error)) ||
        (result = take_programs(raw, options, &defaults, error)))
        return result;
    options->scheme_count = raw->scheme_count ? raw->scheme_count : 2;
    for (unsigned i = 0; i < options->scheme_count; i++) {
        const char *spec = raw->scheme_count ? raw->scheme_specs[i] : default_schemes[i];
        result = lt_scheme_parse(&options->schemes[i], spec, &defaults, error);
        if (result != LIVETCP_OK)
            return result;
        result = check_scheme(options, &options->schemes[i], error);
        if (result != LIVETCP_OK)
            return result;
    }
    return LIVETCP_OK;
}

/* ---- other traffic, playout, output ---- */

static livetcp_result take_load(const lt_bench_line *raw, lt_bench_options *options,
                                livetcp_error *error)
{
    const char *cc = raw->background_cc ? raw->background_cc : "";
    lt_load *load = &options->load;
    livetcp_result result;
    if (strlen(cc) >= sizeof load->congestion_control)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--background-cc %.40s: the name of a congestion control is not that long",
                       cc);
    snprintf(load->congestion_control, sizeof load->congestion_control, "%s", cc);
    load->peer = raw->peer;
    if ((result = lt_load_parse_count("--ftp", raw->ftp, &load->ftp, &load->ftp_time, error)) ||
        (result = lt_load_parse_count("--mice", raw->mice, &load->mice, &load->mice_time, error)) ||
        (result = lt_load_parse_rate("--cbr", raw->cbr, &load->cbr, &load->cbr_time, error)) ||
        (result = lt_load_parse_rate("--poisson", raw->poisson, &load->poisson, &load->poisson_time,
                                     error)) ||
        (result =
             lt_option_count("--web ", raw->web, 0, LT_BENCH_MAX_BACKGROUND, &load->web, error)))
        return result;
    if ((load->mice || load->cbr || load->poisson) && options->plan.direction != LT_MEDIA_FORWARD)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--mice, --cbr and --poisson go forward, so the media has to (--direction "
                       "forward)");
    return LIVETCP_OK;
}

static livetcp_result take_playout(const lt_bench_line *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    if (raw->playout && options->plan.greedy)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "--playout and --greedy: take one of them; a greedy source has no playout times");
    return lt_playout_parse(&options->playout, raw->playout, raw->codec,
                            options->link[0].delay + options->link[1].delay, options->plan.interval,
                            error);
}

static livetcp_result take_file(const char *name, const char *value, char *out, size_t size,
                                livetcp_error *error)
{
    return lt_option_copy(name, value, out, size, "not a usable file name", error);
}

static livetcp_result take_rest(const lt_bench_line *raw, lt_bench_options *options,
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

/* ---- the whole line ---- */

/* Appends a word, quoted for a shell if necessary. */
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
    lt_bench_line raw;
    memset(options, 0, sizeof *options);
    livetcp_result result = lt_bench_line_read(&raw, argc, argv, error);
    options->help = raw.help;
    keep_command(options, argc, argv);
    if (result == LIVETCP_OK && !raw.help) {
        if ((result = take_plan(&raw, options, error)) == LIVETCP_OK &&
            (result = take_flow_times(&raw, options, error)) == LIVETCP_OK &&
            (result = take_path(&raw, options, error)) == LIVETCP_OK &&
            (result = take_schedule(&raw, options, error)) == LIVETCP_OK &&
            (result = take_sysctls(&raw, options, error)) == LIVETCP_OK &&
            (result = take_schemes(&raw, options, error)) == LIVETCP_OK)
            result = take_rest(&raw, options, error);
    }
    lt_bench_line_clear(&raw);
    return result;
}

void lt_bench_options_clear(lt_bench_options *options)
{
    lt_schedule_clear(&options->schedule);
}
