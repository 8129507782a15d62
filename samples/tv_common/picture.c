/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

enum { BLACK = 16, WHITE = 235, GREY = 128, BLOCKS = 40, ROWS = 20 };

bool tv_picture_create(tv_picture *p, int width, int height)
{
    const size_t luma = (size_t)width * (size_t)height;

    *p = (tv_picture){.width = width, .height = height, .strides = {width, width / 2, width / 2}};
    p->planes[0] = malloc(luma * 3 / 2);
    if (!p->planes[0])
        return false;
    p->planes[1] = p->planes[0] + luma;
    p->planes[2] = p->planes[1] + luma / 4;
    memset(p->planes[0], BLACK, luma);
    memset(p->planes[1], GREY, luma / 2);
    return true;
}

void tv_picture_destroy(tv_picture *p)
{
    free(p->planes[0]);
    *p = (tv_picture){0};
}

static void halve_plane(const uint8_t *from, int from_stride, uint8_t *to, int stride, int width,
                        int height)
{
    for (int y = 0; y < height; y++) {
        const uint8_t *a = from + (size_t)(2 * y) * (size_t)from_stride, *b = a + from_stride;
        uint8_t *row = to + (size_t)y * (size_t)stride;
        for (int x = 0; x < width; x++)
            row[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) / 4);
    }
}

void tv_picture_halve(const tv_picture *from, tv_picture *to)
{
    halve_plane(from->planes[0], from->strides[0], to->planes[0], to->strides[0], to->width,
                to->height);
    for (int i = 1; i < 3; i++)
        halve_plane(from->planes[i], from->strides[i], to->planes[i], to->strides[i], to->width / 2,
                    to->height / 2);
}

/* ---- letters ---- */

/* Five rows of three dots; the highest of 15 bits is at the upper left. */
typedef struct glyph {
    char letter;
    uint16_t dots;
} glyph;

#define DOTS(a, b, c, d, e) ((a) << 12 | (b) << 9 | (c) << 6 | (d) << 3 | (e))

static const glyph glyphs[] = {
    {'0', DOTS(7, 5, 5, 5, 7)}, {'1', DOTS(2, 6, 2, 2, 7)}, {'2', DOTS(7, 1, 7, 4, 7)},
    {'3', DOTS(7, 1, 7, 1, 7)}, {'4', DOTS(5, 5, 7, 1, 1)}, {'5', DOTS(7, 4, 7, 1, 7)},
    {'6', DOTS(7, 4, 7, 5, 7)}, {'7', DOTS(7, 1, 2, 2, 2)}, {'8', DOTS(7, 5, 7, 5, 7)},
    {'9', DOTS(7, 5, 7, 1, 7)}, {'A', DOTS(2, 5, 7, 5, 5)}, {'B', DOTS(6, 5, 6, 5, 6)},
    {'C', DOTS(3, 4, 4, 4, 3)}, {'D', DOTS(6, 5, 5, 5, 6)}, {'E', DOTS(7, 4, 6, 4, 7)},
    {'F', DOTS(7, 4, 6, 4, 4)}, {'G', DOTS(3, 4, 5, 5, 3)}, {'H', DOTS(5, 5, 7, 5, 5)},
    {'I', DOTS(7, 2, 2, 2, 7)}, {'J', DOTS(1, 1, 1, 5, 2)}, {'K', DOTS(5, 5, 6, 5, 5)},
    {'L', DOTS(4, 4, 4, 4, 7)}, {'M', DOTS(5, 7, 7, 5, 5)}, {'N', DOTS(6, 5, 5, 5, 5)},
    {'O', DOTS(2, 5, 5, 5, 2)}, {'P', DOTS(6, 5, 6, 4, 4)}, {'Q', DOTS(2, 5, 5, 6, 3)},
    {'R', DOTS(6, 5, 6, 5, 5)}, {'S', DOTS(3, 4, 2, 1, 6)}, {'T', DOTS(7, 2, 2, 2, 2)},
    {'U', DOTS(5, 5, 5, 5, 7)}, {'V', DOTS(5, 5, 5, 5, 2)}, {'W', DOTS(5, 5, 7, 7, 5)},
    {'X', DOTS(5, 5, 2, 5, 5)}, {'Y', DOTS(5, 5, 2, 2, 2)}, {'Z', DOTS(7, 1, 2, 4, 7)},
    {'.', DOTS(0, 0, 0, 0, 2)}, {',', DOTS(0, 0, 0, 2, 4)}, {':', DOTS(0, 2, 0, 2, 0)},
    {'-', DOTS(0, 0, 7, 0, 0)}, {'+', DOTS(0, 2, 7, 2, 0)}, {'/', DOTS(1, 1, 2, 4, 4)},
    {'%', DOTS(5, 1, 2, 4, 5)}, {'(', DOTS(1, 2, 2, 2, 1)}, {')', DOTS(4, 2, 2, 2, 4)},
};

