/* SPDX-License-Identifier: MIT */
/* Writes RTCP packets, one after the other. */
#include "base/bytes.h"
#include "rtp/rtcp/packet.h"

#include <string.h>

#define HEADER     4
#define WORD       4
#define INFO_SIZE  20
#define BLOCK_SIZE 24

#define SDES_CNAME 1

/* Writes a header for `body` bytes, a multiple of four. Returns the address of the body, or NULL
 * without space. */
static uint8_t *begin(lt_rtcp_writer *writer, uint8_t type, unsigned count, size_t body)
{
    uint8_t *out = writer->data + writer->used;

    if (count > LT_RTCP_COUNT_MAX || writer->size - writer->used < HEADER + body)
        return NULL;
    out[0] = (uint8_t)(2 << 6 | count);
    out[1] = type;
    lt_write_be16(out + 2, (uint16_t)(body / WORD));
    writer->used += HEADER + body;
    return out + HEADER;
}

static void write_info(uint8_t *out, const lt_rtcp_sender_info *info)
{
    lt_write_be64(out, info->ntp);
    lt_write_be32(out + 8, info->timestamp);
    lt_write_be32(out + 12, info->packets);
    lt_write_be32(out + 16, info->octets);
}

static void write_block(uint8_t *out, const lt_rtcp_block *block)
{
    lt_write_be32(out, block->ssrc);
    lt_write_be32(out + 4, (uint32_t)block->cumulative_lost & 0xffffff);
    out[4] = block->fraction_lost;
    lt_write_be32(out + 8, block->highest);
    lt_write_be32(out + 12, block->jitter);
    lt_write_be32(out + 16, block->lsr);
    lt_write_be32(out + 20, block->dlsr);
}

bool lt_rtcp_write_report(lt_rtcp_writer *writer, uint32_t ssrc, const lt_rtcp_sender_info *info,
                          const lt_rtcp_block *blocks, unsigned count)
{
    size_t body = WORD + (info ? (size_t)INFO_SIZE : 0) + (size_t)count * BLOCK_SIZE;
    uint8_t *out = begin(writer, info ? LT_RTCP_SR : LT_RTCP_RR, count, body);

    if (!out)
        return false;
    lt_write_be32(out, ssrc);
    out += WORD;
    if (info) {
        write_info(out, info);
        out += INFO_SIZE;
    }
    for (unsigned i = 0; i < count; i++)
        write_block(out + (size_t)i * BLOCK_SIZE, &blocks[i]);
    return true;
}

bool lt_rtcp_write_cname(lt_rtcp_writer *writer, const uint32_t *ssrcs, unsigned count,
                         const char *cname)
{
    size_t length = strlen(cname);
    /* Source, type, length, text, and at least one zero up to the next word. */
    size_t chunk = (WORD + 2 + length + 1 + WORD - 1) / WORD * WORD;
    uint8_t *out =
        length > LT_RTCP_TEXT_MAX ? NULL : begin(writer, LT_RTCP_SDES, count, count * chunk);

    if (!out)
        return false;
    memset(out, 0, count * chunk);
    for (unsigned i = 0; i < count; i++, out += chunk) {
        lt_write_be32(out, ssrcs[i]);
        out[4] = SDES_CNAME;
        out[5] = (uint8_t)length;
        memcpy(out + 6, cname, length);
    }
    return true;
}

bool lt_rtcp_write_bye(lt_rtcp_writer *writer, const uint32_t *ssrcs, unsigned count)
{
    uint8_t *out = begin(writer, LT_RTCP_BYE, count, (size_t)count * WORD);

    if (!out)
        return false;
    for (unsigned i = 0; i < count; i++)
        lt_write_be32(out + (size_t)i * WORD, ssrcs[i]);
    return true;
}
