/* SPDX-License-Identifier: MIT */
/* Reads a recorded stream: a line for each frame, its time in µs and its bytes. */
#ifndef LT_LAB_TRACE_FILE_H
#define LT_LAB_TRACE_FILE_H

#include <livetcp/service_curve.h>

#include <stdbool.h>

#define LT_TRACE_MOST_FRAMES 10000000

/* One line: "40000 5213", "40000,5213" or "40000;5213". Returns 1 for a frame, 0 for a line with
 * none (empty, or a comment after #), -1 for anything else. */
int lt_trace_line(const char *line, livetcp_trace_frame *frame);

/* The whole file; the first line may be a header. *frames is the caller's to free(). The error
 * names the file and the line. */
livetcp_result lt_trace_read(const char *path, livetcp_trace_frame **frames, size_t *count,
                             livetcp_error *error);

#endif
