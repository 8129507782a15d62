/* SPDX-License-Identifier: MIT */
#include "proxy/http_head.h"

#include <stdbool.h>
#include <string.h>

static const char begin[] = "HTTP/1.";

void lt_http_head_init(lt_http_head *head, void (*on_field)(void *, const char *, const char *),
                       void *user)
{
    memset(head, 0, offsetof(lt_http_head, line));
    head->line[0] = '\0';
    head->on_field = on_field;
    head->user = user;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* RFC 9110 section 5.6.2. */
static bool is_token(const char *text, size_t size)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c && strchr(others, c))))
            return false;
    }
    return size > 0;
}

/* "HTTP/1.1 407 Proxy Authentication Required" */
static bool read_status(lt_http_head *head)
{
    const char *p = head->line + sizeof begin - 1;
    size_t used = 0;

    if (*p < '0' || *p > '9' || p[1] != ' ')
        return false;
    p += 2;
    for (int i = 0; i < 3; i++, p++) {
        if (*p < '0' || *p > '9')
            return false;
        head->status = head->status * 10 + (*p - '0');
    }
    if (head->status < 100 || (*p && *p != ' '))
        return false;
    for (; *p && used + 1 < sizeof head->reason; p++)
        if (used || *p != ' ')
            head->reason[used++] = *p;
    head->reason[used] = '\0';
    for (char *c = head->reason; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
    return true;
}

static bool read_field(lt_http_head *head)
{
    char *colon = strchr(head->line, ':');
    char *value = colon ? colon + 1 : NULL, *end = head->line + head->used;

    if (!colon || !is_token(head->line, (size_t)(colon - head->line)))
        return false;
    *colon = '\0';
    while (is_blank(*value))
        value++;
    while (end > value && is_blank(end[-1]))
        *--end = '\0';
    head->on_field(head->user, head->line, value);
    return true;
}

static void end_line(lt_http_head *head)
{
    bool good = true;

    if (head->used && head->line[head->used - 1] == '\r')
        head->used--;
    head->line[head->used] = '\0';
    if (strlen(head->line) != head->used || strchr(head->line, '\r'))
        good = false;
    else if (!head->lines)
        good = read_status(head);
    else if (!head->used)
        head->state = LT_HTTP_HEAD_DONE;
    else
        good = read_field(head);
    if (!good)
        head->state = LT_HTTP_HEAD_MALFORMED;
    else if (++head->lines >= LT_HTTP_LINES_MAX && head->state == LT_HTTP_HEAD_MORE)
        head->state = LT_HTTP_HEAD_TOO_LONG;
    head->used = 0;
}

size_t lt_http_head_receive(lt_http_head *head, const uint8_t *data, size_t size)
{
    size_t taken = 0;

    while (taken < size && head->state == LT_HTTP_HEAD_MORE) {
        char c = (char)data[taken++];
        if (c == '\n' && (head->lines || head->used >= sizeof begin - 1)) {
            end_line(head);
            continue;
        }
        if (head->used == LT_HTTP_LINE_MAX) {
            head->state = LT_HTTP_HEAD_TOO_LONG;
            break;
        }
        head->line[head->used++] = c;
        head->line[head->used] = '\0';
        if (!head->lines && head->used <= sizeof begin - 1 && c != begin[head->used - 1])
            head->state = LT_HTTP_HEAD_NOT_HTTP;
    }
    return taken;
}
