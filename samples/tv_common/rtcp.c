/* SPDX-License-Identifier: MIT */
#include "rtcp.h"

#include "bytes.h"

#include <string.h>

#define EPOCH_S 2208988800u /* seconds from NTP's epoch (1900) to Unix time's */

enum { SENDER_REPORT = 200, DESCRIPTION = 202, FEEDBACK = 206, SENDER_SIZE = 28 };

size_t tv_write_report(uint8_t out[TV_REPORT_SIZE], const tv_report *report)
{
    static const char cname[] = "livetcp-tv-server";
    const uint64_t us = (uint64_t)report->wall_us;

    memset(out, 0, TV_REPORT_SIZE);
    out[0] = 0x80;
    out[1] = SENDER_REPORT;
    tv_put16(out + 2, SENDER_SIZE / 4 - 1);
    tv_put32(out + 4, report->ssrc);
    tv_put32(out + 8, (uint32_t)(us / 1000000 + EPOCH_S));
    tv_put32(out + 12, (uint32_t)(((us % 1000000) << 32) / 1000000));
    tv_put32(out + 16, report->timestamp);
    tv_put32(out + 20, report->packets);
    tv_put32(out + 24, report->bytes);

    uint8_t *sdes = out + SENDER_SIZE; /* at least one zero byte ends the list */
    sdes[0] = 0x81;
    sdes[1] = DESCRIPTION;
    tv_put16(sdes + 2, (TV_REPORT_SIZE - SENDER_SIZE) / 4 - 1);
    tv_put32(sdes + 4, report->ssrc);
    sdes[8] = 1;
    sdes[9] = 13;
    memcpy(sdes + 10, cname, 13);
    return TV_REPORT_SIZE;
}

bool tv_read_report(const uint8_t *packet, size_t size, tv_report *report)
{
    while (size >= 4) {
        const size_t length = ((size_t)tv_get16(packet + 2) + 1) * 4;
        if (packet[0] >> 6 != 2 || length > size)
            return false;
        if (packet[1] == SENDER_REPORT && length >= SENDER_SIZE) {
            const uint64_t fraction = tv_get32(packet + 12);
            report->ssrc = tv_get32(packet + 4);
            report->wall_us = ((int64_t)tv_get32(packet + 8) - (int64_t)EPOCH_S) * 1000000 +
                              (int64_t)((fraction * 1000000 + (1u << 31)) >> 32);
            report->timestamp = tv_get32(packet + 16);
            report->packets = tv_get32(packet + 20);
            report->bytes = tv_get32(packet + 24);
            return true;
        }
        packet += length;
        size -= length;
    }
    return false;
}

size_t tv_write_keyframe_wanted(uint8_t out[TV_KEYFRAME_WANTED_SIZE], uint32_t ssrc,
                                uint32_t media_ssrc)
{
    out[0] = 0x81;
    out[1] = FEEDBACK;
    tv_put16(out + 2, TV_KEYFRAME_WANTED_SIZE / 4 - 1);
    tv_put32(out + 4, ssrc);
    tv_put32(out + 8, media_ssrc);
    return TV_KEYFRAME_WANTED_SIZE;
}

bool tv_is_keyframe_wanted(const uint8_t *packet, size_t size)
{
    return size == TV_KEYFRAME_WANTED_SIZE && packet[0] == 0x81 && packet[1] == FEEDBACK &&
           tv_get16(packet + 2) == TV_KEYFRAME_WANTED_SIZE / 4 - 1;
}
