/* SPDX-License-Identifier: MIT */
#include "http/head.h"

#include <string.h>
#include <strings.h>

static lt_http_head *head_of(llhttp_t *parser)
{
    return parser->data;
}

/* ---- lines ---- */

static int too_long(lt_http_head *head)
{
    head->state = LT_HTTP_HEAD_TOO_LONG;
    return HPE_USER;
}

/* A piece of the present line's text. */
static int add(llhttp_t *parser, const char *text, size_t size)
{
    lt_http_head *head = head_of(parser);

    if (size > LT_HTTP_LINE_MAX - head->used)
        return too_long(head);
    memcpy(head->line + head->used, text, size);
    head->used += size;
    return 0;
}

static int end_line(lt_http_head *head)
{
    head->used = head->name_size = 0;
    return ++head->lines >= LT_HTTP_LINES_MAX ? too_long(head) : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- callbacks ---- */

static int on_url_complete(llhttp_t *parser)
{
    lt_http_head *head = head_of(parser);

    head->line[head->used] = '\0';
    head->method = llhttp_method_name((llhttp_method_t)llhttp_get_method(parser));
    if (head->on_target)
        head->on_target(head->user, head->line);
    return end_line(head);
}

static int on_status_complete(llhttp_t *parser)
{
    lt_http_head *head = head_of(parser);
    size_t size = head->used < sizeof head->reason ? head->used : sizeof head->reason - 1;

    head->status = llhttp_get_status_code(parser);
    for (size_t i = 0; i < size; i++) {
        char c = head->line[i];
        head->reason[i] = c < ' ' || c > '~' ? '?' : c;
    }
    head->reason[size] = '\0';
    return end_line(head);
}

static int on_version_complete(llhttp_t *parser)
{
    head_of(parser)->minor = llhttp_get_http_minor(parser);
    return llhttp_get_http_major(parser) == 1 ? 0 : HPE_USER;
}

static int on_name_complete(llhttp_t *parser)
{
    lt_http_head *head = head_of(parser);

    if (head->used == LT_HTTP_LINE_MAX)
        return too_long(head);
    head->line[head->used++] = '\0';
    head->name_size = head->used;
    return 0;
}

static int on_value_complete(llhttp_t *parser)
{
    lt_http_head *head = head_of(parser);

    while (head->used > head->name_size && is_blank(head->line[head->used - 1]))
        head->used--;
    head->line[head->used] = '\0';
    head->on_field(head->user, head->line, head->line + head->name_size);
    return end_line(head);
}

/* Whatever follows is not a body to llhttp. */
static int on_headers_complete(llhttp_t *parser)
{
    (void)parser;
    return 2;
}

static const llhttp_settings_t settings = {.on_url = add,
                                           .on_url_complete = on_url_complete,
                                           .on_status = add,
                                           .on_status_complete = on_status_complete,
                                           .on_version_complete = on_version_complete,
                                           .on_header_field = add,
                                           .on_header_field_complete = on_name_complete,
                                           .on_header_value = add,
                                           .on_header_value_complete = on_value_complete,
                                           .on_headers_complete = on_headers_complete};

/* ---- life ---- */

void lt_http_head_init(lt_http_head *head, llhttp_type_t kind,
                       void (*on_field)(void *, const char *, const char *), void *user)
{
    memset(head, 0, offsetof(lt_http_head, line));
    head->on_field = on_field;
    head->user = user;
    head->limit = SIZE_MAX;
    llhttp_init(&head->parser, kind, &settings);
    head->parser.data = head;
    if (kind != HTTP_RESPONSE)
        return;
    /* Bodies are not read, so that nothing can be smuggled in them; old proxies end lines so. */
    llhttp_set_lenient_optional_cr_before_lf(&head->parser, 1);
    llhttp_set_lenient_chunked_length(&head->parser, 1);
    llhttp_set_lenient_transfer_encoding(&head->parser, 1);
}

/* ---- bytes ---- */

static bool began_as_http(const lt_http_head *head)
{
    static const char begin[] = "HTTP/1.";
    size_t size = head->size < sizeof begin - 1 ? head->size : sizeof begin - 1;

    if (head->parser.type == HTTP_RESPONSE)
        return size && !memcmp(head->begin, begin, size);
    return head->method != NULL;
}

static void note_begin(lt_http_head *head, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size && head->size + i < sizeof head->begin; i++)
        head->begin[head->size + i] = data[i];
}

size_t lt_http_head_receive(lt_http_head *head, const uint8_t *data, size_t size)
{
    size_t offered = size < head->limit - head->size ? size : head->limit - head->size;
    llhttp_errno_t result;

    if (head->state != LT_HTTP_HEAD_MORE || !size)
        return 0;
    note_begin(head, data, offered);
    result = llhttp_execute(&head->parser, (const char *)data, offered);
    if (result != HPE_OK) {
        const char *at = llhttp_get_error_pos(&head->parser);
        offered = at ? (size_t)((const uint8_t *)at - data) : 0;
    }
    head->size += offered;
    if (result == HPE_PAUSED_UPGRADE) {
        head->state = LT_HTTP_HEAD_DONE;
    } else if (result != HPE_OK) {
        head->size += head->size ? 0 : 1; /* the byte that it stopped at */
        if (head->state == LT_HTTP_HEAD_MORE)
            head->state = began_as_http(head) ? LT_HTTP_HEAD_MALFORMED : LT_HTTP_HEAD_NOT_HTTP;
    } else if (head->size == head->limit) {
        head->state = LT_HTTP_HEAD_TOO_LONG;
    }
    return offered;
}

bool lt_http_list_has(const char *value, const char *item)
{
    size_t length = strlen(item);

    while (*value) {
        size_t size = strcspn(value, ",");
        const char *begin = value, *end = value + size;
        while (begin < end && is_blank(*begin))
            begin++;
        while (end > begin && is_blank(end[-1]))
            end--;
        if ((size_t)(end - begin) == length && !strncasecmp(begin, item, length))
            return true;
        value += size + (value[size] ? 1 : 0);
    }
    return false;
}
