/* SPDX-License-Identifier: MIT */
/* Writes to a file, pipe or terminal without making the loop wait. What the reader does not take is
 * held up to a bound. */
#ifndef LT_RELAY_WRITER_H
#define LT_RELAY_WRITER_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define LT_RELAY_WRITER_MAX ((size_t)4 << 20) /* bytes held */

typedef struct lt_relay_writer lt_relay_writer;

/* Of an open descriptor, which stays open; NULL without memory. */
lt_relay_writer *lt_relay_writer_create(uv_loop_t *loop, uv_file file);

/* Creates or empties a file. NULL: *error has the cause. */
lt_relay_writer *lt_relay_writer_open(uv_loop_t *loop, const char *path, livetcp_error *error);

/* All of both parts, or nothing: false when they do not fit, or writing has failed. */
bool lt_relay_writer_put(lt_relay_writer *writer, const void *head, size_t head_size,
                         const void *body, size_t body_size);

/* 0, or libuv's code of the failure after which nothing is written any more. */
int lt_relay_writer_status(const lt_relay_writer *writer);

/* Writes the rest, to a pipe for 0.3 s at most, closes, frees; clears *writer, which may be
 * NULL already. The loop must run until its handles are closed. */
void lt_relay_writer_destroy(lt_relay_writer **writer);

#endif
