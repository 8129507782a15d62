/* SPDX-License-Identifier: MIT */
/* The text form of link parameters: a table of keys, each with its parser. */
#include "lab/emulate/params.h"

#include "base/error.h"
#include "lab/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SPEC = 512 };

void lt_link_params_init(lt_link_params *params)
{
    *params = (lt_link_params){.queue = {.unit = LT_LIMIT_PACKETS, .value = 1000}};
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
/* The text up to the next `separator`; NULL if none is left. Windows has no strsep(). */
static char *next_item(char **rest, char separator)
{
    char *item = *rest, *end = item ? strchr(item, separator) : NULL;

    if (end)
        *end++ = '\0';
    *rest = end;
    return item;
}

static bool set_gilbert(lt_link_params *params, const char *value)
{
    if (!strcmp(value, "off")) {
        params->gilbert = (lt_gilbert){0};
        return true;
    }
    char copy[MAX_SPEC];
    double part[4] = {0, 0, 1, 0};
    unsigned count = 0;
    snprintf(copy, sizeof copy, "%s", value);
    for (char *rest = copy, *item; (item = next_item(&rest, ':')); count++)
        if (count == 4 || !lt_parse_share(item, &part[count]))
            return false;
    if ((count != 2 && count != 4) || part[1] == 0)
        return false;
    params->gilbert = (lt_gilbert){part[0], part[1], part[2], part[3]};
    return true;
}

static bool set_rate(lt_link_params *params, const char *value)
{
    return lt_parse_rate(value, &params->rate);
}

static bool set_queue(lt_link_params *params, const char *value)
{
    return lt_parse_limit(value, &params->queue);
}

static bool set_ecn(lt_link_params *params, const char *value)
{
    return lt_parse_limit(value, &params->ecn);
}

static const struct {
    const char *name;
    bool (*set)(lt_link_params *params, const char *value);
    const char *expects;
} keys[] = {
    {"delay", set_delay, "a time such as 50ms (us, ms, s; at most 1 hour)"},
    {"jitter", set_jitter, "a time such as 2ms (us, ms, s; at most 1 hour)"},
    {"reorder", set_reorder, "yes or no"},
    {"loss", set_loss, "a share such as 1% or 0.01, from 0 to 1"},
    {"burst", set_burst, "a mean burst length in packets, 1 or more, or off"},
    {"gilbert", set_gilbert,
     "P:R or P:R:LOSSBAD:LOSSGOOD, shares such as 1%:30%, R above 0, or off"},
    {"rate", set_rate, "a rate such as 30mbit (bit, kbit, mbit, gbit), or off"},
    {"queue", set_queue, "packets such as 100p or bytes such as 150kB (B, kB, MB), or off"},
    {"ecn", set_ecn, "packets such as 20p or bytes such as 30kB (B, kB, MB), or off"},
};

static livetcp_result set_one(lt_link_params *params, char *item, livetcp_error *error)
{
    char *value = strchr(item, '=');
    if (value)
        *value++ = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(item, keys[i].name))
            continue;
        if (!value || !keys[i].set(params, value))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s=%s: expected %s", item,
                           value ? value : "", keys[i].expects);
        return LIVETCP_OK;
    }
    return lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                   "'%s' is not a link parameter; there are delay, jitter, reorder, loss, burst, "
                   "gilbert, rate, queue and ecn",
                   item);
}

livetcp_result lt_link_params_check(const lt_link_params *params, livetcp_error *error)
{
    lt_gilbert ignored;
    if (params->burst > 0 && !lt_gilbert_from_means(params->loss, params->burst, &ignored))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "loss=%g%% in bursts of %g packets is impossible: the loss can be at most "
                       "burst / (burst + 1)",
                       params->loss * 100, params->burst);
    return LIVETCP_OK;
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
    append_limit(text, size, "ecn", &params->ecn);
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
           "  rate=30mbit      bit rate of IP packets (bit, kbit, mbit, gbit); off: unlimited\n"
           "  queue=100p       drop-tail limit in packets (100p) or bytes (150kB); off: none\n"
           "  ecn=20p          marks ECT packets that find at least this much in the queue\n";
}
