/* SPDX-License-Identifier: MIT */
/* From the command line of bench to options that make sense. */
#include "lab/bench/options.h"

#include "base/error.h"
#include "lab/options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SCHEME = 1 };

/* Nothing that anybody would type. */
#define INTERVAL_DEFAULT (-DBL_MAX)

/* The command line as popt leaves it, before anybody asked whether it makes sense. */
typedef struct raw_options {
    char *scheme_specs[LT_BENCH_MAX_SCHEMES];
    unsigned scheme_count;
    char **sysctls; /* NULL-terminated, or NULL */
    char *direction, *path, *path_back, *congestion_control, *background_cc;
    char *ftp, *mice, *cbr, *poisson;
    char *playout, *codec;
    char *csv, *json, *raw;
    int connections, split, flows, size, web, opening;
    double interval_ms; /* INTERVAL_DEFAULT if not given */
    double warmup_s, duration_s, drain_s, talkspurt_s, silence_s;
    long long seed;
    int greedy, peer, check, nagle, consecutive, discard, quiet, help;
} raw_options;

/* ---- the table ---- */

typedef livetcp_result visitor(const struct poptOption *table, void *user, livetcp_error *error);

/* Runs `visit` with popt's table over `raw`: the table points into it, so it is built in place. */
static livetcp_result with_table(raw_options *raw, visitor *visit, void *user, livetcp_error *error)
{
    const struct poptOption media[] = {
        LT_OPTION_TAKEN("policy", 'p', OPTION_SCHEME,
                        "LiveTCP with these policies, NAME[:SETTING=VALUE]..., comma-separated "
                        "(shortest-queue, "
                        "beside plain, if there is no -t either)",
                        "LIST"),
        LT_OPTION_TAKEN("transport", 't', OPTION_SCHEME,
                        "baselines: plain (RFC 4571 on one connection), socket (no LiveTCP)",
                        "LIST"),
        LT_OPTION_INTEGER("connections", &raw->connections, "connections of a policy (5)", "N"),
        LT_OPTION_INTEGER("split", &raw->split, "writes per frame (1)", "N"),
        LT_OPTION_TEXT("congestion-control", &raw->congestion_control,
                       "of the media's sockets (the system's)", "NAME"),
        LT_OPTION_FLAG("nagle", &raw->nagle, "leave Nagle's algorithm on in transport socket"),
        LT_OPTION_INTEGER("flows", &raw->flows, "CBR flows of each scheme (1)", "N"),
        LT_OPTION_INTEGER("size", &raw->size, "packet, with 12 bytes RTP and 2 framing (1448)",
                          "BYTES"),
        LT_OPTION_REAL("interval", &raw->interval_ms,
                       "between packets of a flow (20; greedy: at least 0.1)", "MS"),
        LT_OPTION_FLAG("greedy", &raw->greedy, "send as fast as packets are taken, one ahead"),
        LT_OPTION_REAL("talkspurt", &raw->talkspurt_s, "length of talkspurts, with --silence",
                       "SECONDS"),
        LT_OPTION_REAL("silence", &raw->silence_s, "between talkspurts (0)", "SECONDS"),
        LT_OPTION_INTEGER("opening", &raw->opening,
                          "packets of each talkspurt after a silence to report by themselves (1)",
                          "N"),
        LT_OPTION_TEXT("direction", &raw->direction, "forward, backward or both (forward)", "WAY"),
        POPT_TABLEEND};
    const struct poptOption path[] = {
        LT_OPTION_TEXT("path", &raw->path,
                       "emulated path, or none for loopback (delay=50ms,loss=1%)", "SPEC"),
        LT_OPTION_TEXT("path-back", &raw->path_back,
                       "its way back (delay as forward, nothing else)", "SPEC"),
        LT_OPTION_TEXTS(
            "sysctl", &raw->sysctls,
            "setting of both ends of the path, such as net.ipv4.tcp_ecn=1; may be repeated",
            "KEY=VALUE"),
        LT_OPTION_TEXT("ftp", &raw->ftp, "greedy TCP flows beside each scheme (0)", "N[@FROM-TO]"),
        LT_OPTION_INTEGER("web", &raw->web, "web-like flows: 512 bytes every 50 ms on average (0)",
                          "N"),
        LT_OPTION_TEXT("mice", &raw->mice, "TCP connections of 20 kB, always N at a time (0)",
                       "N[@FROM-TO]"),
        LT_OPTION_TEXT("cbr", &raw->cbr, "UDP at a constant bit rate, such as 3mbit (off)",
                       "RATE[@FROM-TO]"),
        LT_OPTION_TEXT("poisson", &raw->poisson,
                       "UDP of 512-byte packets at random intervals (off)", "RATE[@FROM-TO]"),
        LT_OPTION_FLAG("peer", &raw->peer,
                       "one more greedy TCP flow, to compare the throughput with"),
        LT_OPTION_TEXT("background-cc", &raw->background_cc,
                       "congestion control of those flows (the system's)", "NAME"),
        POPT_TABLEEND};
    const struct poptOption run[] = {
        LT_OPTION_REAL("warmup", &raw->warmup_s, "sent first and not counted (5)", "SECONDS"),
        LT_OPTION_REAL("duration", &raw->duration_s, "measured (60)", "SECONDS"),
        LT_OPTION_REAL("drain", &raw->drain_s, "to wait for late packets at the end (10)",
                       "SECONDS"),
        LT_OPTION_LARGE_INTEGER("seed", &raw->seed, "of phases, loss and web traffic (1)", "N"),
        LT_OPTION_FLAG("check", &raw->check,
                       "run nothing, only say what is wrong with the options"),
        LT_OPTION_FLAG("consecutive", &raw->consecutive,
                       "one scheme after the other, not all at once"),
        LT_OPTION_FLAG("discard-stalls", &raw->discard,
                       "leave out packets near a stall of the machine"),
        POPT_TABLEEND};
    const struct poptOption output[] = {
        LT_OPTION_TEXT(
            "playout", &raw->playout,
            "share of late packets and MOS with these playout delays: ms over the path's delay; "
            "static: RTT + 3 intervals; adaptive: what livetcp_playout chooses",
            "LIST"),
        LT_OPTION_TEXT("codec", &raw->codec, "of that MOS: g711, g711-plc, g729a, opus (g711-plc)",
                       "NAME"),
        LT_OPTION_TEXT("csv", &raw->csv, "a line for each result, - is standard output", "FILE"),
        LT_OPTION_TEXT("json", &raw->json, "everything but single packets", "FILE"),
        LT_OPTION_TEXT("raw", &raw->raw, "a line of CSV for each packet", "FILE"),
        LT_OPTION_ENTRY("quiet", 'q', POPT_ARG_NONE, &raw->quiet, 0, "no progress", NULL),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &raw->help, 0, "this text", NULL),
        POPT_TABLEEND};
    const struct poptOption table[] = {
        LT_OPTION_SECTION(media, "What is sent, and how:"),
        LT_OPTION_SECTION(path, "What it meets:"), LT_OPTION_SECTION(run, "The run:"),
        LT_OPTION_SECTION(output, "Output, beside the table:"), POPT_TABLEEND};
    return visit(table, user, error);
}

