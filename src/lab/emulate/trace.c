/* SPDX-License-Identifier: MIT */
#include "lab/emulate/trace.h"

#include "base/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 64 << 20, MAX_MSEC = 86400 * 1000 };

struct lt_rate_trace {
    size_t count;
    uint32_t at[]; /* ms, ascending; the last one is the length */
};

static livetcp_result refuse(const char *name, unsigned line, const char *text, size_t size,
                             livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "%s, line %u: '%.*s' is no delivery opportunity; expected a whole number of "
                   "milliseconds, at most a day, and not less than the line before",
                   name, line, (int)(size < 40 ? size : 40), text);
}

/* Parses one line without its end. */
static bool read_number(const char *text, size_t size, uint32_t *out)
{
    uint32_t value = 0;
    while (size && (text[size - 1] == '\r' || text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    if (!size)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || value > MAX_MSEC)
            return false;
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *out = value;
    return value <= MAX_MSEC;
}

static livetcp_result read_lines(lt_rate_trace *trace, const char *text, size_t size,
                                 const char *name, livetcp_error *error)
{
    unsigned line = 1;
    for (const char *at = text, *end = text + size; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        uint32_t value;
        if (!read_number(at, length, &value) ||
            (trace->count && value < trace->at[trace->count - 1]))
            return refuse(name, line, at, length, error);
        trace->at[trace->count++] = value;
        at += length + 1;
    }
    if (!trace->count || !trace->at[trace->count - 1])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s, line %u: a trace has a line for each delivery opportunity, in whole "
                       "milliseconds since its beginning, and the last is above 0",
                       name, line);
    return LIVETCP_OK;
}

livetcp_result lt_rate_trace_parse(const char *text, size_t size, const char *name,
                                   lt_rate_trace **out, livetcp_error *error)
{
    size_t lines = 1;
    *out = NULL;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    lt_rate_trace *trace = malloc(sizeof *trace + lines * sizeof trace->at[0]);
    if (!trace)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the trace %s", name);
    trace->count = 0;
    livetcp_result result = read_lines(trace, text, size, name, error);
    if (result == LIVETCP_OK)
        *out = trace;
    else
        free(trace);
    return result;
}

static livetcp_result read_file(FILE *input, const char *name, lt_rate_trace **out,
                                livetcp_error *error)
{
    size_t size = 0, space = 1 << 16;
    char *text = malloc(space);
    while (text && size < MAX_FILE) {
        size += fread(text + size, 1, space - size, input);
        if (size < space)
            break;
        char *more = realloc(text, space *= 2);
        if (!more)
            free(text);
        text = more;
    }
    livetcp_result result;
    if (!text)
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the trace %s", name);
    else if (ferror(input))
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read the trace %s", name);
    else if (size >= MAX_FILE)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the trace %s is above %d MB", name,
                         MAX_FILE >> 20);
    else
        result = lt_rate_trace_parse(text, size, name, out, error);
    free(text);
    return result;
}

livetcp_result lt_rate_trace_load(const char *file, lt_rate_trace **out, livetcp_error *error)
{
    *out = NULL;
    FILE *input = fopen(file, "rb");
    if (!input)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read the trace %s", file);
    livetcp_result result = read_file(input, file, out, error);
    fclose(input);
    return result;
}

void lt_rate_trace_destroy(lt_rate_trace **trace)
{
    free(*trace);
    *trace = NULL;
}

livetcp_usec lt_rate_trace_time(const lt_rate_trace *trace, uint64_t number)
{
    const uint64_t length = trace->at[trace->count - 1];
    return (livetcp_usec)(number / trace->count * length + trace->at[number % trace->count]) *
           LIVETCP_USEC_MSEC;
}

uint64_t lt_rate_trace_after(const lt_rate_trace *trace, livetcp_usec t)
{
    if (t < 0)
        return 0;
    const uint64_t msec = (uint64_t)t / LIVETCP_USEC_MSEC;
    const uint64_t length = trace->at[trace->count - 1];
    const uint64_t round = msec / length, within = msec % length;
    size_t low = 0, high = trace->count; /* the first above `within` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->at[middle] > within)
            high = middle;
        else
            low = middle + 1;
    }
    return round * trace->count + low;
}
