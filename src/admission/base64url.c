/* SPDX-License-Identifier: MIT */
#include "admission/base64url.h"

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '-')
        return 62;
    return c == '_' ? 63 : -1;
}

long lt_base64url_decode(const char *text, size_t size, uint8_t *out)
{
    uint32_t bits = 0;
    unsigned count = 0;
    long used = 0;

    if (size % 4 == 1)
        return -1;
    for (size_t i = 0; i < size; i++) {
        int value = value_of(text[i]);
        if (value < 0)
            return -1;
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[used++] = (uint8_t)(bits >> count);
            bits &= (1u << count) - 1;
        }
    }
    return bits ? -1 : used;
}
