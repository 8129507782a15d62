/* SPDX-License-Identifier: MIT */
/* The head of an HTTP/1.x request or response (RFC 9112), in pieces, by llhttp. */
#ifndef LT_HTTP_HEAD_H
#define LT_HTTP_HEAD_H

#include <llhttp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line may have so many bytes, and a head so many lines. */
#define LT_HTTP_LINE_MAX  8192
#define LT_HTTP_LINES_MAX 128

typedef enum lt_http_head_state {
    LT_HTTP_HEAD_MORE = 0,
    LT_HTTP_HEAD_DONE,
    LT_HTTP_HEAD_NOT_HTTP, /* the first bytes are those of something else: see `begin` */
    LT_HTTP_HEAD_TOO_LONG, /* a line, or the head */
    LT_HTTP_HEAD_MALFORMED
} lt_http_head_state;

typedef struct lt_http_head {
    /* Called for the target of a request, if not NULL, and for each field; texts are NUL-terminated
     * and valid until it returns. */
    void (*on_target)(void *user, const char *target);
    void (*on_field)(void *user, const char *name, const char *value);
    void *user;
    size_t limit; /* bytes of the whole head; set after init(), which allows any */

    lt_http_head_state state;
    int status;         /* response: 407; 0 before it is known */
    char reason[64];    /* behind it; visible ASCII */
    const char *method; /* request: "GET", once the target is known; static */
    unsigned minor;     /* of the version: HTTP/1.minor */
    uint8_t begin[8];   /* the first bytes, */
    size_t size;        /*   of so many in all */
    unsigned lines;
    bool in_value;
    llhttp_t parser;
    size_t name_size; /* with its NUL */
    size_t used;      /* bytes of the present line */
    char line[LT_HTTP_LINE_MAX + 1];
} lt_http_head;

/* It stays where it is from here on. */
void lt_http_head_init(lt_http_head *head, llhttp_type_t kind,
                       void (*on_field)(void *, const char *, const char *), void *user);

/* Takes bytes up to the end of the head. Returns their number: what follows is not the head's. */
size_t lt_http_head_receive(lt_http_head *head, const uint8_t *data, size_t size);

/* True if the value, a list separated by commas (RFC 9110 section 5.6.1), has this item in any case
 * of letters. */
bool lt_http_list_has(const char *value, const char *item);

#endif
