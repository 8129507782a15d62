/* SPDX-License-Identifier: MIT */
#include "lab/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct unit {
    const char *name;
    double scale;
} unit;

static const unit durations[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {NULL, 0}};
static const unit rates[] = {
    {"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {NULL, 0},
};
static const unit packets[] = {{"p", 1}, {NULL, 0}};
static const unit sizes[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {NULL, 0}};

/* A decimal number without sign, then `rest`. strtod() alone would accept "nan", "0x1" and "-1". */
static bool leading_number(const char *text, double *value, const char **rest)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return false;
    char *end;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && isfinite(*value);
}

static bool with_unit(const char *text, const unit *units, double max, double *out)
{
    double value;
    const char *rest;
    if (!leading_number(text, &value, &rest))
        return false;
    for (; units->name; units++)
        if (!strcmp(rest, units->name) && value * units->scale <= max) {
            *out = value * units->scale;
            return true;
        }
    return false;
}

static bool is_off(const char *text)
{
    return !strcmp(text, "off") || !strcmp(text, "0");
}

bool lt_parse_time(const char *text, livetcp_usec max, livetcp_usec *out)
{
    double usec = 0;
    if (strcmp(text, "0") && !with_unit(text, durations, (double)max, &usec))
        return false;
    *out = llround(usec);
    return true;
}

bool lt_parse_duration(const char *text, livetcp_usec *out)
{
    return lt_parse_time(text, 3600 * (livetcp_usec)LIVETCP_USEC_SEC, out);
}

bool lt_parse_share(const char *text, double *out)
{
    double value;
    const char *rest;
    if (!leading_number(text, &value, &rest))
        return false;
    if (!strcmp(rest, "%"))
        value /= 100;
    else if (*rest)
        return false;
    if (value > 1)
        return false;
    *out = value;
    return true;
}

bool lt_parse_rate(const char *text, uint64_t *out)
{
    double bits = 0;
    if (!is_off(text) && (!with_unit(text, rates, 1e12, &bits) || bits < 1))
        return false;
    *out = (uint64_t)llround(bits);
    return true;
}

bool lt_parse_limit(const char *text, lt_limit *out)
{
    double value = 0;
    lt_limit_unit kind = LT_LIMIT_NONE;
    if (!strcmp(text, "off"))
        value = 0;
    else if (with_unit(text, packets, 1e9, &value))
        kind = LT_LIMIT_PACKETS;
    else if (with_unit(text, sizes, 1e12, &value))
        kind = LT_LIMIT_BYTES;
    else
        return false;
    if (kind != LT_LIMIT_NONE && (value < 1 || value != floor(value)))
        return false;
    *out = (lt_limit){.unit = kind, .value = (uint64_t)value};
    return true;
}

bool lt_parse_number(const char *text, double *out)
{
    double value;
    const char *rest;
    if (!leading_number(text, &value, &rest) || *rest)
        return false;
    *out = value;
    return true;
}
