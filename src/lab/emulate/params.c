/* SPDX-License-Identifier: MIT */
/* The text form of link parameters: a table of keys and their parsers. */
#include "lab/emulate/params.h"

#include "base/error.h"
#include "lab/emulate/trace.h"
#include "lab/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SPEC = LT_PARAMS_TEXT, MAX_PARTS = LT_MAX_ROUTES };

static const livetcp_usec default_target = 5 * LIVETCP_USEC_MSEC,
                          default_interval = 100 * LIVETCP_USEC_MSEC,
                          default_l4s = LIVETCP_USEC_MSEC;

void lt_link_params_init(lt_link_params *params)
{
    *params = (lt_link_params){.queue = {.unit = LT_LIMIT_PACKETS, .value = 1000},
                               .aqm_target = default_target,
                               .aqm_interval = default_interval,
                               .aqm_flows = LT_FLOWS_DEFAULT};
}

bool lt_link_has_queue(const lt_link_params *params)
{
    return params->rate || *params->trace;
}

/* The text up to the next `separator`; NULL after the last. Windows has no strsep(). */
static char *next_item(char **rest, char separator)
{
    char *item = *rest, *end = item ? strchr(item, separator) : NULL;

    if (end)
        *end++ = '\0';
    *rest = end;
    return item;
}

/* Splits a copy of a value; returns the number of parts, 0 if there are more than `max`. */
static unsigned split(const char *value, char separator, char copy[MAX_SPEC], char **parts,
                      unsigned max)
{
    unsigned count = 0;
    snprintf(copy, MAX_SPEC, "%s", value);
    for (char *rest = copy, *item; (item = next_item(&rest, separator)); count++) {
        if (count == max)
            return 0;
        parts[count] = item;
    }
    return count;
}

static bool set_delay(lt_link_params *params, const char *value)
{
    return lt_parse_duration(value, &params->delay);
}

static bool set_jitter(lt_link_params *params, const char *value)
{
    return lt_parse_duration(value, &params->jitter);
}

static bool set_reorder(lt_link_params *params, const char *value)
{
    if (strcmp(value, "yes") && strcmp(value, "no"))
        return false;
    params->reorder = !strcmp(value, "yes");
    return true;
}

static bool set_loss(lt_link_params *params, const char *value)
{
    return lt_parse_share(value, &params->loss);
}

static bool set_burst(lt_link_params *params, const char *value)
{
    double burst = 0;
    if (strcmp(value, "off") && !lt_parse_number(value, &burst))
        return false;
    if (burst != 0 && burst < 1)
        return false;
    params->burst = burst;
    return true;
}

/* p:r or p:r:loss-bad:loss-good */
static bool set_gilbert(lt_link_params *params, const char *value)
{
    if (!strcmp(value, "off")) {
        params->gilbert = (lt_gilbert){0};
        return true;
    }
    char copy[MAX_SPEC], *parts[4];
    double part[4] = {0, 0, 1, 0};
    const unsigned count = split(value, ':', copy, parts, 4);
    for (unsigned i = 0; i < count; i++)
        if (!lt_parse_share(parts[i], &part[i]))
            return false;
    if ((count != 2 && count != 4) || part[1] == 0)
        return false;
    params->gilbert = (lt_gilbert){part[0], part[1], part[2], part[3]};
    return true;
}

/* RATE:BURST */
static bool set_policer(lt_link_params *params, const char *value)
{
    char copy[MAX_SPEC], *parts[2];
    uint64_t rate;
    lt_limit burst;
    if (!strcmp(value, "off")) {
        params->policer = (lt_policer_params){0};
        return true;
    }
    if (split(value, ':', copy, parts, 2) != 2 || !lt_parse_rate(parts[0], &rate) || !rate ||
        !lt_parse_limit(parts[1], &burst) || burst.unit != LT_LIMIT_BYTES)
        return false;
    params->policer = (lt_policer_params){.rate = rate, .burst = burst.value};
    return true;
}

static bool set_rate(lt_link_params *params, const char *value)
{
    if (!lt_parse_rate(value, &params->rate))
        return false;
    params->trace[0] = '\0';
    return true;
}