/* Splits a comma-separated list onto raw->scheme_specs; the only option that is taken by hand. */
static livetcp_result add_schemes(void *user, int code, const char *list, livetcp_error *error)
{
    raw_options *raw = user;
    (void)code;
    for (const char *at = list;;) {
        size_t length = strcspn(at, ",");
        if (raw->scheme_count == LT_BENCH_MAX_SCHEMES)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "more than %d policies and transports in one run", LT_BENCH_MAX_SCHEMES);
        raw->scheme_specs[raw->scheme_count] = strndup(at, length);
        if (!raw->scheme_specs[raw->scheme_count])
            return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
        raw->scheme_count++;
        if (!at[length])
            return LIVETCP_OK;
        at += length + 1;
    }
}

static lt_command_line command_line(const struct poptOption *table)
{
    return (lt_command_line){
        .command = "livetcp bench", .usage = "[OPTION...]", .table = table, .take = add_schemes};
}

typedef struct words {
    raw_options *raw;
    int argc;
    const char **argv;
} words;

static livetcp_result read_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    const words *w = user;
    lt_command_line line = command_line(table);
    line.user = w->raw;
    return lt_command_line_read(&line, w->argc, w->argv, NULL, error);
}

static livetcp_result print_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    const lt_command_line line = command_line(table);
    return lt_command_line_help(&line, user, error);
}

