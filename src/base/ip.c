/* SPDX-License-Identifier: MIT */
#include "base/ip.h"

#include <string.h>

static const uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* Groups of an IPv6 address, of two bytes each. */
#define GROUPS 8

bool lt_ip_is_v4(const lt_ip *ip)
{
    return !memcmp(ip->bytes, v4_prefix, sizeof v4_prefix);
}

lt_ip lt_ip_from_v4(const uint8_t bytes[4])
{
    lt_ip ip;

    memcpy(ip.bytes, v4_prefix, sizeof v4_prefix);
    memcpy(ip.bytes + sizeof v4_prefix, bytes, 4);
    return ip;
}

/* Parses a decimal number of 0..max without leading zeros, which some parsers read as octal. */
static bool parse_decimal(const char *text, size_t size, unsigned max, unsigned *value)
{
    *value = 0;
    if (!size || size > 3 || (size > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (unsigned)(text[i] - '0');
    }
    return *value <= max;
}

static size_t length_up_to(const char *text, size_t size, char c)
{
    const char *found = size ? memchr(text, c, size) : NULL;

    return found ? (size_t)(found - text) : size;
}

static bool parse_v4(const char *text, size_t size, uint8_t bytes[4])
{
    for (int i = 0; i < 4; i++) {
        size_t length = length_up_to(text, size, '.');
        unsigned value;
        if (!parse_decimal(text, length, 255, &value) || (length == size) != (i == 3))
            return false;
        bytes[i] = (uint8_t)value;
        text += length + (i < 3);
        size -= length + (i < 3);
    }
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_group(const char *text, size_t size, uint8_t bytes[2])
{
    unsigned value = 0;

    if (!size || size > 4)
        return false;
    for (size_t i = 0; i < size; i++) {
        int digit = hex_value(text[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (unsigned)digit;
    }
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
    return true;
}

/* Parses groups separated by colons; the last two may be an IPv4 address. Returns the number of
 * groups, or -1. */
static int parse_groups(const char *text, size_t size, uint8_t bytes[16])
{
    int count = 0;

    while (size) {
        size_t length = length_up_to(text, size, ':');
        bool last = length == size;
        if (last && count <= GROUPS - 2 && memchr(text, '.', length))
            return parse_v4(text, length, bytes + 2 * (size_t)count) ? count + 2 : -1;
        if (count == GROUPS || !parse_group(text, length, bytes + 2 * (size_t)count))
            return -1;
        count++;
        if (last)
            break;
        text += length + 1;
        size -= length + 1;
        if (!size)
            return -1; /* trailing colon */
    }
    return count;
}

static bool parse_v6(const char *text, size_t size, uint8_t bytes[16])
{
    uint8_t before[16] = {0}, after[16] = {0};
    size_t gap = 0;

    while (gap + 1 < size && !(text[gap] == ':' && text[gap + 1] == ':'))
        gap++;
    if (gap + 1 >= size) {
        memset(bytes, 0, 16);
        return parse_groups(text, size, bytes) == GROUPS;
    }
    int head = parse_groups(text, gap, before);
    int tail = parse_groups(text + gap + 2, size - gap - 2, after);
    if (head < 0 || tail < 0 || head + tail >= GROUPS || memchr(text, '.', gap))
        return false;
    memcpy(bytes, before, 16);
    memcpy(bytes + 16 - 2 * (size_t)tail, after, 2 * (size_t)tail);
    return true;
}

bool lt_ip_parse(const char *text, size_t size, lt_ip *ip)
{
    uint8_t v4[4];

    if (size && memchr(text, ':', size))
        return parse_v6(text, size, ip->bytes);
    if (!parse_v4(text, size, v4))
        return false;
    *ip = lt_ip_from_v4(v4);
    return true;
}

bool lt_network_parse(const char *text, size_t size, lt_network *network)
{
    size_t length = length_up_to(text, size, '/');
    unsigned bits = 0;

    if (!lt_ip_parse(text, length, &network->ip))
        return false;
    bool v4 = !memchr(text, ':', length);
    unsigned max = v4 ? 32 : 128;
    if (length == size)
        bits = max;
    else if (!parse_decimal(text + length + 1, size - length - 1, max, &bits))
        return false;
    network->bits = bits + 128 - max;
    return true;
}

bool lt_network_has(const lt_network *network, const lt_ip *ip)
{
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    uint8_t mask = (uint8_t)(0xff << (8 - rest));

    return !memcmp(network->ip.bytes, ip->bytes, whole) &&
           (!rest || ((network->ip.bytes[whole] ^ ip->bytes[whole]) & mask) == 0);
}

bool lt_network_list_has(const char *list, const lt_ip *ip)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        lt_network network;
        if (lt_network_parse(list, length, &network) && lt_network_has(&network, ip))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}
