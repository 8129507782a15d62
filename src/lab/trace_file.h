/* SPDX-License-Identifier: MIT */
/* Reads a recorded stream: per line a frame's time in microseconds and its size in bytes. */
#ifndef LT_LAB_TRACE_FILE_H
#define LT_LAB_TRACE_FILE_H

#include <livetcp/service_curve.h>

#include <stdbool.h>

#define LT_TRACE_MAX_FRAMES 10000000

/* Parses a line: "40000 5213", "40000,5213" or "40000;5213". Returns 1 for a frame, 0 for an empty
 * line or a comment (#), -1 otherwise. */
int lt_trace_line(const char *line, livetcp_trace_frame *frame);

/* Reads the whole file; the first line may be a header. The caller frees *frames. Errors name file
 * and line. */
livetcp_result lt_trace_read(const char *path, livetcp_trace_frame **frames, size_t *count,
                             livetcp_error *error);

#endif
