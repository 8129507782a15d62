/* SPDX-License-Identifier: MIT */
/* The head of an HTTP/1.x response (RFC 9112), in pieces. */
#ifndef LT_PROXY_HTTP_HEAD_H
#define LT_PROXY_HTTP_HEAD_H

#include <stddef.h>
#include <stdint.h>

/* A line may have so many bytes, and a head so many lines. */
#define LT_HTTP_LINE_MAX  8192
#define LT_HTTP_LINES_MAX 128

typedef enum lt_http_head_state {
    LT_HTTP_HEAD_MORE = 0,
    LT_HTTP_HEAD_DONE,
    LT_HTTP_HEAD_NOT_HTTP, /* the first bytes are those of something else: see `line` */
    LT_HTTP_HEAD_TOO_LONG, /* a line, or the head */
    LT_HTTP_HEAD_MALFORMED
} lt_http_head_state;

typedef struct lt_http_head {
    /* Called for each field; both are NUL-terminated and valid until it returns. */
    void (*on_field)(void *user, const char *name, const char *value);
    void *user;

    lt_http_head_state state;
    int status;      /* 407; 0 before it is known */
    char reason[64]; /* behind it; visible ASCII */
    unsigned lines;
    size_t used; /* bytes of the present line */
    char line[LT_HTTP_LINE_MAX + 1];
} lt_http_head;

void lt_http_head_init(lt_http_head *head, void (*on_field)(void *, const char *, const char *),
                       void *user);

/* Takes bytes up to the end of the head. Returns their number: what follows is not the head's. */
size_t lt_http_head_receive(lt_http_head *head, const uint8_t *data, size_t size);

#endif
