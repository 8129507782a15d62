/* SPDX-License-Identifier: MIT */
#include "wire/client_hello.h"

#include "base/bytes.h"

#include <stdbool.h>
#include <string.h>

#define RECORD_HEADER    5
#define RECORD_HANDSHAKE 22
#define RECORD_MAX       16384
#define CLIENT_HELLO     1
#define VERSION_RANDOM   (2 + 32)
#define EXTENSION_ALPN   16

/* Remaining bytes; `good` becomes false when more are taken than remain. */
typedef struct span {
    const uint8_t *data;
    size_t size;
    bool good;
} span;

static span take(span *from, size_t size)
{
    span taken = {from->data, size, from->good && size <= from->size};

    if (!taken.good) {
        from->good = false;
        from->size = taken.size = 0;
        return taken;
    }
    from->data += size;
    from->size -= size;
    return taken;
}

/* Takes a vector that is preceded by its length in `width` bytes. */
static span take_vector(span *from, size_t width)
{
    span header = take(from, width);
    size_t size = 0;

    for (size_t i = 0; header.good && i < width; i++)
        size = size << 8 | header.data[i];
    return take(from, header.good ? size : SIZE_MAX);
}

static unsigned take_be16(span *from)
{
    span two = take(from, 2);

    return two.good ? lt_read_be16(two.data) : 0;
}

/* True if the ALPN extension offers the protocol. */
static bool offers(span extension, const char *protocol)
{
    span list = take_vector(&extension, 2);

    while (list.good && list.size) {
        span name = take_vector(&list, 1);
        if (name.good && name.size == strlen(protocol) &&
            memcmp(name.data, protocol, name.size) == 0)
            return true;
    }
    return false;
}

static lt_client_hello find_protocol(span extensions, const char *protocol)
{
    while (extensions.good && extensions.size) {
        unsigned type = take_be16(&extensions);
        span contents = take_vector(&extensions, 2);
        if (contents.good && type == EXTENSION_ALPN)
            return offers(contents, protocol) ? LT_CLIENT_HELLO_OFFERED : LT_CLIENT_HELLO_OTHER;
    }
    return extensions.good ? LT_CLIENT_HELLO_OTHER : LT_CLIENT_HELLO_UNKNOWN;
}

static lt_client_hello read_record(span record, const char *protocol)
{
    span type = take(&record, 1);
    span hello = take_vector(&record, 3);

    if (!hello.good || type.data[0] != CLIENT_HELLO)
        return LT_CLIENT_HELLO_UNKNOWN;
    take(&hello, VERSION_RANDOM);
    take_vector(&hello, 1); /* session id */
    take_vector(&hello, 2); /* cipher suites */
    take_vector(&hello, 1); /* compression methods */
    if (!hello.good)
        return LT_CLIENT_HELLO_UNKNOWN;
    if (!hello.size)
        return LT_CLIENT_HELLO_OTHER;
    span extensions = take_vector(&hello, 2);
    return extensions.good ? find_protocol(extensions, protocol) : LT_CLIENT_HELLO_UNKNOWN;
}

lt_client_hello lt_client_hello_classify(const uint8_t *data, size_t size, const char *protocol)
{
    size_t length;

    if (size && data[0] != RECORD_HANDSHAKE)
        return LT_CLIENT_HELLO_UNKNOWN;
    if (size < RECORD_HEADER)
        return LT_CLIENT_HELLO_MORE;
    length = lt_read_be16(data + 3);
    if (length == 0 || length > RECORD_MAX)
        return LT_CLIENT_HELLO_UNKNOWN;
    if (size < RECORD_HEADER + length)
        return LT_CLIENT_HELLO_MORE;
    return read_record((span){data + RECORD_HEADER, length, true}, protocol);
}