static bool set_trace(lt_link_params *params, const char *value)
{
    const bool off = !strcmp(value, "off");
    if (!*value || strlen(value) >= sizeof params->trace)
        return false;
    snprintf(params->trace, sizeof params->trace, "%s", off ? "" : value);
    if (!off)
        params->rate = 0;
    return true;
}

static bool set_queue(lt_link_params *params, const char *value)
{
    return lt_parse_limit(value, &params->queue);
}

/* codel[:TARGET[:INTERVAL]], fq-codel[:TARGET[:INTERVAL[:FLOWS]]] */
static bool set_aqm(lt_link_params *params, const char *value)
{
    char copy[MAX_SPEC], *parts[4];
    const unsigned count = split(value, ':', copy, parts, 4);
    lt_link_params changed = *params;
    double flows = LT_FLOWS_DEFAULT;
    if (!strcmp(value, "off")) {
        params->aqm = LT_AQM_OFF;
        return true;
    }
    if (!count)
        return false;
    changed.aqm = strcmp(parts[0], "codel") ? LT_AQM_FQ_CODEL : LT_AQM_CODEL;
    changed.aqm_target = default_target;
    changed.aqm_interval = default_interval;
    if ((changed.aqm == LT_AQM_FQ_CODEL && strcmp(parts[0], "fq-codel")) ||
        (count > 1 && !lt_parse_duration(parts[1], &changed.aqm_target)) ||
        (count > 2 && !lt_parse_duration(parts[2], &changed.aqm_interval)) ||
        (count > 3 && (changed.aqm == LT_AQM_CODEL || !lt_parse_number(parts[3], &flows))))
        return false;
    if (!changed.aqm_target || !changed.aqm_interval || flows < 1 || flows > LT_FLOWS_MAX ||
        flows != (unsigned)flows)
        return false;
    changed.aqm_flows = (unsigned)flows;
    *params = changed;
    return true;
}

/* A limit, "classic", "l4s[:TIME]" or "off" */
static bool set_ecn(lt_link_params *params, const char *value)
{
    const bool l4s = !strncmp(value, "l4s", 3) && (!value[3] || value[3] == ':');
    lt_limit limit = {.unit = LT_LIMIT_NONE};
    livetcp_usec threshold = default_l4s;
    if (l4s && value[3] && (!lt_parse_duration(value + 4, &threshold) || !threshold))
        return false;
    if (!l4s && strcmp(value, "classic") && !lt_parse_limit(value, &limit))
        return false;
    params->ecn = limit;
    params->ecn_l4s = l4s ? threshold : 0;
    params->ecn_classic = l4s || !strcmp(value, "classic");
    return true;
}

/* EXTRA[/LOSS]+EXTRA[/LOSS]... */
static bool set_routes(lt_link_params *params, const char *value)
{
    char copy[MAX_SPEC], *parts[MAX_PARTS];
    lt_routes routes = {.count = 0};
    if (strcmp(value, "off")) {
        routes.count = split(value, '+', copy, parts, LT_MAX_ROUTES);
        if (!routes.count)
            return false;
    }
    for (unsigned i = 0; i < routes.count; i++) {
        char *loss = strchr(parts[i], '/');
        if (loss)
            *loss++ = '\0';
        if (!lt_parse_duration(parts[i], &routes.route[i].delay) ||
            (loss && !lt_parse_share(loss, &routes.route[i].loss)))
            return false;
    }
    params->routes = routes;
    return true;
}

/* LENGTH@START[/EVERY] */
static bool parse_outage(char *text, lt_outage *out)
{
    char *start = strchr(text, '@'), *every = start ? strchr(start, '/') : NULL;
    if (!start)
        return false;
    *start++ = '\0';
    if (every)
        *every++ = '\0';
    *out = (lt_outage){0};
    return lt_parse_duration(text, &out->length) && out->length &&
           lt_parse_duration(start, &out->start) &&
           (!every || (lt_parse_duration(every, &out->every) && out->every > out->length));
}

/* Several outages, separated by '+' */
static bool set_outage(lt_link_params *params, const char *value)
{
    char copy[MAX_SPEC], *parts[LT_MAX_OUTAGES];
    lt_outages outages = {.count = 0};
    if (strcmp(value, "off")) {
        outages.count = split(value, '+', copy, parts, LT_MAX_OUTAGES);
        if (!outages.count)
            return false;
    }
    for (unsigned i = 0; i < outages.count; i++)
        if (!parse_outage(parts[i], &outages.outage[i]))
            return false;
    params->outages = outages;
    return true;
}