static livetcp_result clear_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    (void)user;
    (void)error;
    lt_options_clear(table);
    return LIVETCP_OK;
}

static void raw_init(raw_options *raw)
{
    *raw = (raw_options){.connections = 5,
                         .split = 1,
                         .flows = 1,
                         .size = 1448,
                         .interval_ms = INTERVAL_DEFAULT,
                         .opening = 1,
                         .warmup_s = 5,
                         .duration_s = 60,
                         .drain_s = 10,
                         .seed = 1};
}

static void raw_clear(raw_options *raw)
{
    for (unsigned i = 0; i < raw->scheme_count; i++)
        free(raw->scheme_specs[i]);
    with_table(raw, clear_table, NULL, NULL);
}

/* ---- what makes sense ---- */

static livetcp_result take_plan(const raw_options *raw, lt_bench_options *options,
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
    double interval = raw->interval_ms != INTERVAL_DEFAULT ? raw->interval_ms
                      : raw->greedy                        ? 0.1
                                                           : 20;
    if (!(interval >= 0.1 && interval <= 60000))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--interval: 0.1 to 60000 ms are possible");
    plan->greedy = raw->greedy;
    plan->interval = (livetcp_usec)llround(interval * 1000);
    plan->size = raw->size < 0 ? 0 : (size_t)raw->size;
    if ((result =
             lt_option_count("--flows ", raw->flows, 1, LT_BENCH_MAX_FLOWS, &plan->flows, error)) ||
        (result = lt_option_seconds("--warmup", raw->warmup_s, 86400, &plan->warmup, error)) ||
        (result =
             lt_option_seconds("--duration", raw->duration_s, 86400, &plan->duration, error)) ||
        (result = lt_option_seconds("--drain", raw->drain_s, 3600, &options->drain, error)) ||
        (result =
             lt_option_seconds("--talkspurt", raw->talkspurt_s, 86400, &plan->talkspurt, error)) ||
        (result = lt_option_seconds("--silence", raw->silence_s, 86400, &plan->silence, error)) ||
        (result = lt_option_count("--opening ", raw->opening, 1, 1000000, &plan->opening, error)))
        return result;
    options->seed = (uint64_t)raw->seed;
    return lt_plan_make(plan, options->seed, error);
}

