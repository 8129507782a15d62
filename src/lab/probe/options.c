/* SPDX-License-Identifier: MIT */
/* Parses and validates the command line of probe. */
#include "lab/probe/options.h"

#include "base/error.h"
#include "lab/model/service_curve/estimator.h"
#include "lab/options.h"
#include "lab/probe/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAD LIVETCP_ERR_INVALID_ARGUMENT

/* Strings are allocated; NULL = not given. */
typedef struct raw_options {
    char *listen;
    char *step, *max_rate, *interval, *settle, *resolution, *delay_limit, *delay_target;
    int size, samples, extensions, patience, plays; /* plays: negative = not given */
    double quantile;
    long long seed;
    char *congestion_control, *simulation, *envelope, *video, *json;
    int quiet, help;
} raw_options;

/* ---- the table ---- */

static livetcp_result build_line(void *values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    raw_options *raw = values;
    const struct poptOption ends[] = {
        LT_OPTION_TEXT("listen", &raw->listen, "be the far end: receive from probes until stopped",
                       "[HOST]:PORT"),
        LT_OPTION_TEXT("congestion-control", &raw->congestion_control,
                       "algorithm of the connection (the system's)", "NAME"),
        LT_OPTION_TEXT("simulate", &raw->simulation, "simulated flow control instead of a peer",
                       "SPEC"),
        POPT_TABLEEND};
    const struct poptOption rates[] = {
        LT_OPTION_TEXT("rate-step", &raw->step,
                       "first rate, and step to each following rate (1mbit)", "RATE"),
        LT_OPTION_TEXT("max-rate", &raw->max_rate, "highest rate (off)", "RATE"),
        LT_OPTION_INTEGER("size", &raw->size, "packet size (1448)", "BYTES"),
        LT_OPTION_TEXT("delay-limit", &raw->delay_limit,
                       "a rate with a packet later than this is too high (5s; 0: no limit)",
                       "TIME"),
        POPT_TABLEEND};
    const struct poptOption samples[] = {
        LT_OPTION_INTEGER("samples", &raw->samples, "delays tested and kept at each rate (200)",
                          "N"),
        LT_OPTION_TEXT("interval", &raw->interval, "mean time between samples (50ms)", "TIME"),
        LT_OPTION_INTEGER(
            "extensions", &raw->extensions,
            "maximum extensions of a train by its own length, while its samples are not steady "
            "or depend on each other (3)",
            "N"),
        LT_OPTION_INTEGER("patience", &raw->patience,
                          "maximum extensions of a train that is not steady (as --extensions)",
                          "N"),
        LT_OPTION_TEXT("settle", &raw->settle, "time at each rate before sampling (2s)", "TIME"),
        LT_OPTION_TEXT("resolution", &raw->resolution,
                       "treat delays within this range as equal (2ms; 0 in a simulation)", "TIME"),
        LT_OPTION_REAL("quantile", &raw->quantile,
                       "quantile of the delays; 1 is the largest (0.95)", "SHARE"),
        LT_OPTION_LARGE_INTEGER("seed", &raw->seed, "seed of sampling and simulation (1)", "N"),
        POPT_TABLEEND};
    const struct poptOption output[] = {
        LT_OPTION_TEXT("envelope", &raw->envelope,
                       "compute the delay bound of this trace: lines of TIME_US BYTES", "FILE"),
        LT_OPTION_TEXT("video", &raw->video,
                       "as --envelope, and send the trace at the end to compare", "FILE"),
        LT_OPTION_INTEGER("plays", &raw->plays,
                          "how often to send it, for the quantile of each frame (1)", "N"),
        LT_OPTION_TEXT("delay-target", &raw->delay_target,
                       "one-way delay that the recommended bit rate keeps (150ms)", "TIME"),
        LT_OPTION_JSON("write all results; to standard output instead of the table without =FILE"),
        LT_OPTION_ENTRY("quiet", 'q', POPT_ARG_NONE, &raw->quiet, 0, "show no progress", NULL),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &raw->help, 0, "show this help", NULL),
        POPT_TABLEEND};
    const struct poptOption table[] = {LT_OPTION_SECTION(ends, "Ends:"),
                                       LT_OPTION_SECTION(rates, "Rates:"),
                                       LT_OPTION_SECTION(samples, "Sampling:"),
                                       LT_OPTION_SECTION(output, "Results:"), POPT_TABLEEND};
    const lt_command_line line = {.command = "livetcp probe",
                                  .usage = "--listen=[HOST]:PORT | HOST:PORT [OPTION...]",
                                  .table = table,
                                  .json = &raw->json,
                                  .json_alone = true};
    return use(&line, user, error);
}