static const struct {
    const char *name;
    bool (*set)(lt_link_params *params, const char *value);
    bool can_change; /* VALUE@TIME is allowed */
    const char *expects;
} keys[] = {
    {"delay", set_delay, true, "a time such as 50ms (us, ms, s; at most 1 hour)"},
    {"jitter", set_jitter, true, "a time such as 2ms (us, ms, s; at most 1 hour)"},
    {"reorder", set_reorder, true, "yes or no"},
    {"loss", set_loss, true, "a share such as 1% or 0.01, from 0 to 1"},
    {"burst", set_burst, true, "a mean burst length in packets, 1 or more, or off"},
    {"gilbert", set_gilbert, true,
     "P:R or P:R:LOSSBAD:LOSSGOOD, shares such as 1%:30%, R above 0, or off"},
    {"policer", set_policer, true, "RATE:BURST such as 1mbit:10kB, or off"},
    {"rate", set_rate, true, "a rate such as 30mbit (bit, kbit, mbit, gbit), or off"},
    {"trace", set_trace, false, "a file with delivery opportunities in Mahimahi's format, or off"},
    {"queue", set_queue, true, "packets such as 100p or bytes such as 150kB (B, kB, MB), or off"},
    {"aqm", set_aqm, true,
     "codel[:TARGET[:INTERVAL]] or fq-codel[:TARGET[:INTERVAL[:FLOWS]]], with times above 0 such "
     "as 5ms:100ms and 1 to 65536 flows, or off"},
    {"ecn", set_ecn, true,
     "classic, l4s or l4s:TIME such as l4s:1ms, packets such as 20p or bytes such as 30kB (B, kB, "
     "MB), or off"},
    {"routes", set_routes, true,
     "up to 8 of EXTRADELAY[/LOSS] with + between, such as 0+12ms/1%, or off"},
    {"outage", set_outage, false,
     "up to 8 of LENGTH@START[/EVERY] with + between, such as 1.5s@10s or 10s@10s/20s, EVERY being "
     "longer than LENGTH, or off"},
};

enum { KEYS = sizeof keys / sizeof *keys };

static livetcp_result unknown_key(const char *item, livetcp_error *error)
{
    char known[160] = "";
    for (size_t i = 0; i < KEYS; i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s",
                 !i             ? ""
                 : i < KEYS - 1 ? ", "
                                : " and ",
                 keys[i].name);
    }
    return lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING, "'%s' is not a link parameter; there are %s",
                   item, known);
}

static size_t find_key(const char *name)
{
    size_t i = 0;
    while (i < KEYS && strcmp(name, keys[i].name))
        i++;
    return i;
}

/* KEY=VALUE@TIME: keeps changes sorted by time, and in order of appearance. */
static livetcp_result add_change(lt_link_params *params, const char *key, const char *value,
                                 const char *time, livetcp_error *error)
{
    lt_link_change change;
    unsigned place = params->change_count;
    if (!lt_parse_duration(time, &change.at))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s=%s@%s: expected a time after @, such as %s=%s@10s", key, value, time,
                       key, value);
    if (params->change_count == LT_MAX_CHANGES)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s=%s@%s: a link can have %d planned changes, no more", key, value, time,
                       LT_MAX_CHANGES);
    if (snprintf(change.spec, sizeof change.spec, "%s=%s", key, value) >= (int)sizeof change.spec)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s=%s@%s: a planned change has at most %d characters", key, value, time,
                       LT_CHANGE_TEXT - 1);
    for (; place && params->changes[place - 1].at > change.at; place--)
        params->changes[place] = params->changes[place - 1];
    params->changes[place] = change;
    params->change_count++;
    return LIVETCP_OK;
}

static livetcp_result set_one(lt_link_params *params, char *item, livetcp_error *error)
{
    char *value = strchr(item, '=');
    if (value)
        *value++ = '\0';
    else if (!strcmp(item, "ecn"))
        value = "classic";
    const size_t i = find_key(item);
    if (i == KEYS)
        return unknown_key(item, error);
    char *at = value && keys[i].can_change ? strchr(value, '@') : NULL;
    lt_link_params later = *params;
    if (at)
        *at++ = '\0';
    if (!value || !keys[i].set(at ? &later : params, value))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s=%s: expected %s", item,
                       value ? value : "", keys[i].expects);
    return at ? add_change(params, item, value, at, error) : LIVETCP_OK;
}

