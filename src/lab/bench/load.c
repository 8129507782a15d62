/* SPDX-License-Identifier: MIT */
#include "lab/bench/load.h"

#include "base/error.h"
#include "lab/units.h"

#include <math.h>
#include <string.h>

/* Splits off what stands behind the '@', which stays what it is if there is none. */
static livetcp_result take_window(const char *option, const char *text, char *value, size_t size,
                                  lt_window *window, livetcp_error *error)
{
    const double day = 86400;
    char copy[64], *at, *dash;
    double from, to;
    *window = (lt_window){.from = 0, .to = LIVETCP_NEVER};
    if (strlen(text) >= sizeof copy || strcspn(text, "@") >= size)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s %.40s...: too long", option, text);
    strcpy(copy, text);
    at = strchr(copy, '@');
    if (at)
        *at++ = '\0';
    strcpy(value, copy);
    if (!at)
        return LIVETCP_OK;
    dash = strchr(at, '-');
    if (dash)
        *dash++ = '\0';
    if (!dash || !lt_parse_number(at, &from) || !lt_parse_number(dash, &to) || !(from < to) ||
        to > day)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %s: what follows the @ is FROM-TO in seconds, for example @5-60", option,
                       text);
    *window = (lt_window){.from = llround(from * 1e6), .to = llround(to * 1e6)};
    return LIVETCP_OK;
}

livetcp_result lt_load_parse_count(const char *option, const char *text, unsigned *count,
                                   lt_window *window, livetcp_error *error)
{
    char value[16];
    double number;
    livetcp_result result =
        take_window(option, text ? text : "0", value, sizeof value, window, error);
    if (result != LIVETCP_OK)
        return result;
    if (!lt_parse_number(value, &number) || number != floor(number) ||
        number > LT_BENCH_MAX_BACKGROUND)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %s: it is a count of 0 to %d, or COUNT@FROM-TO in seconds", option, text,
                       LT_BENCH_MAX_BACKGROUND);
    *count = (unsigned)number;
    return LIVETCP_OK;
}

livetcp_result lt_load_parse_rate(const char *option, const char *text, uint64_t *rate,
                                  lt_window *window, livetcp_error *error)
{
    const uint64_t least = 10000, most = 1000000000;
    char value[16];
    livetcp_result result =
        take_window(option, text ? text : "off", value, sizeof value, window, error);
    if (result != LIVETCP_OK)
        return result;
    if (!lt_parse_rate(value, rate) || (*rate && (*rate < least || *rate > most)))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %s: it is a rate of 10kbit to 1gbit, such as 3mbit, or RATE@FROM-TO in "
                       "seconds",
                       option, text);
    return LIVETCP_OK;
}
