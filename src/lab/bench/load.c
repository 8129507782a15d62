/* SPDX-License-Identifier: MIT */
#include "lab/bench/load.h"

#include "base/error.h"
#include "lab/options.h"
#include "lab/units.h"

#include <math.h>
#include <string.h>

static bool take_time(const char *text, livetcp_usec *out)
{
    return lt_option_time("", text, LIVETCP_USEC_SEC, 0, 86400 * (livetcp_usec)LIVETCP_USEC_SEC,
                          out, NULL) == LIVETCP_OK;
}

bool lt_window_parse(const char *text, lt_window *window)
{
    char from[32];
    const char *dash = strchr(text, '-');
    lt_window times = {.to = LIVETCP_NEVER};
    if (!dash || (size_t)(dash - text) >= sizeof from)
        return false;
    memcpy(from, text, (size_t)(dash - text));
    from[dash - text] = '\0';
    if (!take_time(from, &times.from) || (dash[1] && !take_time(dash + 1, &times.to)) ||
        times.from >= times.to)
        return false;
    *window = times;
    return true;
}

/* Splits off the window after '@'; *window is unchanged if there is none. */
static livetcp_result take_window(const char *option, const char *text, char *value, size_t size,
                                  lt_window *window, livetcp_error *error)
{
    char copy[64], *at;
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
    if (!lt_window_parse(at, window))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %s: what follows the @ is FROM-TO, for example @5s-60s", option, text);
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
                       "%s %s: it is a count of 0 to %d, or COUNT@FROM-TO", option, text,
                       LT_BENCH_MAX_BACKGROUND);
    *count = (unsigned)number;
    return LIVETCP_OK;
}

livetcp_result lt_load_parse_rate(const char *option, const char *text, uint64_t *rate,
                                  lt_window *window, livetcp_error *error)
{
    const uint64_t min_rate = 10000, max_rate = 1000000000;
    char value[16];
    livetcp_result result =
        take_window(option, text ? text : "off", value, sizeof value, window, error);
    if (result != LIVETCP_OK)
        return result;
    if (!lt_parse_rate(value, rate) || (*rate && (*rate < min_rate || *rate > max_rate)))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %s: it is a rate of 10kbit to 1gbit, such as 3mbit, or RATE@FROM-TO",
                       option, text);
    return LIVETCP_OK;
}
