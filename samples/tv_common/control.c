/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "bytes.h"

#include <string.h>

enum { APP = 204, HEADER = 12, FIXED = 16 };

static const uint8_t name[4] = {'L', 'T', 'T', 'V'};

/* ---- writing ---- */

/* Writes the APP header, and the text after the fixed part, padded with zeroes. Returns the
 * size. */
static size_t frame(uint8_t *out, unsigned subtype, uint32_t ssrc, const char *text)
{
    size_t length = strlen(text);

    if (length > TV_TEXT_MAX)
        length = TV_TEXT_MAX;
    const size_t size = HEADER + FIXED + (length + 3) / 4 * 4;
    memset(out, 0, size);
    out[0] = (uint8_t)(0x80 | subtype);
    out[1] = APP;
    tv_put16(out + 2, (uint16_t)(size / 4 - 1));
    tv_put32(out + 4, ssrc);
    memcpy(out + 8, name, sizeof name);
    out[HEADER + 15] = (uint8_t)length;
    memcpy(out + HEADER + FIXED, text, length);
    return size;
}

size_t tv_write_request(uint8_t *out, uint32_t ssrc, const tv_request *request)
{
    const size_t size = frame(out, 0, ssrc, request->text);

    tv_put32(out + HEADER, request->number);
    out[HEADER + 4] = (uint8_t)request->command;
    tv_put32(out + HEADER + 8, (uint32_t)request->value);
    return size;
}

size_t tv_write_answer(uint8_t *out, uint32_t ssrc, const tv_answer *answer)
{
    const size_t size = frame(out, 1, ssrc, answer->text);

    tv_put32(out + HEADER, answer->number);
    tv_put16(out + HEADER + 4, (uint16_t)answer->code);
    out[HEADER + 6] = (uint8_t)answer->mode;
    out[HEADER + 7] = (uint8_t)answer->quality;
    tv_put32(out + HEADER + 8, answer->behind_ms);
    out[HEADER + 12] = (uint8_t)answer->channel;
    out[HEADER + 13] = (uint8_t)answer->channels;
    return size;
}

/* ---- reading ---- */

/* False for text that exceeds the packet, or contains control characters. */
static bool read_text(char *text, const uint8_t *packet, size_t size)
{
    const size_t length = packet[HEADER + 15];

    if (length > TV_TEXT_MAX || size != HEADER + FIXED + (length + 3) / 4 * 4)
        return false;
    for (size_t i = 0; i < length; i++)
        if (packet[HEADER + FIXED + i] < 0x20 || packet[HEADER + FIXED + i] == 0x7f)
            return false;
    memcpy(text, packet + HEADER + FIXED, length);
    text[length] = '\0';
    return true;
}

static bool read_request(tv_request *r, const uint8_t *packet, size_t size)
{
    r->number = tv_get32(packet + HEADER);
    r->command = (tv_command)packet[HEADER + 4];
    r->value = (int32_t)tv_get32(packet + HEADER + 8);
    return read_text(r->text, packet, size) && r->number > 0;
}

static bool read_answer(tv_answer *a, const uint8_t *packet, size_t size)
{
    const unsigned mode = packet[HEADER + 6], quality = packet[HEADER + 7];

    a->number = tv_get32(packet + HEADER);
    a->code = tv_get16(packet + HEADER + 4);
    a->mode = (tv_mode)mode;
    a->quality = (tv_quality)quality;
    a->behind_ms = tv_get32(packet + HEADER + 8);
    a->channel = packet[HEADER + 12];
    a->channels = packet[HEADER + 13];
    return read_text(a->text, packet, size) && mode <= TV_IS_FORWARD && quality <= TV_LOW;
}

tv_control_kind tv_read_control(const uint8_t *packet, size_t size, tv_request *request,
                                tv_answer *answer)
{
    if (size < HEADER || packet[1] != APP || memcmp(packet + 8, name, sizeof name) != 0)
        return TV_NO_CONTROL;
    if (packet[0] >> 5 != 4 || size < HEADER + FIXED || size > TV_CONTROL_MAX ||
        size != ((size_t)tv_get16(packet + 2) + 1) * 4)
        return TV_GARBAGE;
    switch (packet[0] & 31) {
    case 0:
        return read_request(request, packet, size) ? TV_REQUEST : TV_GARBAGE;
    case 1:
        return read_answer(answer, packet, size) ? TV_ANSWER : TV_GARBAGE;
    default:
        return TV_GARBAGE;
    }
}

const char *tv_command_name(tv_command command)
{
    static const char *const names[] = {"?",    "channel", "pause",   "resume",
                                        "back", "live",    "forward", "quality"};

    return (unsigned)command < sizeof names / sizeof *names ? names[command] : "?";
}
