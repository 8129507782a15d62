/* SPDX-License-Identifier: MIT */
/* From options as typed to options that make sense. */
#include "lab/probe/options.h"

#include "base/error.h"
#include "lab/emulate/units.h"
#include "lab/model/service_curve/estimator.h"
#include "lab/probe/option_table.h"
#include "lab/probe/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAD LIVETCP_ERR_INVALID_ARGUMENT

static livetcp_result take_text(const char *name, const char *value, char *out, size_t size,
                                livetcp_error *error)
{
    if (value && (!*value || strlen(value) >= size))
        return lt_fail(error, BAD, "%s: 1 to %zu characters are possible", name, size - 1);
    snprintf(out, size, "%s", value ? value : "");
    return LIVETCP_OK;
}

static livetcp_result take_time(const char *name, const char *value, const char *usual,
                                livetcp_usec least, livetcp_usec *out, livetcp_error *error)
{
    if (!lt_parse_duration(value ? value : usual, out) || *out < least)
        return lt_fail(error, BAD, "%s=%.40s: it is a time such as %s, at most 1 hour", name, value,
                       usual);
    return LIVETCP_OK;
}

/* "100pps" is packets/s; otherwise bit/s. */
static bool parse_rate(const char *text, size_t size, double *out)
{
    char *end;
    double packets = strtod(text, &end);
    uint64_t bits;

    if (!strcmp(end, "pps") && packets > 0 && packets < 1e9)
        *out = packets * 8 * (double)size;
    else if (lt_parse_rate(text, &bits) && bits)
        *out = (double)bits;
    else
        return false;
    return true;
}

static livetcp_result take_rate(const char *name, const char *value, size_t size, double usual,
                                double *out, livetcp_error *error)
{
    bool none = value && isinf(usual) && !strcmp(value, "off");

    *out = usual;
    if (value && !none && !parse_rate(value, size, out))
        return lt_fail(error, BAD, "%s=%.40s: it is a rate such as 500kbit, 2mbit or 100pps", name,
                       value);
    return LIVETCP_OK;
}

static livetcp_result take_count(const char *name, int value, int least, int most, unsigned *out,
                                 livetcp_error *error)
{
    if (value < least || value > most)
        return lt_fail(error, BAD, "%s=%d: %d to %d are possible", name, value, least, most);
    *out = (unsigned)value;
    return LIVETCP_OK;
}

/* HOST:PORT, [HOST]:PORT for one with colons, or :PORT to listen. */
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

static livetcp_result take_mode(const lt_probe_raw *raw, lt_probe_options *o, livetcp_error *error)
{
    int modes = !!raw->listen + !!raw->peer + !!raw->simulation;

    if (modes != 1)
        return lt_fail(error, BAD,
                       modes ? "--listen, --simulate and a peer exclude each other: give one"
                             : "which peer? HOST:PORT, where livetcp probe --listen=:PORT runs");
    if (raw->simulation) {
        o->mode = LT_PROBE_SIMULATION;
        return take_text("--simulate", raw->simulation, o->simulation, sizeof o->simulation, error);
    }
    o->mode = raw->listen ? LT_PROBE_LISTEN : LT_PROBE_PATH;
    return take_endpoint(raw->listen ? raw->listen : raw->peer, raw->listen, o, error);
}

static livetcp_result take_trace(const lt_probe_raw *raw, lt_probe_options *o, livetcp_error *error)
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
        (result = take_count("--plays", raw->plays, 1, LT_PROBE_MOST_PLAYS, &plays, error)))
        return result;
    o->plays = raw->video ? plays : 0;
    return take_text(raw->video ? "--video" : "--envelope", raw->video ? raw->video : raw->envelope,
                     o->trace, sizeof o->trace, error);
}

/* The estimator knows what it can do; ask it before a peer is bothered. */
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

static livetcp_result take(const lt_probe_raw *raw, lt_probe_options *o, livetcp_error *error)
{
    unsigned size = 0;
    lt_flow_config flow;
    livetcp_result result;

    o->violation = 1 - raw->quantile;
    o->seed = (uint64_t)raw->seed;
    o->quiet = raw->quiet;
    if (!(raw->quantile > 0 && raw->quantile <= 1))
        return lt_fail(error, BAD, "--quantile=%g: it is above 0 and at most 1", raw->quantile);
    if ((result = take_mode(raw, o, error)) || (result = take_trace(raw, o, error)) ||
        (result = take_count("--size", raw->size, 64, LT_PROBE_MOST_SIZE, &size, error)) ||
        (result = take_count("--samples", raw->samples, LT_ESTIMATOR_LEAST_SAMPLES,
                             LT_ESTIMATOR_MOST_SAMPLES, &o->samples, error)) ||
        (result = take_count("--extensions", raw->extensions, 0, LT_ESTIMATOR_MOST_EXTENSIONS,
                             &o->extensions, error)) ||
        (result = take_count("--patience", raw->patience, 0, LT_ESTIMATOR_MOST_EXTENSIONS,
                             &o->patience, error)) ||
        (result = take_rate("--rate-step", raw->step, size, 1e6, &o->step, error)) ||
        (result = take_rate("--max-rate", raw->max_rate, size, INFINITY, &o->max_rate, error)) ||
        (result = take_time("--interval", raw->interval, "50ms", 100, &o->interval, error)) ||
        (result = take_time("--settle", raw->settle, "2s", 0, &o->settle, error)) ||
        (result =
             take_time("--resolution", raw->resolution,
                       o->mode == LT_PROBE_SIMULATION ? "0" : "2ms", 0, &o->resolution, error)) ||
        (result = take_time("--delay-limit", raw->delay_limit, "5s", 0, &o->delay_limit, error)) ||
        (result =
             take_time("--delay-target", raw->delay_target, "150ms", 1, &o->delay_target, error)) ||
        (result = take_text("--congestion-control", raw->congestion_control, o->congestion_control,
                            sizeof o->congestion_control, error)) ||
        (result = take_text("--json", raw->json, o->json, sizeof o->json, error)))
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
    lt_probe_raw raw;

    *options = (lt_probe_options){.mode = LT_PROBE_HELP};
    lt_probe_raw_init(&raw);
    livetcp_result result = lt_probe_raw_read(&raw, argc, argv, error);
    if (result == LIVETCP_OK && !raw.help)
        result = take(&raw, options, error);
    lt_probe_raw_clear(&raw);
    return result;
}
