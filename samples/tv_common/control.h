/* SPDX-License-Identifier: MIT */
/* Requests of a viewer and answers of the server: RTCP APP packets (RFC 3550 section 6.7) named
 * "LTTV". docs/reference/tv-controls.md is the specification. */
#ifndef TV_CONTROL_H
#define TV_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_TEXT_MAX    120
#define TV_CONTROL_MAX (12 + 16 + TV_TEXT_MAX)

typedef enum tv_command {
    TV_CHANNEL = 1, /* text: its name; without one, value: 1 = next, -1 = previous */
    TV_PAUSE,
    TV_RESUME,
    TV_BACK, /* value: ms before the picture being sent */
    TV_LIVE,
    TV_FORWARD, /* value: speed in percent, 101..400 */
    TV_QUALITY  /* value: tv_quality */
} tv_command;

typedef enum tv_quality { TV_AUTO = 0, TV_HIGH, TV_LOW } tv_quality;

typedef enum tv_mode { TV_IS_LIVE = 0, TV_IS_SHIFTED, TV_IS_PAUSED, TV_IS_FORWARD } tv_mode;

/* Numbers start at 1 and increase. A repeated request is answered again, and not carried out
 * twice. */
typedef struct tv_request {
    uint32_t number;
    tv_command command;
    int32_t value;
    char text[TV_TEXT_MAX + 1];
} tv_request;

/* HTTP's. */
enum { TV_OK = 200, TV_MALFORMED = 400, TV_NOT_FOUND = 404, TV_NOT_NOW = 409, TV_GONE = 410 };

typedef struct tv_answer {
    uint32_t number; /* 0: of no request, something has changed by itself */
    unsigned code;
    tv_mode mode;
    tv_quality quality;         /* TV_HIGH or TV_LOW: what is sent from the next key frame on */
    uint32_t behind_ms;         /* how old the picture is that is sent now */
    uint16_t channel, channels; /* from 0, and how many there are */
    char text[TV_TEXT_MAX + 1]; /* TV_OK: the channel's name; else why not */
} tv_answer;

typedef enum tv_control_kind {
    TV_NO_CONTROL = 0, /* other RTCP */
    TV_GARBAGE,        /* named "LTTV", and malformed */
    TV_REQUEST,
    TV_ANSWER
} tv_control_kind;

/* Returns the packet's size; `out` has TV_CONTROL_MAX bytes. A long text is truncated. */
size_t tv_write_request(uint8_t *out, uint32_t ssrc, const tv_request *request);
size_t tv_write_answer(uint8_t *out, uint32_t ssrc, const tv_answer *answer);

/* Fills in the struct of the returned kind. Accepts untrusted input. */
tv_control_kind tv_read_control(const uint8_t *packet, size_t size, tv_request *request,
                                tv_answer *answer);

const char *tv_command_name(tv_command command); /* "pause" */

#endif