static livetcp_result take_path(const raw_options *raw, lt_bench_options *options,
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

static livetcp_result take_sysctls(const raw_options *raw, lt_bench_options *options,
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

static livetcp_result take_schemes(const raw_options *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    static const char *const usual[] = {"plain", "shortest-queue"};
    lt_scheme_defaults defaults = {.congestion_control = raw->congestion_control,
                                   .nagle = raw->nagle,
                                   .max_packet = options->plan.size - LT_BENCH_FRAMING};
    livetcp_result result;
    if ((result = lt_option_count("--connections ", raw->connections, 1, LIVETCP_MAX_CONNECTIONS,
                                  &defaults.connections, error)) ||
        (result = lt_option_count("--split ", raw->split, 1, 16, &defaults.split, error)))
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

static livetcp_result take_load(const raw_options *raw, lt_bench_options *options,
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
        (result =
             lt_option_count("--web ", raw->web, 0, LT_BENCH_MAX_BACKGROUND, &load->web, error)))
        return result;
    if ((load->mice || load->cbr || load->poisson) && options->plan.direction != LT_MEDIA_FORWARD)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--mice, --cbr and --poisson go forward, so the media has to (--direction "
                       "forward)");
    return LIVETCP_OK;
}

static livetcp_result take_playout(const raw_options *raw, lt_bench_options *options,
                                   livetcp_error *error)
{
    if (raw->playout && options->plan.greedy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--playout makes no sense with --greedy: nobody plays what has no rate");
    return lt_playout_parse(&options->playout, raw->playout, raw->codec,
                            options->link[0].delay + options->link[1].delay, options->plan.interval,
                            error);
}

static livetcp_result take_file(const char *name, const char *value, char *out, size_t size,
                                livetcp_error *error)
{
    return lt_option_copy(name, value, out, size, "not a usable file name", error);
}

static livetcp_result take_rest(const raw_options *raw, lt_bench_options *options,
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
    raw_options raw;
    memset(options, 0, sizeof *options);
    raw_init(&raw);
    livetcp_result result =
        with_table(&raw, read_table, &(words){.raw = &raw, .argc = argc, .argv = argv}, error);
    options->help = raw.help;
    keep_command(options, argc, argv);
    if (result == LIVETCP_OK && !raw.help) {
        if ((result = take_plan(&raw, options, error)) == LIVETCP_OK &&
            (result = take_path(&raw, options, error)) == LIVETCP_OK &&
            (result = take_sysctls(&raw, options, error)) == LIVETCP_OK &&
            (result = take_schemes(&raw, options, error)) == LIVETCP_OK)
            result = take_rest(&raw, options, error);
    }
    raw_clear(&raw);
    return result;
}

void lt_bench_options_help(FILE *out)
{
    raw_options raw;
    raw_init(&raw);
    with_table(&raw, print_table, out, NULL);
    fputs("\nSends RTP, usually at a constant bit rate, through an emulated path (or loopback) and "
          "measures\n"
          "the delay of every packet, from just before it is sent to the receiving application's\n"
          "callback, on one clock. Packets that never arrive count as infinitely late.\n"
          "FROM-TO are seconds from the start of the run, warm-up included.\n"
          "\nPolicies: ",
          out);
    const livetcp_policy *policy;
    for (size_t i = 0; (policy = livetcp_policy_at(i)); i++)
        fprintf(out, "%s%s", i ? ", " : "", policy->name);
    fprintf(out,
            ".\nSettings of a policy are those of a LiveTCP URI: connections, split, ...; and\n"
            "redundancy=1 (to 3): packets repeat the one before at half its size (RFC 2198).\n"
            "\nPath SPEC:\n%s",
            lt_link_params_help());
    fputs("\nExamples:\n"
          "  livetcp bench\n"
          "  livetcp bench --policy single,shortest-queue:connections=5 "
          "--congestion-control reno \\\n"
          "      --path delay=50ms,loss=3%\n"
          "  livetcp bench --policy single,duplicate:connections=8 --size 174 --playout "
          "10,static\n"
          "  livetcp bench --policy single:redundancy=1 --size 174 --playout adaptive --poisson "
          "9mbit \\\n"
          "      --talkspurt 1.2 --silence 0.8 --path delay=10ms,rate=10mbit,queue=100p\n"
          "  livetcp bench --transport socket --size 174 --path none --duration 10\n"
          "  livetcp bench --policy single,shortest-queue --flows 5 --ftp 5 --web 25 \\\n"
          "      --path delay=50ms,rate=30mbit,queue=100p --json result.json\n"
          "  livetcp bench --policy single --greedy --peer --ftp 15@5-60 --mice 80@20-75 \\\n"
          "      --cbr 3mbit@40-75 --path delay=50ms,rate=30mbit,queue=50p --duration 75\n"
          "  livetcp bench --policy single --interval 2 --talkspurt 5 --silence 5 --opening 100\n"
          "  livetcp bench --policy single --sysctl net.ipv4.tcp_sack=0 \\\n"
          "      --sysctl net.ipv4.tcp_early_retrans=0\n",
          out);
}
