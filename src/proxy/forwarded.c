/* SPDX-License-Identifier: MIT */
#include "proxy/forwarded.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Reads a port of at most five digits. */
static bool read_port(const char *text, size_t size, uint16_t *port)
{
    unsigned value = 0;

    if (!size || size > 5)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = 10 * value + (unsigned)(text[i] - '0');
    }
    *port = (uint16_t)value;
    return value <= UINT16_MAX;
}

/* "192.0.2.1", "192.0.2.1:5004", "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:5004". */
static bool read_item(const char *text, size_t size, lt_ip *ip, uint16_t *port)
{
    const char *end = text + size, *colon;

    *port = 0;
    if (lt_ip_parse(text, size, ip))
        return true;
    if (size && *text == '[') {
        const char *bracket = memchr(text, ']', size);
        return bracket && lt_ip_parse(text + 1, (size_t)(bracket - text - 1), ip) &&
               !lt_ip_is_v4(ip) &&
               (bracket + 1 == end ||
                (bracket[1] == ':' && read_port(bracket + 2, (size_t)(end - bracket - 2), port)));
    }
    colon = memchr(text, ':', size);
    return colon && lt_ip_parse(text, (size_t)(colon - text), ip) && lt_ip_is_v4(ip) &&
           read_port(colon + 1, (size_t)(end - colon - 1), port);
}

bool lt_forwarded_read(const char *list, const char *trusted, lt_ip *ip, uint16_t *port)
{
    const char *end = list + strlen(list);
    bool found = false;

    for (;;) {
        const char *begin = end, *last = end;
        lt_ip item;
        uint16_t its_port;
        while (begin > list && begin[-1] != ',')
            begin--;
        const char *next = begin;
        while (begin < last && is_blank(*begin))
            begin++;
        while (last > begin && is_blank(last[-1]))
            last--;
        if (!read_item(begin, (size_t)(last - begin), &item, &its_port))
            return found; /* a trusted proxy wrote "unknown" or the like */
        *ip = item;
        *port = its_port;
        found = true;
        if (next == list || !lt_network_list_has(trusted, &item))
            return true;
        end = next - 1;
    }
}
