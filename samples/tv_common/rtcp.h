/* SPDX-License-Identifier: MIT */
/* RTCP (RFC 3550, RFC 4585) between server and client, beside the controls. */
#ifndef TV_RTCP_H
#define TV_RTCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RTP parameters of a channel. */
#define TV_VIDEO_PAYLOAD 96
#define TV_SOUND_PAYLOAD 111
#define TV_VIDEO_CLOCK   90000
#define TV_SOUND_CLOCK   48000

#define TV_REPORT_SIZE          52
#define TV_KEYFRAME_WANTED_SIZE 12

/* A sender report: the RTP timestamp at a wall-clock time. */
typedef struct tv_report {
    uint32_t ssrc;
    int64_t wall_us; /* Unix time */
    uint32_t timestamp;
    uint32_t packets, bytes;
} tv_report;

/* Writes a sender report and an SDES packet. */
size_t tv_write_report(uint8_t out[TV_REPORT_SIZE], const tv_report *report);

/* Finds the sender report in a compound packet; false if there is none. Accepts untrusted input. */
bool tv_read_report(const uint8_t *packet, size_t size, tv_report *report);

/* Writes a picture loss indication (RFC 4585 section 6.3.1). */
size_t tv_write_keyframe_wanted(uint8_t out[TV_KEYFRAME_WANTED_SIZE], uint32_t ssrc,
                                uint32_t media_ssrc);
bool tv_is_keyframe_wanted(const uint8_t *packet, size_t size);

#endif
