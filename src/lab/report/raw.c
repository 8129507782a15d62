/* SPDX-License-Identifier: MIT */
#include "lab/report/raw.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GROUPS = 64, NAME = 128, LINE = 1024, COLUMNS = 10 };

enum { SCHEME, DIRECTION, FLOW, INDEX, MEASURED, NEAR_STALL, DUE, SENT, ARRIVAL, DELAY };

static const char *const header[COLUMNS] = {"scheme",     "direction",  "flow",   "index",
                                            "measured",   "near_stall", "due_us", "sent_us",
                                            "arrival_us", "delay_us"};

/* Packets of one scheme and direction. */
typedef struct group {
    char scheme[NAME], direction[16];
    double *delays; /* us */
    size_t count, capacity;
    size_t lost, near_stall;
} group;

typedef struct reader {
    const char *path;
    unsigned long line;
    group groups[MAX_GROUPS];
    size_t count;
} reader;

/* Splits a line (RFC 4180) in place. Returns the number of fields, at most COLUMNS + 1. */
static int split(char *line, char *fields[COLUMNS])
{
    int count = 0;
    char *at = line;
    line[strcspn(line, "\r\n")] = '\0';
    for (;;) {
        char *out = at, *field = at;
        bool quoted = *at == '"';
        for (at += quoted; *at && (quoted || *at != ','); at++) {
            if (quoted && *at == '"') {
                if (at[1] != '"') {
                    quoted = false;
                    continue;
                }
                at++;
            }
            *out++ = *at;
        }
        bool more = *at == ',';
        at++;
        *out = '\0';
        if (count < COLUMNS)
            fields[count] = field;
        count++;
        if (!more || count > COLUMNS)
            return count;
    }
}

static bool is_header(char *fields[COLUMNS], int count)
{
    for (int i = 0; i < COLUMNS; i++)
        if (count != COLUMNS || strcmp(fields[i], header[i]) != 0)
            return false;
    return true;
}

static group *find_group(reader *r, const char *scheme, const char *direction)
{
    for (size_t i = r->count; i-- > 0;)
        if (!strcmp(r->groups[i].scheme, scheme) && !strcmp(r->groups[i].direction, direction))
            return &r->groups[i];
    if (r->count == MAX_GROUPS || strlen(scheme) >= NAME ||
        strlen(direction) >= sizeof r->groups->direction)
        return NULL;
    group *g = &r->groups[r->count++];
    strcpy(g->scheme, scheme);
    strcpy(g->direction, direction);
    return g;
}

static bool add_delay(group *g, double us)
{
    if (g->count == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 4096;
        double *more = realloc(g->delays, capacity * sizeof *more);
        if (!more)
            return false;
        g->delays = more;
        g->capacity = capacity;
    }
    g->delays[g->count++] = us;
    return true;
}

static livetcp_result bad_line(const reader *r, const char *what, livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.120s:%lu: %.60s", r->path, r->line,
                   what);
}

static livetcp_result take_packet(reader *r, char *fields[COLUMNS], int count, livetcp_error *error)
{
    char *end;
    if (count != COLUMNS)
        return bad_line(r, "not a packet of 'livetcp bench --raw'", error);
    if (strcmp(fields[MEASURED], "1") != 0 || !*fields[SENT])
        return LIVETCP_OK;
    group *g = find_group(r, fields[SCHEME], fields[DIRECTION]);
    if (!g)
        return bad_line(r, "too many schemes, or too long a name", error);
    if (!strcmp(fields[NEAR_STALL], "1")) {
        g->near_stall++;
        return LIVETCP_OK;
    }
    if (!*fields[DELAY]) {
        g->lost++;
        return LIVETCP_OK;
    }
    double us = strtod(fields[DELAY], &end);
    if (*end || !isfinite(us) || us < 0)
        return bad_line(r, "its delay is not a number", error);
    return add_delay(g, us)
               ? LIVETCP_OK
               : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "%.120s: out of memory", r->path);
}

static livetcp_result read_lines(reader *r, FILE *in, livetcp_error *error)
{
    char line[LINE], *fields[COLUMNS];
    livetcp_result result = LIVETCP_OK;
    while (result == LIVETCP_OK && fgets(line, sizeof line, in)) {
        r->line++;
        int count = split(line, fields);
        if (r->line > 1)
            result = take_packet(r, fields, count, error);
        else if (!is_header(fields, count))
            result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                             "%.120s: neither JSON of livetcp nor the packets that 'livetcp bench "
                             "--raw' writes",
                             r->path);
    }
    if (result == LIVETCP_OK && ferror(in))
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %.120s", r->path);
    return result;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A point whenever the share has fallen by a 50th, and for each of the last 50 packets. */
json_t *lt_raw_ccdf(const double *delays, size_t count, size_t total)
{
    static const double step = 0.98;
    json_t *points = json_array();
    double last = 2;
    for (size_t i = 0; points && i < count; i++) {
        double later = (double)(total - i - 1) / (double)total;
        bool wanted = i == 0 || i + 1 == count || later <= last * step;
        if (i + 1 < count && delays[i + 1] == delays[i])
            continue; /* same delay as the next packet */
        if (!wanted)
            continue;
        /* No packet is later than the last one; a share of 0 has no place on a logarithmic axis. */
        double share = later > 0 ? later : 1.0 / (double)total;
        if (json_array_append_new(points, json_pack("[f,f]", delays[i] / 1e3, share))) {
            json_decref(points);
            return NULL;
        }
        last = later;
    }
    return points;
}

static json_t *document_of(reader *r)
{
    json_t *schemes = json_array();
    for (size_t i = 0; schemes && i < r->count; i++) {
        group *g = &r->groups[i];
        if (g->count)
            qsort(g->delays, g->count, sizeof *g->delays, compare);
        json_t *one = json_pack("{s:s,s:s,s:I,s:I,s:I,s:o}", "scheme", g->scheme, "direction",
                                g->direction, "sent", (json_int_t)(g->count + g->lost), "lost",
                                (json_int_t)g->lost, "near_stall", (json_int_t)g->near_stall,
                                "ccdf", lt_raw_ccdf(g->delays, g->count, g->count + g->lost));
        if (json_array_append_new(schemes, one)) {
            json_decref(schemes);
            schemes = NULL;
        }
    }
    return schemes ? json_pack("{s:s,s:o}", "schema", "livetcp/report-raw/1", "schemes", schemes)
                   : NULL;
}

json_t *lt_raw_read(FILE *in, const char *path, livetcp_error *error)
{
    json_t *document = NULL;
    reader *r = calloc(1, sizeof *r);
    livetcp_result result;
    if (!r) {
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "%.120s: out of memory", path);
        return NULL;
    }
    r->path = path;
    result = read_lines(r, in, error);
    if (result == LIVETCP_OK && !r->count)
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.120s: there are no measured packets in it",
                path);
    else if (result == LIVETCP_OK && !(document = document_of(r)))
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                "%.120s: out of memory, or a scheme's name is not UTF-8", path);
    for (size_t i = 0; i < r->count; i++)
        free(r->groups[i].delays);
    free(r);
    return document;
}
