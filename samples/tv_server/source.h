/* SPDX-License-Identifier: MIT */
/* Source of a channel's pictures: the test picture, a Y4M file in a loop, or a camera. */
#ifndef TV_SOURCE_H
#define TV_SOURCE_H

#include "../tv_common/picture.h"

typedef struct source source;

typedef struct source_settings {
    const char *name;  /* "test", a file, or /dev/video0 */
    int width, height; /* of the test picture; requested from a camera */
    int fps;           /* the same; a file has its own */
    unsigned channel;  /* selects the test picture's colours */
} source_settings;

/* NULL, with a message for the user. */
source *source_open(const source_settings *settings, char *message, size_t size);
void source_close(source **s);

int source_width(const source *s);
int source_height(const source *s);

/* Pictures in so many seconds: 30000 in 1001 for many files. */
void source_rate(const source *s, int *pictures, int *seconds);

bool source_is_file(const source *s);

/* How often a file has begun again, for its sound to do the same. */
unsigned source_rounds(const source *s);

/* Draws picture `number` into `picture`, which has the source's size. False, with a message, if
 * there are no more. */
bool source_next(source *s, uint32_t number, tv_picture *picture, char *message, size_t size);

#endif
