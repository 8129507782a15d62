/* SPDX-License-Identifier: MIT */
/* Writes to a file, pipe or terminal without blocking the loop. Bytes that are not accepted yet are
 * held, up to a limit. */
#ifndef LT_RELAY_WRITER_H
#define LT_RELAY_WRITER_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define LT_RELAY_WRITER_MAX ((size_t)4 << 20) /* maximum bytes held */

typedef struct lt_relay_writer lt_relay_writer;

/* For an open descriptor, which stays open; NULL without memory. */
lt_relay_writer *lt_relay_writer_create(uv_loop_t *loop, uv_file file);

/* Creates or truncates a file. NULL: *error has the cause. */
lt_relay_writer *lt_relay_writer_open(uv_loop_t *loop, const char *path, livetcp_error *error);

/* Writes both parts, or nothing: false if they do not fit, or writing has failed. */
bool lt_relay_writer_put(lt_relay_writer *writer, const void *head, size_t head_size,
                         const void *body, size_t body_size);

/* 0, or the libuv error after which nothing is written. */
int lt_relay_writer_status(const lt_relay_writer *writer);

/* Writes the rest (a pipe: for at most 0.3 s), closes and frees; clears *writer, which may already
 * be NULL. The loop must run until its handles are closed. */
void lt_relay_writer_destroy(lt_relay_writer **writer);

#endif
