/* SPDX-License-Identifier: MIT */
/* One quality of a channel: x264, with slices in RTP packets (RFC 6184: single NAL unit packets, or
 * FU-A fragments of larger units). */
#ifndef TV_ENCODING_H
#define TV_ENCODING_H

#include "unit.h"

#include "../tv_common/picture.h"

typedef struct encoding encoding;

typedef struct encoding_settings {
    int width, height;
    int pictures, seconds; /* pictures in so many seconds */
    int kbits;             /* per second, at first */
    int key_frames;        /* pictures from one key frame to the next */
    bool intra_refresh; /* between key frames a column of intra blocks wanders over the picture */
    const char *preset; /* of x264 */
} encoding_settings;

/* NULL, with a message for the user. */
encoding *encoding_open(const encoding_settings *settings, char *message, size_t size);
void encoding_close(encoding **e);

/* `key`: encode a key frame. NULL without memory, or if x264 fails. */
unit *encoding_encode(encoding *e, const tv_picture *picture, int64_t pts_us, bool key);

/* Takes effect with the next picture. */
void encoding_set_rate(encoding *e, int kbits);
int encoding_rate(const encoding *e);

#endif
