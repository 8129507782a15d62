/* SPDX-License-Identifier: MIT */
/* Pictures in YUV 4:2:0, and drawing into them: text, and a machine-readable number. */
#ifndef TV_PICTURE_H
#define TV_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_MIN_WIDTH 160 /* minimum width for a number: a block is 4 pixels wide */

typedef struct tv_picture {
    int width, height; /* even */
    uint8_t *planes[3];
    int strides[3];
} tv_picture;

/* Allocates all planes in one block; false without memory. */
bool tv_picture_create(tv_picture *picture, int width, int height);
void tv_picture_destroy(tv_picture *picture);

/* Halves width and height, rounded down to even numbers: each pixel is the mean of four. */
void tv_picture_halve(const tv_picture *from, tv_picture *to);

/* Draws capital letters, digits and some signs, 3 by 5 dots of `scale` pixels, white on black.
 * Clipped at the border; 7 * scale high. */
void tv_picture_write(tv_picture *picture, int x, int y, int scale, const char *text);

/* Draws the number as a row of 40 black and white blocks along the lower edge: 32 bits and a
 * checksum. It stays readable when the picture is scaled. */
void tv_picture_put_number(tv_picture *picture, uint32_t number);
bool tv_picture_get_number(const tv_picture *picture, uint32_t *number);

#endif
