/* SPDX-License-Identifier: MIT */
/* A caller's introduction in CREATE: stream id, token and role. */
#ifndef LT_WIRE_INTRODUCTION_H
#define LT_WIRE_INTRODUCTION_H

#include "wire/control.h"

#include <livetcp/config.h>

/* Maximum size of CREATE, RFC 4571 LENGTH included. */
#define LT_CREATE_MAX (LT_CONTROL_MAX + LIVETCP_STREAM_ID_MAX + LIVETCP_TOKEN_MAX)

typedef struct lt_introduction {
    livetcp_role role;
    const char *stream_id; /* "" = none; at most LIVETCP_STREAM_ID_MAX bytes */
    const char *token;     /* "" = none; at most LIVETCP_TOKEN_MAX bytes */
} lt_introduction;

/* The texts of a received introduction, NUL-terminated. */
typedef struct lt_introduction_texts {
    char stream_id[LIVETCP_STREAM_ID_MAX + 1];
    char token[LIVETCP_TOKEN_MAX + 1];
} lt_introduction_texts;

/* Appends stream id and token, if any, to a CREATE of `size` bytes with LENGTH; the role is a field
 * of CREATE. `frame` has LT_CREATE_MAX bytes. Returns the new size. */
size_t lt_introduction_append(const lt_introduction *introduction, uint8_t *frame, size_t size);

/* Reads the texts from the packet of a CREATE that lt_control_decode() accepted. Errors:
 * LIVETCP_ERR_PROTOCOL (a size beyond the packet or the limit, not UTF-8, control characters); the
 * texts are empty then. */
livetcp_result lt_introduction_read(const uint8_t *packet, size_t size,
                                    lt_introduction_texts *texts);

#endif
