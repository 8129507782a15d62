/* SPDX-License-Identifier: MIT */
/* Pictures in 4:2:0, and what is written into them: letters, and a number that a program reads. */
#ifndef TV_PICTURE_H
#define TV_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_MIN_WIDTH 160 /* of a picture with a number: a block is 4 pixels wide */

typedef struct tv_picture {
    int width, height; /* even */
    uint8_t *planes[3];
    int strides[3];
} tv_picture;

/* All planes in one piece of memory; false without. */
bool tv_picture_create(tv_picture *picture, int width, int height);
void tv_picture_destroy(tv_picture *picture);

/* Half as wide and high, rounded down to even numbers: each pixel is the mean of four. */
void tv_picture_halve(const tv_picture *from, tv_picture *to);

/* Capital letters, digits and some signs, 3 by 5 dots of `scale` pixels, white on black. What does
 * not fit is cut off. Its height is 7 * scale. */
void tv_picture_write(tv_picture *picture, int x, int y, int scale, const char *text);

/* The number as a row of 40 black and white blocks along the lower edge: 32 bits and a checksum.
 * The row keeps its place when a picture is scaled. */
void tv_picture_put_number(tv_picture *picture, uint32_t number);
bool tv_picture_get_number(const tv_picture *picture, uint32_t *number);

#endif
