/* SPDX-License-Identifier: MIT */
/* Layout after CREATE's fixed fields: the sizes of stream id and token, 2 bytes each; their bytes;
 * zeros up to a multiple of four. */
#include "wire/introduction.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "wire/frame.h"

#include <string.h>

#define SIZES 4

_Static_assert(LT_FRAME_HEADER + LT_CREATE_FIXED + SIZES + 3 <= LT_CONTROL_MAX, "the fixed part");

size_t lt_introduction_append(const lt_introduction *introduction, uint8_t *frame, size_t size)
{
    size_t name = strlen(introduction->stream_id), token = strlen(introduction->token);
    size_t padding = (4 - (name + token) % 4) % 4;
    uint8_t *p = frame + size;

    if (!name && !token)
        return size;
    lt_write_be16(p, (uint16_t)name);
    lt_write_be16(p + 2, (uint16_t)token);
    memcpy(p + SIZES, introduction->stream_id, name);
    memcpy(p + SIZES + name, introduction->token, token);
    memset(p + SIZES + name + token, 0, padding);
    size += SIZES + name + token + padding;
    lt_write_be16(frame, (uint16_t)(size - LT_FRAME_HEADER));
    lt_write_be16(frame + LT_FRAME_HEADER + 2, (uint16_t)((size - LT_FRAME_HEADER) / 4 - 1));
    return size;
}

livetcp_result lt_introduction_read(const uint8_t *packet, size_t size,
                                    lt_introduction_texts *texts)
{
    const uint8_t *p = packet + LT_CREATE_FIXED;
    size_t name, token;

    memset(texts, 0, sizeof *texts);
    if (size < LT_CREATE_FIXED + SIZES)
        return LIVETCP_OK;
    name = lt_read_be16(p);
    token = lt_read_be16(p + 2);
    if (name > LIVETCP_STREAM_ID_MAX || token > LIVETCP_TOKEN_MAX ||
        name + token > size - LT_CREATE_FIXED - SIZES ||
        !lt_utf8_is_text((const char *)p + SIZES, name) ||
        !lt_utf8_is_text((const char *)p + SIZES + name, token))
        return LIVETCP_ERR_PROTOCOL;
    memcpy(texts->stream_id, p + SIZES, name);
    memcpy(texts->token, p + SIZES + name, token);
    return LIVETCP_OK;
}
