/* SPDX-License-Identifier: MIT */
#include "lab/emulate/schedule.h"

#include "base/error.h"
#include "lab/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANGES = 10000 };

static livetcp_result add(lt_schedule *schedule, const lt_change *change, const char *spec,
                          livetcp_error *error)
{
    lt_change *changes = schedule->changes;
    if (!(schedule->count & (schedule->count - 1))) /* full at each power of two */
        changes = realloc(changes, (schedule->count ? schedule->count * 2 : 1) * sizeof *changes);
    char *copy = strdup(spec);
    if (changes)
        schedule->changes = changes;
    if (!changes || !copy || schedule->count == MAX_CHANGES) {
        free(copy);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "the schedule is too long");
    }
    changes[schedule->count] = *change;
    changes[schedule->count++].spec = copy;
    return LIVETCP_OK;
}

static livetcp_result read_line(lt_schedule *schedule, char *line, const char *file,
                                unsigned number, unsigned links, livetcp_error *error)
{
    static const char blanks[] = " \t\r\n";
    line[strcspn(line, "#")] = '\0';
    char *rest;
    char *at = strtok_r(line, blanks, &rest);
    char *direction = strtok_r(NULL, blanks, &rest);
    char *spec = strtok_r(NULL, blanks, &rest);
    lt_change change = {0};
    if (!at)
        return LIVETCP_OK;
    if (!spec || strtok_r(NULL, blanks, &rest) || !lt_parse_duration(at, &change.at) ||
        !(change.directions = lt_directions_parse(direction, links)))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s, line %u: expected TIME forward|backward|both PARAMETERS, for example "
                       "'10s forward loss=5%%', of another link '10s 2:forward loss=5%%'",
                       file, number);
    return add(schedule, &change, spec, error);
}

/* Sorts by time; lines of equal time keep their order, which qsort() does not guarantee. */
static void sort(lt_schedule *schedule)
{
    for (size_t i = 1; i < schedule->count; i++) {
        const lt_change moved = schedule->changes[i];
        size_t at = i;
        for (; at > 0 && schedule->changes[at - 1].at > moved.at; at--)
            schedule->changes[at] = schedule->changes[at - 1];
        schedule->changes[at] = moved;
    }
}

static livetcp_result rehearse(const lt_schedule *schedule, const char *file,
                               const lt_link_params *start, unsigned links, livetcp_error *error)
{
    lt_link_params params[LT_PATH_LANES];
    memcpy(params, start, 2 * links * sizeof *params);
    for (size_t i = 0; i < schedule->count; i++)
        for (unsigned direction = 0; direction < 2 * links; direction++) {
            const lt_change *change = &schedule->changes[i];
            livetcp_error cause;
            if (change->directions & 1u << direction &&
                lt_link_params_parse(&params[direction], change->spec, &cause))
                return lt_fail(error, cause.code, "%s, at %gs: %s", file, (double)change->at / 1e6,
                               cause.message);
        }
    return LIVETCP_OK;
}

static livetcp_result read_lines(lt_schedule *schedule, FILE *input, const char *file,
                                 unsigned links, livetcp_error *error)
{
    char *line = NULL;
    size_t size = 0;
    livetcp_result result = LIVETCP_OK;
    for (unsigned number = 1; !result && getline(&line, &size, input) >= 0; number++)
        result = read_line(schedule, line, file, number, links, error);
    free(line);
    return result;
}

livetcp_result lt_schedule_load(lt_schedule *schedule, const char *file,
                                const lt_link_params *start, unsigned links, livetcp_error *error)
{
    *schedule = (lt_schedule){0};
    FILE *input = fopen(file, "re");
    if (!input)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read the schedule %s", file);
    livetcp_result result = read_lines(schedule, input, file, links, error);
    fclose(input);
    if (!result) {
        sort(schedule);
        result = rehearse(schedule, file, start, links, error);
    }
    if (result)
        lt_schedule_clear(schedule);
    return result;
}

void lt_schedule_clear(lt_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++)
        free(schedule->changes[i].spec);
    free(schedule->changes);
    *schedule = (lt_schedule){0};
}