static livetcp_result check_now(const lt_link_params *params, livetcp_error *error)
{
    lt_gilbert ignored;
    if (params->burst > 0 && !lt_gilbert_from_means(params->loss, params->burst, &ignored))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "loss=%g%% in bursts of %g packets is impossible: the loss can be at most "
                       "burst / (burst + 1)",
                       params->loss * 100, params->burst);
    if (params->ecn_classic && !params->ecn_l4s && params->aqm == LT_AQM_OFF)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "ecn=classic: it is CoDel that marks; add aqm=codel or aqm=fq-codel, or give "
            "a limit such as ecn=20p");
    return LIVETCP_OK;
}

/* Checks the parameters, and then each planned change in turn. */
livetcp_result lt_link_params_check(const lt_link_params *params, livetcp_error *error)
{
    lt_link_params then = *params;
    livetcp_result result = check_now(params, error);
    for (unsigned i = 0; i < params->change_count && result == LIVETCP_OK; i++) {
        char item[LT_CHANGE_TEXT];
        snprintf(item, sizeof item, "%s", params->changes[i].spec);
        result = set_one(&then, item, error);
        if (result == LIVETCP_OK)
            result = check_now(&then, error);
    }
    return result;
}

static livetcp_result check_trace(const lt_link_params *params, livetcp_error *error)
{
    lt_rate_trace *trace;
    livetcp_result result = lt_rate_trace_load(params->trace, &trace, error);
    lt_rate_trace_destroy(&trace);
    return result;
}