static void raw_init(raw_options *raw)
{
    *raw = (raw_options){
        .size = 1448, .samples = 200, .extensions = 3, .plays = -1, .quantile = 0.95, .seed = 1};
}

/* ---- validation ---- */

static livetcp_result take_time(const char *name, const char *value, const char *default_value,
                                livetcp_usec min, livetcp_usec *out, livetcp_error *error)
{
    char expected[80];

    snprintf(expected, sizeof expected, "it is a time such as %s, at most 1 hour", default_value);
    return lt_option_duration(name, value ? value : default_value, min, out, expected, error);
}

static livetcp_result take_max_rate(const char *value, size_t size, double *out,
                                    livetcp_error *error)
{
    return value && !strcmp(value, "off") ? LIVETCP_OK
                                          : lt_option_rate("--max-rate=", value, size, out, error);
}

/* HOST:PORT, [HOST]:PORT for IPv6 addresses, or :PORT to listen. */
static livetcp_result take_endpoint(const char *text, bool listen, lt_probe_options *o,
                                    livetcp_error *error)
{
    const char *colon = strrchr(text, ':'), *host = text;
    size_t length = colon ? (size_t)(colon - text) : 0;
    char *end;

    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    }
    long port = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || *end || end == colon + 1 || port < !listen || port > 65535 ||
        length >= sizeof o->host || (!length && !listen))
        return lt_fail(error, BAD,
                       listen ? "--listen=%.100s: it is HOST:PORT, or :PORT for every address"
                              : "'%.100s': a peer is HOST:PORT, and runs livetcp probe "
                                "--listen=:PORT",
                       text);
    memcpy(o->host, host, length);
    o->host[length] = '\0';
    snprintf(o->port, sizeof o->port, "%ld", port);
    return LIVETCP_OK;
}

static livetcp_result take_mode(const raw_options *raw, const char *peer, lt_probe_options *o,
                                livetcp_error *error)
{
    int modes = !!raw->listen + !!peer + !!raw->simulation;

    if (modes != 1)
        return lt_fail(error, BAD,
                       modes ? "--listen, --simulate and a peer exclude each other: give one"
                             : "which peer? HOST:PORT, where livetcp probe --listen=:PORT runs");
    if (raw->simulation) {
        o->mode = LT_PROBE_SIMULATION;
        return lt_option_copy("--simulate", raw->simulation, o->simulation, sizeof o->simulation,
                              NULL, error);
    }
    o->mode = raw->listen ? LT_PROBE_LISTEN : LT_PROBE_PATH;
    return take_endpoint(raw->listen ? raw->listen : peer, raw->listen, o, error);
}

static livetcp_result take_trace(const raw_options *raw, lt_probe_options *o, livetcp_error *error)
{
    unsigned plays = 1;
    livetcp_result result;

    if (raw->envelope && raw->video)
        return lt_fail(error, BAD, "--video does what --envelope does: give one of them");
    if (raw->video && o->mode == LT_PROBE_SIMULATION)
        return lt_fail(error, BAD,
                       "--video sends the trace, which a simulation cannot: take "
                       "--envelope");
    if (raw->plays >= 0 && !raw->video)
        return lt_fail(error, BAD, "--plays=%d: there is no --video to be sent", raw->plays);
    if (raw->plays >= 0 &&
        (result = lt_option_count("--plays=", raw->plays, 1, LT_PROBE_MAX_PLAYS, &plays, error)))
        return result;
    o->plays = raw->video ? plays : 0;
    return lt_option_copy(raw->video ? "--video" : "--envelope",
                          raw->video ? raw->video : raw->envelope, o->trace, sizeof o->trace, NULL,
                          error);
}

/* The estimator validates its settings before a connection is made. */
static livetcp_result check_search(const lt_probe_options *o, livetcp_error *error)
{
    lt_estimator *estimator;
    livetcp_result result = lt_estimator_create(&(lt_estimator_config){.step = o->step,
                                                                       .max_rate = o->max_rate,
                                                                       .samples = o->samples,
                                                                       .extensions = o->extensions,
                                                                       .patience = o->patience,
                                                                       .violation = o->violation},
                                                &estimator, error);

    if (result == LIVETCP_OK)
        lt_estimator_destroy(&estimator);
    return result;
}

