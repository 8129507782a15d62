/* SPDX-License-Identifier: MIT */
#include "lab/probe/option_table.h"

#include "base/error.h"
#include "lab/command_line.h"
#include "lab/probe/options.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_JSON = 1 };

typedef livetcp_result table_visitor(const struct poptOption *table, void *user,
                                     livetcp_error *error);

/* Runs `visit` with popt's table over `raw`: the table points into it, so it is built in place. */
static livetcp_result with_table(lt_probe_raw *raw, table_visitor *visit, void *user,
                                 livetcp_error *error)
{
    const struct poptOption ends[] = {
        LT_OPTION_TEXT("listen", &raw->listen,
                       "be the other end: receive what probers send, until stopped", "[HOST]:PORT"),
        LT_OPTION_TEXT("congestion-control", &raw->congestion_control,
                       "of the connection (the system's)", "NAME"),
        LT_OPTION_TEXT("simulate", &raw->simulation, "instead of a peer, simulated flow control",
                       "SPEC"),
        POPT_TABLEEND};
    const struct poptOption rates[] = {
        LT_OPTION_TEXT("rate-step", &raw->step,
                       "probe this rate, twice, three times, ... it (1mbit)", "RATE"),
        LT_OPTION_TEXT("max-rate", &raw->max_rate, "and no rate above this one (off)", "RATE"),
        LT_OPTION_INTEGER("size", &raw->size, "of a packet (1448)", "BYTES"),
        LT_OPTION_TEXT("delay-limit", &raw->delay_limit,
                       "a packet later than this: the rate is too high (5s; 0: no limit)", "TIME"),
        POPT_TABLEEND};
    const struct poptOption samples[] = {
        LT_OPTION_INTEGER("samples", &raw->samples,
                          "delays that are tested and judged at each rate (200)", "N"),
        LT_OPTION_TEXT("interval", &raw->interval, "mean time between them (50ms)", "TIME"),
        LT_OPTION_INTEGER(
            "extensions", &raw->extensions,
            "times that a train may go on for as long again when its samples are not steady "
            "or depend on each other (3)",
            "N"),
        LT_OPTION_INTEGER(
            "patience", &raw->patience,
            "the same, of a train that is still not steady after its extensions (as many)", "N"),
        LT_OPTION_TEXT("settle", &raw->settle, "sent first at each rate, and not sampled (2s)",
                       "TIME"),
        LT_OPTION_TEXT("resolution", &raw->resolution,
                       "delays that are as close together are all one (2ms; 0 in a simulation)",
                       "TIME"),
        {"quantile", 0, POPT_ARG_DOUBLE, &raw->quantile, 0,
         "of the delays; 1 takes the largest (0.95)", "SHARE"},
        {"seed", 0, POPT_ARG_LONGLONG, &raw->seed, 0, "of what is sampled and simulated (1)", "N"},
        POPT_TABLEEND};
    const struct poptOption output[] = {
        LT_OPTION_TEXT("envelope", &raw->envelope,
                       "bound the delay of this trace: lines of TIME_US BYTES", "FILE"),
        LT_OPTION_TEXT("video", &raw->video, "the same, and send it at the end to compare", "FILE"),
        LT_OPTION_INTEGER("plays", &raw->plays, "so many times, for the quantile of each frame (1)",
                          "N"),
        LT_OPTION_TEXT("delay-target", &raw->delay_target,
                       "one way, that the recommended bit rate keeps (150ms)", "TIME"),
        {"json", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPTION_JSON,
         "everything that was found; to standard output instead of the table without =FILE",
         "FILE"},
        {"quiet", 'q', POPT_ARG_NONE, &raw->quiet, 0, "no progress", NULL},
        {"help", 'h', POPT_ARG_NONE, &raw->help, 0, "this text", NULL},
        POPT_TABLEEND};
    const struct poptOption table[] = {
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)ends, 0, "Between which ends:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)rates, 0, "Which rates:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)samples, 0, "How exactly:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)output, 0, "What for:", NULL},
        POPT_TABLEEND};
    return visit(table, user, error);
}