static unsigned dots_of(char letter)
{
    if (letter >= 'a' && letter <= 'z')
        letter = (char)(letter - 'a' + 'A');
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].letter == letter)
            return glyphs[i].dots;
    return 0;
}

static void fill(tv_picture *p, int left, int top, int width, int height, uint8_t luma)
{
    for (int y = top < 0 ? 0 : top; y < top + height && y < p->height; y++)
        for (int x = left < 0 ? 0 : left; x < left + width && x < p->width; x++)
            p->planes[0][(size_t)y * (size_t)p->strides[0] + (size_t)x] = luma;
}

/* Removes colour, so that black is black. */
static void fade(tv_picture *p, int left, int top, int width, int height)
{
    for (int y = top / 2; y < (top + height + 1) / 2 && y < p->height / 2; y++)
        for (int x = left / 2; x < (left + width + 1) / 2 && x < p->width / 2; x++)
            for (int i = 1; i < 3; i++)
                p->planes[i][(size_t)y * (size_t)p->strides[i] + (size_t)x] = GREY;
}

void tv_picture_write(tv_picture *p, int x, int y, int scale, const char *text)
{
    const int width = (int)strlen(text) * 4 * scale + scale;

    fill(p, x, y, width, 7 * scale, BLACK);
    fade(p, x, y, width, 7 * scale);
    for (; *text; text++, x += 4 * scale)
        for (int dot = 0; dot < 15; dot++)
            if (dots_of(*text) >> (14 - dot) & 1)
                fill(p, x + (1 + dot % 3) * scale, y + (1 + dot / 3) * scale, scale, scale, WHITE);
}

/* ---- the number ---- */

static uint64_t with_checksum(uint32_t number)
{
    uint32_t mixed = number * 2654435761u;

    return (uint64_t)number << 8 | ((mixed >> 24) ^ 0x5a);
}

static int row_top(const tv_picture *p)
{
    return p->height - p->height / ROWS;
}

void tv_picture_put_number(tv_picture *p, uint32_t number)
{
    const uint64_t bits = with_checksum(number);
    const int top = row_top(p);

    fade(p, 0, top, p->width, p->height - top);
    for (int i = 0; i < BLOCKS; i++) {
        int left = i * p->width / BLOCKS, right = (i + 1) * p->width / BLOCKS;
        fill(p, left, top, right - left, p->height - top,
             bits >> (BLOCKS - 1 - i) & 1 ? WHITE : BLACK);
    }
}

/* Samples the middle of a block, since edges are blurred. */
static bool is_white(const tv_picture *p, int block)
{
    const int left = block * p->width / BLOCKS, right = (block + 1) * p->width / BLOCKS;
    const int top = row_top(p), quarter = (right - left) / 4, rows = (p->height - top) / 4;
    unsigned sum = 0, count = 0;

    for (int y = top + rows; y < p->height - rows; y++)
        for (int x = left + quarter; x < right - quarter; x++, count++)
            sum += p->planes[0][(size_t)y * (size_t)p->strides[0] + (size_t)x];
    return count > 0 && sum > count * (BLACK + WHITE) / 2;
}

bool tv_picture_get_number(const tv_picture *p, uint32_t *number)
{
    uint64_t bits = 0;

    for (int i = 0; i < BLOCKS; i++)
        bits = bits << 1 | is_white(p, i);
    *number = (uint32_t)(bits >> 8);
    return with_checksum(*number) == bits;
}
