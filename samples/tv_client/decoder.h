/* SPDX-License-Identifier: MIT */
/* H.264 by libavcodec, one picture in and one out. */
#ifndef TV_DECODER_H
#define TV_DECODER_H

#include "../tv_common/picture.h"

typedef struct decoder decoder;

/* NULL with a message for a person. */
decoder *decoder_open(char *message, size_t size);
void decoder_close(decoder **d);

/* The planes stay the decoder's until the next call. False: there is no picture in it, or none that
 * can be decoded. */
bool decoder_decode(decoder *d, const uint8_t *bytes, size_t size, tv_picture *picture);

#endif
