/* SPDX-License-Identifier: MIT */
#include "lab/probe/wire.h"

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>

#define MAGIC 0x4c545052u /* "LTPR" */

void lt_wire_encode(const lt_wire_message *message, uint8_t head[LT_WIRE_HEAD])
{
    lt_write_be32(head, MAGIC);
    head[4] = LT_WIRE_VERSION;
    head[5] = (uint8_t)message->type;
    lt_write_be16(head + 6, message->flags);
    lt_write_be32(head + 8, message->length);
    lt_write_be32(head + 12, 0);
    lt_write_be64(head + 16, message->a);
    lt_write_be64(head + 24, message->b);
    lt_write_be64(head + 32, message->c);
}

livetcp_result lt_wire_decode(const uint8_t head[LT_WIRE_HEAD], lt_wire_message *message,
                              livetcp_error *error)
{
    uint32_t length = lt_read_be32(head + 8);

    if (lt_read_be32(head) != MAGIC)
        return lt_fail(error, LIVETCP_ERR_PROTOCOL, "is not a livetcp probe");
    if (head[4] != LT_WIRE_VERSION)
        return lt_fail(error, LIVETCP_ERR_VERSION,
                       "speaks version %u of the probe's protocol, and this is %d: take the same "
                       "LiveTCP at both ends",
                       head[4], LT_WIRE_VERSION);
    if (head[5] < LT_WIRE_PING || head[5] > LT_WIRE_REPORT || length < LT_WIRE_HEAD ||
        length > LT_WIRE_MAX)
        return lt_fail(error, LIVETCP_ERR_PROTOCOL,
                       "sends nonsense: a message of type %u with %u bytes", head[5], length);
    *message = (lt_wire_message){.type = (lt_wire_type)head[5],
                                 .flags = lt_read_be16(head + 6),
                                 .length = length,
                                 .a = lt_read_be64(head + 16),
                                 .b = lt_read_be64(head + 24),
                                 .c = lt_read_be64(head + 32)};
    return LIVETCP_OK;
}

size_t lt_wire_wants(lt_wire_reader *reader, uint8_t **where)
{
    if (reader->have < LT_WIRE_HEAD) {
        *where = reader->head + reader->have;
        return LT_WIRE_HEAD - reader->have;
    }
    *where = NULL;
    return reader->message.length - reader->have;
}

livetcp_result lt_wire_got(lt_wire_reader *reader, size_t size, const lt_wire_message **message,
                           livetcp_error *error)
{
    bool had_head = reader->have >= LT_WIRE_HEAD;

    *message = NULL;
    reader->have += size;
    if (!had_head && reader->have == LT_WIRE_HEAD) {
        livetcp_result result = lt_wire_decode(reader->head, &reader->message, error);
        if (result != LIVETCP_OK)
            return result;
    }
    if (reader->have >= LT_WIRE_HEAD && reader->have == reader->message.length) {
        reader->have = 0;
        *message = &reader->message;
    }
    return LIVETCP_OK;
}
