/* SPDX-License-Identifier: MIT */
/* The table of bench's options and its help. */
#include "lab/bench/command_line.h"

#include "base/error.h"
#include "lab/emulate/params.h"
#include "lab/options.h"

#include <livetcp/policy.h>

#include <stdlib.h>
#include <string.h>

enum { OPTION_SCHEME = 1, OPTION_ADAPTIVE };

static livetcp_result take_option(void *user, int code, const char *value, livetcp_error *error);

static livetcp_result build_line(void *values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    lt_bench_line *raw = values;
    const struct poptOption media[] = {
        LT_OPTION_TAKEN("policy", 'p', OPTION_SCHEME,
                        "LiveTCP with these policies, NAME[:SETTING=VALUE]..., comma-separated "
                        "(auto, beside plain, if there is no -t either)",
                        "LIST"),
        LT_OPTION_TAKEN("transport", 't', OPTION_SCHEME,
                        "baselines: plain (RFC 4571 on one connection), socket (no LiveTCP)",
                        "LIST"),
        LT_OPTION_TEXTS("program", &raw->programs,
                        "another transport: a program that carries the packets of a flow, as "
                        "src/lab/bench/transport_program.c describes; may be repeated",
                        "NAME=COMMAND"),
        LT_OPTION_INTEGER("connections", &raw->connections, "connections of a policy (8)", "N"),
        LT_OPTION_INTEGER("split", &raw->split, "writes per frame (1)", "N"),
        LT_OPTION_TEXT("congestion-control", &raw->congestion_control,
                       "of the media's sockets (the system's)", "NAME"),
        LT_OPTION_FLAG("nagle", &raw->nagle, "leave Nagle's algorithm on in transport socket"),
        LT_OPTION_INTEGER("flows", &raw->flows, "CBR flows of each scheme (1)", "N"),
        LT_OPTION_INTEGER("size", &raw->size, "packet, with 12 bytes RTP and 2 framing (1448)",
                          "BYTES"),
        LT_OPTION_TEXT("interval", &raw->interval,
                       "between packets of a flow (20ms; greedy: at least 100us)", "TIME"),
        LT_OPTION_FLAG("greedy", &raw->greedy, "send as fast as packets are taken, one ahead"),
        LT_OPTION_ENTRY("adaptive", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL,
                        OPTION_ADAPTIVE,
                        "send video that follows the session's estimated bit rate, from this one "
                        "(1500kbit); plain and socket keep it",
                        "RATE"),
        LT_OPTION_REAL("fps", &raw->fps, "adaptive: frames a second (25)", "N"),
        LT_OPTION_TEXT("key-interval", &raw->key_interval,
                       "adaptive: between key frames (2s); 0: none", "TIME"),
        LT_OPTION_TEXT("max-rate", &raw->max_rate, "adaptive: of the encoder (20mbit)", "RATE"),
        LT_OPTION_REAL("overshoot", &raw->overshoot,
                       "adaptive: the encoder sends so many times what it is told (1)", "N"),
        LT_OPTION_TEXT("trace", &raw->trace,
                       "adaptive: sizes of its frames: x264 (of a film), screen (x264 of a screen "
                       "share), ideal (all the same), or those of a recording by script/trace "
                       "(x264)",
                       "FILE"),
        LT_OPTION_TEXT("flow-times", &raw->flow_times,
                       "adaptive: when each flow joins, with a session of its own, and leaves; "
                       "those without run from start to end",
                       "FROM-[TO],..."),
        LT_OPTION_FLAG("speech", &raw->speech,
                       "and speech in the same sessions, 64 kbit/s in packets of 20 ms, reported "
                       "by itself"),
        LT_OPTION_TEXT("talkspurt", &raw->talkspurt, "length of talkspurts, with --silence",
                       "TIME"),
        LT_OPTION_TEXT("silence", &raw->silence, "between talkspurts (0)", "TIME"),
        LT_OPTION_INTEGER("opening", &raw->opening,
                          "packets of each talkspurt after a silence to report by themselves (1)",
                          "N"),
        LT_OPTION_TEXT("direction", &raw->direction, "forward, backward or both (forward)", "WAY"),
        POPT_TABLEEND};
    const struct poptOption path[] = {
        LT_OPTION_TEXT("path", &raw->path,
                       "emulated path, or none for loopback (delay=50ms,loss=1%); several links "
                       "between the hosts with ; between",
                       "SPEC[;SPEC]"),
        LT_OPTION_TEXT("path-back", &raw->path_back,
                       "its way back (delay as forward, nothing else)", "SPEC[;SPEC]"),
        LT_OPTION_TEXT("schedule", &raw->schedule,
                       "changes of the path: lines TIME forward|backward|both PARAMETERS, from the "
                       "start of the run",
                       "FILE"),
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
        LT_OPTION_TEXT("warmup", &raw->warmup, "sent first and not counted (5s)", "TIME"),
        LT_OPTION_TEXT("duration", &raw->duration, "measured (60s)", "TIME"),
        LT_OPTION_TEXT("drain", &raw->drain, "to wait for late packets at the end (10s)", "TIME"),
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
            "share of late packets and MOS with these playout delays: times over the path's delay; "
            "static: RTT + 3 intervals; adaptive: what livetcp_playout chooses",
            "LIST"),
        LT_OPTION_TEXT("codec", &raw->codec, "of that MOS: g711, g711-plc, g729a, opus (g711-plc)",
                       "NAME"),
        LT_OPTION_TEXT("csv", &raw->csv, "a line for each result, - is standard output", "FILE"),
        LT_OPTION_JSON("everything but single packets; to standard output without =FILE"),
        LT_OPTION_TEXT("raw", &raw->raw, "a line of CSV for each packet", "FILE"),
        LT_OPTION_ENTRY("quiet", 'q', POPT_ARG_NONE, &raw->quiet, 0, "no progress", NULL),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &raw->help, 0, "this text", NULL),
        POPT_TABLEEND};
    const struct poptOption table[] = {
        LT_OPTION_SECTION(media, "What is sent, and how:"),
        LT_OPTION_SECTION(path, "What it meets:"), LT_OPTION_SECTION(run, "The run:"),
        LT_OPTION_SECTION(output, "Output, beside the table:"), POPT_TABLEEND};
    const lt_command_line line = {.command = "livetcp bench",
                                  .usage = "[OPTION...]",
                                  .table = table,
                                  .json = &raw->json,
                                  .take = take_option,
                                  .user = raw};
    return use(&line, user, error);
}