static livetcp_result take(const raw_options *raw, const char *peer, lt_probe_options *o,
                           livetcp_error *error)
{
    unsigned size = 0;
    lt_flow_config flow;
    livetcp_result result;

    o->step = 1e6;
    o->max_rate = INFINITY;
    o->violation = 1 - raw->quantile;
    o->seed = (uint64_t)raw->seed;
    o->quiet = raw->quiet;
    if (!(raw->quantile > 0 && raw->quantile <= 1))
        return lt_fail(error, BAD, "--quantile=%g: it is above 0 and at most 1", raw->quantile);
    if ((result = take_mode(raw, peer, o, error)) || (result = take_trace(raw, o, error)) ||
        (result = lt_option_count("--size=", raw->size, 64, LT_PROBE_MAX_SIZE, &size, error)) ||
        (result = lt_option_count("--samples=", raw->samples, LT_ESTIMATOR_MIN_SAMPLES,
                                  LT_ESTIMATOR_MAX_SAMPLES, &o->samples, error)) ||
        (result = lt_option_count("--extensions=", raw->extensions, 0, LT_ESTIMATOR_MAX_EXTENSIONS,
                                  &o->extensions, error)) ||
        (result = lt_option_count("--patience=", raw->patience, 0, LT_ESTIMATOR_MAX_EXTENSIONS,
                                  &o->patience, error)) ||
        (result = lt_option_rate("--rate-step=", raw->step, size, &o->step, error)) ||
        (result = take_max_rate(raw->max_rate, size, &o->max_rate, error)) ||
        (result = take_time("--interval=", raw->interval, "50ms", 100, &o->interval, error)) ||
        (result = take_time("--settle=", raw->settle, "2s", 0, &o->settle, error)) ||
        (result =
             take_time("--resolution=", raw->resolution,
                       o->mode == LT_PROBE_SIMULATION ? "0" : "2ms", 0, &o->resolution, error)) ||
        (result = take_time("--delay-limit=", raw->delay_limit, "5s", 0, &o->delay_limit, error)) ||
        (result = take_time("--delay-target=", raw->delay_target, "150ms", 1, &o->delay_target,
                            error)) ||
        (result =
             lt_option_copy("--congestion-control", raw->congestion_control, o->congestion_control,
                            sizeof o->congestion_control, NULL, error)) ||
        (result = lt_option_copy("--json", raw->json, o->json, sizeof o->json, NULL, error)))
        return result;
    o->size = size;
    if (o->mode == LT_PROBE_SIMULATION &&
        (result = lt_simulation_parse(o->simulation, size, &flow, error)))
        return result;
    return check_search(o, error);
}

livetcp_result lt_probe_options_parse(lt_probe_options *options, int argc, const char **argv,
                                      livetcp_error *error)
{
    raw_options raw;
    const char **peers = NULL;

    *options = (lt_probe_options){.mode = LT_PROBE_HELP};
    raw_init(&raw);
    livetcp_result result = lt_built_line_read(build_line, &raw, argc, argv, &peers, error);
    if (result == LIVETCP_OK && peers && peers[1])
        result =
            lt_fail(error, BAD, "'%.100s': there is one peer already, %.100s", peers[1], peers[0]);
    if (result == LIVETCP_OK && !raw.help)
        result = take(&raw, peers ? peers[0] : NULL, options, error);
    free(peers);
    lt_built_line_clear(build_line, &raw);
    return result;
}

void lt_probe_options_help(FILE *out)
{
    raw_options raw;

    raw_init(&raw);
    lt_built_line_help(build_line, &raw, out, NULL);
    fputs("\nSends trains of packets at constant bit rates over one TCP connection to another\n"
          "livetcp probe. Reports the delay at each rate and its components, the service curve of\n"
          "Luebben and Fidler, the rate available over any length of time, and the delay bound of\n"
          "recorded video. Takes minutes: about settle + samples x interval for each rate, and up\n"
          "to 1 + extensions (or patience) times that near the rate of the path. Ctrl-C ends it\n"
          "and reports the results so far.\n"
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
