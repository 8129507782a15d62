/* SPDX-License-Identifier: MIT */
#include "lab/bench/option_table.h"

#include "base/error.h"
#include "lab/bench/options.h"
#include "lab/command_line.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SCHEME = 1 };

/* Runs `visit` with popt's table over `raw`: the table points into it, so it is built in place. */
static livetcp_result with_table(lt_raw_options *raw,
                                 livetcp_result (*visit)(const struct poptOption *table, void *user,
                                                         livetcp_error *error),
                                 void *user, livetcp_error *error)
{
    const struct poptOption media[] = {
        {"policy", 'p', POPT_ARG_STRING, NULL, OPTION_SCHEME,
         "LiveTCP with these policies, NAME[:SETTING=VALUE]..., comma-separated (shortest-queue, "
         "beside plain, if there is no -t either)",
         "LIST"},
        {"transport", 't', POPT_ARG_STRING, NULL, OPTION_SCHEME,
         "baselines: plain (RFC 4571 on one connection), socket (no LiveTCP)", "LIST"},
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
        {"sysctl", 0, POPT_ARG_ARGV, &raw->sysctls, 0,
         "setting of both ends of the path, such as net.ipv4.tcp_ecn=1; may be repeated",
         "KEY=VALUE"},
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
        {"seed", 0, POPT_ARG_LONGLONG, &raw->seed, 0, "of phases, loss and web traffic (1)", "N"},
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
        {"quiet", 'q', POPT_ARG_NONE, &raw->quiet, 0, "no progress", NULL},
        {"help", 'h', POPT_ARG_NONE, &raw->help, 0, "this text", NULL},
        POPT_TABLEEND};
    const struct poptOption table[] = {
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)media, 0, "What is sent, and how:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)path, 0, "What it meets:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)run, 0, "The run:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)output, 0, "Output, beside the table:", NULL},
        POPT_TABLEEND};
    return visit(table, user, error);
}

/* Splits a comma-separated list onto raw->scheme_specs. */
static livetcp_result add_schemes(lt_raw_options *raw, const char *list, livetcp_error *error)
{
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

typedef struct parse_call {
    lt_raw_options *raw;
    int argc;
    const char **argv;
} parse_call;

static livetcp_result parse_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    parse_call *call = user;
    livetcp_result result = LIVETCP_OK;
    int code;
    poptContext context = poptGetContext("livetcp bench", call->argc, call->argv, table, 0);
    if (!context)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
    while (result == LIVETCP_OK && (code = poptGetNextOpt(context)) >= 0) {
        char *list = poptGetOptArg(context);
        if (code == OPTION_SCHEME && list)
            result = add_schemes(call->raw, list, error);
        free(list);
    }
    if (result == LIVETCP_OK)
        result = lt_options_ended_all(context, code, error);
    poptFreeContext(context);
    return result;
}

livetcp_result lt_raw_options_read(lt_raw_options *raw, int argc, const char **argv,
                                   livetcp_error *error)
{
    parse_call call = {.raw = raw, .argc = argc, .argv = argv};
    return with_table(raw, parse_table, &call, error);
}

void lt_raw_options_init(lt_raw_options *raw)
{
    *raw = (lt_raw_options){.connections = 5,
                            .split = 1,
                            .flows = 1,
                            .size = 1448,
                            .interval_ms = LT_INTERVAL_USUAL,
                            .opening = 1,
                            .warmup_s = 5,
                            .duration_s = 60,
                            .drain_s = 10,
                            .seed = 1};
}

void lt_raw_options_clear(lt_raw_options *raw)
{
    char *strings[] = {raw->direction,     raw->path, raw->path_back, raw->congestion_control,
                       raw->background_cc, raw->csv,  raw->json,      raw->raw,
                       raw->ftp,           raw->mice, raw->cbr,       raw->poisson,
                       raw->playout,       raw->codec};
    for (unsigned i = 0; i < raw->scheme_count; i++)
        free(raw->scheme_specs[i]);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    for (size_t i = 0; raw->sysctls && raw->sysctls[i]; i++)
        free(raw->sysctls[i]);
    free(raw->sysctls);
}

static livetcp_result print_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    return lt_options_print(table, "livetcp bench", "[OPTION...]", user, error);
}

void lt_bench_options_help(FILE *out)
{
    lt_raw_options raw;
    lt_raw_options_init(&raw);
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