typedef struct parse_call {
    lt_probe_raw *raw;
    int argc;
    const char **argv;
} parse_call;

static livetcp_result take_peer(lt_probe_raw *raw, poptContext context, livetcp_error *error)
{
    const char *peer = poptGetArg(context);

    if (peer && !(raw->peer = strdup(peer)))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
    if (poptPeekArg(context))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "'%.100s': there is one peer already, %.100s", poptPeekArg(context), peer);
    return LIVETCP_OK;
}

static livetcp_result parse_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    parse_call *call = user;
    livetcp_result result = LIVETCP_OK;
    int code;
    poptContext context = poptGetContext("livetcp probe", call->argc, call->argv, table, 0);

    if (!context)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
    while ((code = poptGetNextOpt(context)) >= 0)
        if (code == OPTION_JSON) {
            free(call->raw->json);
            call->raw->json = poptGetOptArg(context);
            if (!call->raw->json)
                call->raw->json = strdup("-");
        }
    result = lt_options_ended(context, code, error);
    if (result == LIVETCP_OK)
        result = take_peer(call->raw, context, error);
    poptFreeContext(context);
    return result;
}

livetcp_result lt_probe_raw_read(lt_probe_raw *raw, int argc, const char **argv,
                                 livetcp_error *error)
{
    parse_call call = {.raw = raw, .argc = argc, .argv = argv};
    return with_table(raw, parse_table, &call, error);
}

void lt_probe_raw_init(lt_probe_raw *raw)
{
    *raw = (lt_probe_raw){
        .size = 1448, .samples = 200, .extensions = 3, .plays = -1, .quantile = 0.95, .seed = 1};
}

void lt_probe_raw_clear(lt_probe_raw *raw)
{
    char *strings[] = {raw->peer,     raw->listen,     raw->step,        raw->max_rate,
                       raw->interval, raw->settle,     raw->delay_limit, raw->delay_target,
                       raw->video,    raw->simulation, raw->envelope,    raw->congestion_control,
                       raw->json,     raw->resolution};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
}

static livetcp_result print_table(const struct poptOption *table, void *user, livetcp_error *error)
{
    return lt_options_print(table, "livetcp probe", "--listen=[HOST]:PORT | HOST:PORT [OPTION...]",
                            user, error);
}

void lt_probe_options_help(FILE *out)
{
    lt_probe_raw raw;

    lt_probe_raw_init(&raw);
    with_table(&raw, print_table, out, NULL);
    fputs(
        "\nSends trains of packets at a constant bit rate over one TCP connection to another\n"
        "livetcp probe, and says what the path carries with which delay: the service curve of\n"
        "Luebben and Fidler, the rate that may be counted on over any length of time, where the\n"
        "delay arises, and the delay bound of recorded video. Takes minutes: about\n"
        "settle + samples x interval for each rate, and up to 1 + extensions (or patience) times\n"
        "that near the rate that the path carries. Ctrl-C ends it and keeps what is known by "
        "then.\n"
        "\nRATE: 500kbit, 1mbit, or 100pps (packets of --size). TIME: 50ms, 2s.\n"
        "Simulation SPEC: static,window=500kbit,rate=10mbit,delay=50ms\n"
        "                 adaptive,loss=0.1%,delay=5ms\n"
        "\nExamples:\n"
        "  livetcp probe --listen=:5500\n"
        "  livetcp probe example.org:5500 --max-rate=8mbit\n"
        "  livetcp probe example.org:5500 --rate-step=500kbit --video=film.trace --json=p.json\n"
        "  livetcp probe example.org:5500 --video=film.trace --plays=50\n"
        "  livetcp probe --simulate=adaptive,loss=0.1%,delay=5ms --rate-step=100pps \\\n"
        "      --interval=1s --settle=20s --samples=100 --extensions=60 --delay-limit=0\n",
        out);
}
