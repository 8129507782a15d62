/* SPDX-License-Identifier: MIT */
#include "proxy/proxy_protocol.h"

#include "base/bytes.h"

#include <string.h>

/* ---- version 1: a line ---- */

static const char v1_begin[] = "PROXY ";

#define V1_MAX 107 /* with CR and LF */

/* Takes the word up to a space or the end. Empty if there is none. */
static const char *take_word(const char **p, const char *end, size_t *size)
{
    const char *word = *p;
    const char *blank = memchr(word, ' ', (size_t)(end - word));

    *size = (size_t)((blank ? blank : end) - word);
    *p = blank ? blank + 1 : end;
    return word;
}

static bool take_ip(const char **p, const char *end, bool v6, lt_ip *ip)
{
    size_t size;
    const char *word = take_word(p, end, &size);

    return (size && memchr(word, ':', size) != NULL) == v6 && lt_ip_parse(word, size, ip);
}

static bool take_port(const char **p, const char *end, uint16_t *port)
{
    size_t size;
    const char *word = take_word(p, end, &size);
    uint32_t value = 0;

    if (!size || size > 5 || (size > 1 && word[0] == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(word[i] - '0');
    }
    *port = (uint16_t)value;
    return value <= UINT16_MAX;
}

/* Reads "TCP4 192.0.2.1 192.0.2.2 40000 5004", or "UNKNOWN" with anything after it. */
static bool read_line(const char *p, const char *end, lt_proxy_header *header)
{
    size_t size;
    const char *family = take_word(&p, end, &size);
    lt_ip own;
    uint16_t own_port;

    if (size == 7 && !memcmp(family, "UNKNOWN", 7))
        return true;
    if (size != 4 || (memcmp(family, "TCP4", 4) != 0 && memcmp(family, "TCP6", 4) != 0))
        return false;
    bool v6 = family[3] == '6';
    header->known = take_ip(&p, end, v6, &header->address) && take_ip(&p, end, v6, &own) &&
                    take_port(&p, end, &header->port) && take_port(&p, end, &own_port) && p == end;
    return header->known;
}

static lt_proxy_header_state read_v1(const uint8_t *data, size_t size, lt_proxy_header *header)
{
    size_t limit = size < V1_MAX ? size : V1_MAX;
    const uint8_t *end = memchr(data, '\n', limit);

    if (!end)
        return size < V1_MAX ? LT_PROXY_HEADER_MORE : LT_PROXY_HEADER_MALFORMED;
    header->size = (size_t)(end - data) + 1;
    if (end[-1] != '\r' ||
        !read_line((const char *)data + sizeof v1_begin - 1, (const char *)end - 1, header))
        return LT_PROXY_HEADER_MALFORMED;
    return LT_PROXY_HEADER_READ;
}

/* ---- version 2: bytes ---- */

static const uint8_t v2_begin[12] = {'\r', '\n', '\r', '\n', 0,   '\r',
                                     '\n', 'Q',  'U',  'I',  'T', '\n'};

#define V2_HEAD 16

#define COMMAND_LOCAL 0x20
#define COMMAND_PROXY 0x21

#define FAMILY_UNKNOWN 0x00
#define FAMILY_TCP4    0x11
#define FAMILY_TCP6    0x21
#define FAMILY_UNIX    0x31

static bool read_addresses(uint8_t family, const uint8_t *data, size_t size,
                           lt_proxy_header *header)
{
    if (family == FAMILY_TCP4 && size >= 12) {
        header->address = lt_ip_from_v4(data);
        header->port = lt_read_be16(data + 8);
        header->known = true;
    } else if (family == FAMILY_TCP6 && size >= 36) {
        memcpy(header->address.bytes, data, 16);
        header->port = lt_read_be16(data + 32);
        header->known = true;
    }
    return header->known || family == FAMILY_UNKNOWN || family == FAMILY_UNIX;
}

static lt_proxy_header_state read_v2(const uint8_t *data, size_t size, lt_proxy_header *header)
{
    if (size > 12 && data[12] != COMMAND_LOCAL && data[12] != COMMAND_PROXY)
        return LT_PROXY_HEADER_MALFORMED;
    if (size < V2_HEAD)
        return LT_PROXY_HEADER_MORE;
    size_t rest = lt_read_be16(data + 14);
    header->size = V2_HEAD + rest;
    if (header->size > LT_PROXY_HEADER_MAX)
        return LT_PROXY_HEADER_MALFORMED;
    if (size < header->size)
        return LT_PROXY_HEADER_MORE;
    if (data[12] == COMMAND_PROXY && !read_addresses(data[13], data + V2_HEAD, rest, header))
        return LT_PROXY_HEADER_MALFORMED;
    return LT_PROXY_HEADER_READ;
}

/* ---- either ---- */

static bool begins(const uint8_t *data, size_t size, const void *begin, size_t begin_size)
{
    return memcmp(data, begin, size < begin_size ? size : begin_size) == 0;
}

lt_proxy_header_state lt_proxy_header_read(const uint8_t *data, size_t size,
                                           lt_proxy_header *header)
{
    lt_proxy_header found = {.known = false};
    lt_proxy_header_state state = LT_PROXY_HEADER_NONE;

    if (!size)
        return LT_PROXY_HEADER_MORE;
    if (begins(data, size, v1_begin, sizeof v1_begin - 1))
        state = size < sizeof v1_begin - 1 ? LT_PROXY_HEADER_MORE : read_v1(data, size, &found);
    else if (begins(data, size, v2_begin, sizeof v2_begin))
        state = read_v2(data, size, &found);
    if (state == LT_PROXY_HEADER_READ)
        *header = found;
    return state;
}
