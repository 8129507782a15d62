/* SPDX-License-Identifier: MIT */
#include "source.h"

#include "camera.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE      4096
#define MAX_FPS       120
#define MAX_RATE_TERM 1000000 /* 30000:1001 */
#define LINE          512

struct source {
    int width, height, pictures, seconds; /* pictures in so many seconds */
    unsigned channel, rounds;
    char name[256];
    FILE *file; /* Y4M */
    long first; /* offset of the first picture */
    camera *camera;
};

/* ---- the test picture ---- */

static uint32_t shuffle(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* Moving bars, and noise that cannot be predicted: the size of the noisy area sets the bits per
 * picture; an eighth suffices for any bit rate here. */
static void draw_luma(tv_picture *p, uint32_t number)
{
    uint32_t noise = number * 2654435761u + 1;

    for (int y = 0; y < p->height; y++) {
        uint8_t *row = p->planes[0] + (size_t)y * (size_t)p->strides[0];
        const bool noisy = y >= p->height / 2 && y < p->height * 3 / 4;
        for (int x = 0; x < p->width; x++) {
            row[x] = (uint8_t)(40 + ((unsigned)(x + y) / 2 + number * 2) % 128);
            if (noisy && x >= p->width / 2) {
                noise = shuffle(noise);
                row[x] = (uint8_t)(60 + noise % 100);
            }
        }
    }
}

static void draw_colours(tv_picture *p, uint32_t number, unsigned channel)
{
    for (int y = 0; y < p->height / 2; y++)
        for (int x = 0; x < p->width / 2; x++) {
            const unsigned bar = (unsigned)(x * 8) / (unsigned)(p->width / 2) + channel * 3;
            p->planes[1][(size_t)y * (size_t)p->strides[1] + (size_t)x] =
                (uint8_t)(64 + bar * 37 % 128);
            p->planes[2][(size_t)y * (size_t)p->strides[2] + (size_t)x] =
                (uint8_t)(64 + (bar * 61 + number / 8) % 128);
        }
}

static void draw_test_picture(const source *s, uint32_t number, tv_picture *p)
{
    char text[32];
    const int scale = p->width / 160 > 1 ? p->width / 160 : 1;

    draw_luma(p, number);
    draw_colours(p, number, s->channel);
    snprintf(text, sizeof text, "CH %u  %u", s->channel + 1, number);
    tv_picture_write(p, 8 * scale, 8 * scale, 2 * scale, text);
    if (number % (uint32_t)s->pictures == 0) /* with the beep of the test tone */
        tv_picture_write(p, p->width - 34 * scale, 30 * scale, 2 * scale, "BEEP");
}

/* ---- Y4M ---- */

static bool read_header(source *s, char *message, size_t size)
{
    char line[LINE];
    long width = 0, height = 0, frames = 25, seconds = 1;
    const char *colours = "420";

    if (!fgets(line, sizeof line, s->file) || strncmp(line, "YUV4MPEG2 ", 10) != 0) {
        snprintf(message, size,
                 "%s is no picture file: it has no YUV4MPEG2 header; make one with "
                 "ffmpeg -i FILE -pix_fmt yuv420p OUT.y4m",
                 s->name);
        return false;
    }
    for (char *word = strtok(line + 10, " \n"); word; word = strtok(NULL, " \n")) {
        if (*word == 'W')
            width = strtol(word + 1, NULL, 10);
        else if (*word == 'H')
            height = strtol(word + 1, NULL, 10);
        else if (*word == 'F' && sscanf(word + 1, "%ld:%ld", &frames, &seconds) != 2)
            seconds = 0;
        else if (*word == 'C')
            colours = strncmp(word + 1, "420", 3) == 0 && !strchr(word + 4, '1') ? "420" : "other";
    }
    if (width < TV_MIN_WIDTH || width > MAX_SIDE || height < 64 || height > MAX_SIDE || width % 2 ||
        height % 2 || seconds <= 0 || frames <= 0 || strcmp(colours, "420") != 0) {
        snprintf(message, size,
                 "%s cannot be shown: it must be 4:2:0 with 8 bits, %d to %d pixels "
                 "wide, even in both directions",
                 s->name, TV_MIN_WIDTH, MAX_SIDE);
        return false;
    }
    s->width = (int)width;
    s->height = (int)height;
    if (frames >= seconds && frames / seconds <= MAX_FPS && frames <= MAX_RATE_TERM) {
        s->pictures = (int)frames;
        s->seconds = (int)seconds;
        return true;
    }
    snprintf(message, size, "%s cannot be shown: 1 to %d pictures a second are taken, not %ld:%ld",
             s->name, MAX_FPS, frames, seconds);
    return false;
}

static bool open_file(source *s, char *message, size_t size)
{
    s->file = fopen(s->name, "rb");
    if (!s->file) {
        snprintf(message, size, "%s cannot be read: %s", s->name, strerror(errno));
        return false;
    }
    if (!read_header(s, message, size))
        return false;
    s->first = ftell(s->file);
    return s->first >= 0;
}

static bool read_plane(FILE *file, uint8_t *plane, int stride, int width, int height)
{
    for (int y = 0; y < height; y++)
        if (fread(plane + (size_t)y * (size_t)stride, 1, (size_t)width, file) != (size_t)width)
            return false;
    return true;
}

static bool read_picture(source *s, tv_picture *p)
{
    char line[LINE];

    return fgets(line, sizeof line, s->file) && strncmp(line, "FRAME", 5) == 0 &&
           read_plane(s->file, p->planes[0], p->strides[0], p->width, p->height) &&
           read_plane(s->file, p->planes[1], p->strides[1], p->width / 2, p->height / 2) &&
           read_plane(s->file, p->planes[2], p->strides[2], p->width / 2, p->height / 2);
}

/* Reads the next picture; starts again at the end of the file. */
static bool next_of_file(source *s, tv_picture *p, char *message, size_t size)
{
    if (read_picture(s, p))
        return true;
    s->rounds++;
    if (fseek(s->file, s->first, SEEK_SET) == 0 && read_picture(s, p))
        return true;
    snprintf(message, size, "%s has no whole picture", s->name);
    return false;
}

/* ---- all of them ---- */

source *source_open(const source_settings *settings, char *message, size_t size)
{
    source *s = calloc(1, sizeof *s);
    bool opened = s;

    if (!s) {
        snprintf(message, size, "no memory for %s", settings->name);
        return NULL;
    }
    s->width = settings->width;
    s->height = settings->height;
    s->pictures = settings->fps;
    s->seconds = 1;
    s->channel = settings->channel;
    snprintf(s->name, sizeof s->name, "%s", settings->name);
    if (strncmp(settings->name, "/dev/video", 10) == 0) {
        s->camera =
            camera_open(settings->name, &s->width, &s->height, settings->fps, message, size);
        opened = s->camera;
    } else if (strcmp(settings->name, "test") != 0) {
        opened = open_file(s, message, size);
    }
    if (!opened)
        source_close(&s);
    return s;
}

void source_close(source **s)
{
    if (!*s)
        return;
    if ((*s)->file)
        fclose((*s)->file);
    camera_close(&(*s)->camera);
    free(*s);
    *s = NULL;
}

int source_width(const source *s)
{
    return s->width;
}

int source_height(const source *s)
{
    return s->height;
}

void source_rate(const source *s, int *pictures, int *seconds)
{
    *pictures = s->pictures;
    *seconds = s->seconds;
}

bool source_is_file(const source *s)
{
    return s->file;
}

unsigned source_rounds(const source *s)
{
    return s->rounds;
}

bool source_next(source *s, uint32_t number, tv_picture *picture, char *message, size_t size)
{
    if (s->camera)
        return camera_next(s->camera, picture, message, size);
    if (s->file)
        return next_of_file(s, picture, message, size);
    draw_test_picture(s, number, picture);
    return true;
}
