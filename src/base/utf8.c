/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the character that begins with this byte; 0 if it begins none. */
static size_t character_size(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* False for overlong encodings, surrogates, code points beyond U+10FFFF, and control characters. */
static bool is_allowed(uint32_t code, size_t size)
{
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};

    return code >= min[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
           code >= 0x20 && (code < 0x7f || code > 0x9f);
}

bool lt_utf8_is_text(const char *text, size_t size)
{
    const uint8_t *p = (const uint8_t *)text;

    while (size) {
        size_t length = character_size(*p);
        if (!length || length > size)
            return false;
        uint32_t code = length == 1 ? *p : *p & (0x7fu >> length);
        for (size_t i = 1; i < length; i++) {
            if (p[i] >> 6 != 2)
                return false;
            code = code << 6 | (p[i] & 0x3f);
        }
        if (!is_allowed(code, length))
            return false;
        p += length;
        size -= length;
    }
    return true;
}

size_t lt_utf8_cut(const char *text, size_t limit)
{
    size_t size = strlen(text);

    if (size <= limit)
        return size;
    while (limit && (uint8_t)text[limit] >> 6 == 2)
        limit--;
    return limit;
}
