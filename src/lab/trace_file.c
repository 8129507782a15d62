/* SPDX-License-Identifier: MIT */
#include "lab/trace_file.h"

#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Digits only: strtoull() would accept a minus sign. */
static bool take_number(const char **at, uint64_t max, uint64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *value = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *value <= max;
}

int lt_trace_line(const char *line, livetcp_trace_frame *frame)
{
    const char *at = skip_space(line);
    uint64_t time, bytes;

    if (!*at || *at == '#')
        return 0;
    if (!take_number(&at, INT64_MAX / 2, &time))
        return -1;
    const char *separator = at;
    at = skip_space(at);
    if (*at == ',' || *at == ';')
        at = skip_space(at + 1);
    if (at == separator || !take_number(&at, UINT64_C(1) << 30, &bytes) || !bytes)
        return -1;
    if (*skip_space(at))
        return -1;
    *frame = (livetcp_trace_frame){.time_us = (livetcp_usec)time, .bytes = bytes};
    return 1;
}

static bool append(livetcp_trace_frame **frames, size_t *count, size_t *room,
                   livetcp_trace_frame frame)
{
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 1024;
        livetcp_trace_frame *larger = realloc(*frames, more * sizeof *larger);
        if (!larger)
            return false;
        *frames = larger;
        *room = more;
    }
    (*frames)[(*count)++] = frame;
    return true;
}

static livetcp_result read_lines(FILE *file, const char *path, livetcp_trace_frame **frames,
                                 size_t *count, livetcp_error *error)
{
    char line[256];
    size_t room = 0;

    for (size_t number = 1; fgets(line, sizeof line, file); number++) {
        livetcp_trace_frame frame;
        int kind = lt_trace_line(line, &frame);
        if (kind < 0 && !(number == 1 && isalpha((unsigned char)*skip_space(line))))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "%.100s, line %zu: a line is TIME_US BYTES, with 1 byte to 1 GiB", path,
                           number);
        if (kind > 0 && *count && frame.time_us < (*frames)[*count - 1].time_us)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "%.100s, line %zu: this frame is before the one ahead of it; sort the "
                           "lines by time (ffprobe: by dts_time)",
                           path, number);
        if (kind > 0 && (*count == LT_TRACE_MAX_FRAMES || !append(frames, count, &room, frame)))
            return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "%.100s: no memory for so many frames",
                           path);
    }
    if (ferror(file))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %.100s", path);
    if (!*count)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.100s has no frames: a line is TIME_US BYTES", path);
    return LIVETCP_OK;
}

livetcp_result lt_trace_read(const char *path, livetcp_trace_frame **frames, size_t *count,
                             livetcp_error *error)
{
    FILE *file = fopen(path, "re");

    *frames = NULL;
    *count = 0;
    if (!file)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read the trace %.100s",
                             path);
    livetcp_result result = read_lines(file, path, frames, count, error);
    fclose(file);
    if (result != LIVETCP_OK) {
        free(*frames);
        *frames = NULL;
        *count = 0;
    }
    return result;
}
