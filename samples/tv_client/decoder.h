/* SPDX-License-Identifier: MIT */
/* Decodes H.264 by libavcodec: one picture in, one picture out. */
#ifndef TV_DECODER_H
#define TV_DECODER_H

#include "../tv_common/picture.h"

typedef struct decoder decoder;

/* NULL, with a message for the user. */
decoder *decoder_open(char *message, size_t size);
void decoder_close(decoder **d);

/* The planes are valid until the next call. False: no picture, or it cannot be decoded. */
bool decoder_decode(decoder *d, const uint8_t *bytes, size_t size, tv_picture *picture);

#endif