/* Splits a comma-separated list onto raw->scheme_specs. */
static livetcp_result add_schemes(lt_bench_line *raw, const char *list, livetcp_error *error)
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

static livetcp_result take_option(void *user, int code, const char *value, livetcp_error *error)
{
    lt_bench_line *raw = user;
    if (code == OPTION_SCHEME)
        return add_schemes(raw, value, error);
    free(raw->adaptive);
    raw->adaptive = strdup(value ? value : "1500kbit");
    return raw->adaptive ? LIVETCP_OK
                         : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
}

static void line_init(lt_bench_line *raw)
{
    *raw = (lt_bench_line){
        .connections = 8, .split = 1, .flows = 1, .size = 1448, .opening = 1, .seed = 1};
}

void lt_bench_line_clear(lt_bench_line *raw)
{
    for (unsigned i = 0; i < raw->scheme_count; i++)
        free(raw->scheme_specs[i]);
    free(raw->adaptive);
    lt_built_line_clear(build_line, raw);
}

livetcp_result lt_bench_line_read(lt_bench_line *line, int argc, const char **argv,
                                  livetcp_error *error)
{
    line_init(line);
    return lt_built_line_read(build_line, line, argc, argv, NULL, error);
}

void lt_bench_line_help(FILE *out)
{
    lt_bench_line raw;
    line_init(&raw);
    lt_built_line_help(build_line, &raw, out, NULL);
    fputs("\nSends RTP, usually at a constant bit rate, through an emulated path (or loopback) and "
          "measures\n"
          "the delay of every packet, from just before it is sent to the receiving application's\n"
          "callback, on one clock. Packets that never arrive count as infinitely late.\n"
          "FROM-TO are times from the start of the run, warm-up included. TIME: 20ms, 5s.\n"
          "\nPolicies: ",
          out);
    const livetcp_policy *policy;
    for (size_t i = 0; (policy = livetcp_policy_at(i)); i++)
        fprintf(out, "%s%s", i ? ", " : "", policy->name);
    fprintf(out,
            ".\nSettings of a policy are those of a LiveTCP URI: connections, split, ...; and\n"
            "link=N (1: the first) or link=all: which of several links it uses (1);\n"
            "redundancy=1 (to 3): packets repeat the one before at half its size (RFC 2198).\n"
            "\nPath SPEC:\n%s",
            lt_link_params_help());
    fputs(
        "\nExamples:\n"
        "  livetcp bench\n"
        "  livetcp bench --policy single,shortest-queue:connections=5 "
        "--congestion-control reno \\\n"
        "      --path delay=50ms,loss=3%\n"
        "  livetcp bench --policy single,duplicate:connections=8 --size 174 --playout "
        "10ms,static\n"
        "  livetcp bench --policy single:redundancy=1 --size 174 --playout adaptive --poisson "
        "9mbit \\\n"
        "      --talkspurt 1.2s --silence 0.8s --path delay=10ms,rate=10mbit,queue=100p\n"
        "  livetcp bench --transport socket --size 174 --path none --duration 10s\n"
        "  livetcp bench --policy single,shortest-queue --flows 5 --ftp 5 --web 25 \\\n"
        "      --path delay=50ms,rate=30mbit,queue=100p --json result.json\n"
        "  livetcp bench --policy single --greedy --peer --ftp 15@5s-60s --mice 80@20s-75s \\\n"
        "      --cbr 3mbit@40s-75s --path delay=50ms,rate=30mbit,queue=50p --duration 75s\n"
        "  livetcp bench --policy single --interval 2ms --talkspurt 5s --silence 5s --opening 100\n"
        "  livetcp bench --policy auto,single --transport plain --adaptive=1500kbit --duration 30s "
        "\\\n"
        "      --path delay=30ms,rate=1mbit,queue=40kB --path-back delay=30ms\n"
        "  livetcp bench --policy auto,single --path delay=30ms,delay=45ms@8s,loss=1%\n"
        "  livetcp bench --policy auto:link=all,auto:link=2 --path "
        "'delay=15ms,loss=1%;delay=45ms,loss=1%'\n"
        "  livetcp bench --policy single --sysctl net.ipv4.tcp_sack=0 \\\n"
        "      --sysctl net.ipv4.tcp_early_retrans=0\n",
        out);
}