livetcp_result lt_link_params_parse(lt_link_params *params, const char *spec, livetcp_error *error)
{
    char copy[MAX_SPEC];
    lt_link_params changed = *params;
    if (strlen(spec) >= sizeof copy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the link parameters are longer than %d characters", MAX_SPEC - 1);
    strcpy(copy, spec);
    for (char *rest = copy, *item; (item = next_item(&rest, ','));) {
        item += strspn(item, " \t");
        item[strcspn(item, " \t")] = '\0';
        if (!*item)
            continue;
        livetcp_result result = set_one(&changed, item, error);
        if (result)
            return result;
    }
    livetcp_result result = lt_link_params_check(&changed, error);
    if (!result && *changed.trace && strcmp(changed.trace, params->trace))
        result = check_trace(&changed, error);
    if (!result)
        *params = changed;
    return result;
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static void append_limit(char *text, size_t size, const char *key, const lt_limit *limit)
{
    if (limit->unit == LT_LIMIT_NONE)
        append(text, size, ",%s=off", key);
    else
        append(text, size, ",%s=%" PRIu64 "%s", key, limit->value,
               limit->unit == LT_LIMIT_PACKETS ? "p" : "B");
}

static void append_routes(const lt_routes *routes, char *text, size_t size)
{
    for (unsigned i = 0; i < routes->count; i++) {
        append(text, size, "%s%.12gms", i ? "+" : ",routes=", (double)routes->route[i].delay / 1e3);
        if (routes->route[i].loss > 0)
            append(text, size, "/%.10g%%", routes->route[i].loss * 100);
    }
}

static void append_outages(const lt_outages *outages, char *text, size_t size)
{
    for (unsigned i = 0; i < outages->count; i++) {
        const lt_outage *outage = &outages->outage[i];
        append(text, size, "%s%.12gms@%.12gms", i ? "+" : ",outage=", (double)outage->length / 1e3,
               (double)outage->start / 1e3);
        if (outage->every)
            append(text, size, "/%.12gms", (double)outage->every / 1e3);
    }
}

/* Newer parameters, if they differ from the default. */
static void append_newer(const lt_link_params *params, char *text, size_t size)
{
    if (params->policer.rate)
        append(text, size, ",policer=%" PRIu64 "bit:%" PRIu64 "B", params->policer.rate,
               params->policer.burst);
    if (*params->trace)
        append(text, size, ",trace=%s", params->trace);
    if (params->aqm != LT_AQM_OFF)
        append(text, size, ",aqm=%s:%.12gms:%.12gms",
               params->aqm == LT_AQM_CODEL ? "codel" : "fq-codel", (double)params->aqm_target / 1e3,
               (double)params->aqm_interval / 1e3);
    if (params->aqm == LT_AQM_FQ_CODEL)
        append(text, size, ":%u", params->aqm_flows);
    append_routes(&params->routes, text, size);
    append_outages(&params->outages, text, size);
    for (unsigned i = 0; i < params->change_count; i++)
        append(text, size, ",%s@%.12gms", params->changes[i].spec,
               (double)params->changes[i].at / 1e3);
}

char *lt_link_params_format(const lt_link_params *params, char *text, size_t size)
{
    const lt_gilbert *gilbert = &params->gilbert;
    if (!size)
        return text;
    text[0] = '\0';
    append(text, size, "delay=%gms,jitter=%gms,reorder=%s", (double)params->delay / 1e3,
           (double)params->jitter / 1e3, params->reorder ? "yes" : "no");
    append(text, size, ",loss=%.10g%%", params->loss * 100);
    if (params->burst > 0)
        append(text, size, ",burst=%.10g", params->burst);
    else
        append(text, size, ",burst=off");
    if (gilbert->p > 0 || gilbert->loss_good > 0)
        append(text, size, ",gilbert=%.10g:%.10g:%.10g:%.10g", gilbert->p, gilbert->r,
               gilbert->loss_bad, gilbert->loss_good);
    else
        append(text, size, ",gilbert=off");
    if (params->rate)
        append(text, size, ",rate=%" PRIu64 "bit", params->rate);
    else
        append(text, size, ",rate=off");
    append_limit(text, size, "queue", &params->queue);
    if (params->ecn_l4s)
        append(text, size, ",ecn=l4s:%.12gms", (double)params->ecn_l4s / 1e3);
    else if (params->ecn_classic)
        append(text, size, ",ecn=classic");
    else
        append_limit(text, size, "ecn", &params->ecn);
    append_newer(params, text, size);
    return text;
}

const char *lt_link_params_help(void)
{
    return "Link parameters, comma-separated:\n"
           "  delay=50ms       propagation delay, one way (us, ms, s)\n"
           "  jitter=2ms       adds a uniform draw from 0 to this to each packet's delay\n"
           "  reorder=yes      lets jitter reorder packets; otherwise they stay in order\n"
           "  loss=1%          mean share of packets lost (1% or 0.01)\n"
           "  burst=3          loses them in bursts of this mean length (Gilbert); off: one by "
           "one\n"
           "  gilbert=P:R[:LOSSBAD:LOSSGOOD]  Gilbert-Elliott chain with its own parameters\n"
           "  policer=1mbit:10kB  drops packets beyond a token bucket of this rate and size\n"
           "  rate=30mbit      bit rate of IP packets (bit, kbit, mbit, gbit); off: unlimited\n"
           "  trace=FILE       instead of rate: delivery opportunities in Mahimahi's format\n"
           "  queue=100p       limit in packets (100p) or bytes (150kB); off: none\n"
           "  aqm=codel[:TARGET[:INTERVAL]]  queue with CoDel (RFC 8289; 5ms:100ms); off: "
           "drop-tail\n"
           "  aqm=fq-codel[:TARGET[:INTERVAL[:FLOWS]]]  with FQ-CoDel (RFC 8290; 1024 flows)\n"
           "  ecn=classic      the AQM marks ECT packets instead of dropping them; also: ecn\n"
           "  ecn=l4s[:1ms]    as classic, and marks ECT(1) packets that waited longer than this\n"
           "  ecn=20p          marks ECT packets that find at least this much in the queue\n"
           "  routes=0+12ms/1% routes of equal cost, each with its extra delay and loss; a flow\n"
           "                   takes one by the hash of its addresses and ports\n"
           "  outage=LENGTH@START[/EVERY]  cuts the link: 1.5s@10s, 10s@10s/20s; several with +\n"
           "  KEY=VALUE@TIME   changes another parameter at a time: "
           "delay=65ms@8s,rate=400kbit@20s\n"
           "Times count from the start of the commands, or of the measurement's warm-up.\n";
}
