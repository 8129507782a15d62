/* SPDX-License-Identifier: MIT */
#include "recorder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define HEADER  44
#define SECONDS 2 /* maximum that waits for the disk */
#define PART    4 /* part (1/N) of these written at a time */

struct recorder {
    FILE *file;
    unsigned rate;
    uint32_t written; /* bytes of samples; used by the writer's thread */
    int failed;       /* errno */

    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t more;
    bool ending;
    uint8_t *waiting, *taken; /* little-endian samples */
    size_t used, capacity;    /* bytes of `waiting`: used, allocated */
};

static void put(uint8_t *at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* WAV: PCM, 2 channels, 16 bit. */
static void write_header(recorder *r)
{
    uint8_t h[HEADER] = "RIFF....WAVEfmt ";

    put(h + 4, HEADER - 8 + r->written, 4);
    put(h + 16, 16, 4);
    put(h + 20, 1, 2);
    put(h + 22, 2, 2);
    put(h + 24, r->rate, 4);
    put(h + 28, r->rate * 4, 4);
    put(h + 32, 4, 2);
    put(h + 34, 16, 2);
    memcpy(h + 36, "data", 4);
    put(h + 40, r->written, 4);
    if (fseek(r->file, 0, SEEK_SET) != 0 || fwrite(h, HEADER, 1, r->file) != 1 ||
        fseek(r->file, 0, SEEK_END) != 0 || fflush(r->file) != 0)
        r->failed = errno;
}

static void write_out(recorder *r, size_t size)
{
    if (r->failed || size > UINT32_MAX - HEADER - r->written)
        return; /* maximum size of a WAV file: six hours */
    if (fwrite(r->taken, 1, size, r->file) != size) {
        r->failed = errno;
        return;
    }
    r->written += (uint32_t)size;
    write_header(r); /* keeps the file valid if the program crashes */
}

static void run(void *user)
{
    recorder *r = user;
    bool ending = false;

    while (!ending) {
        uv_mutex_lock(&r->lock);
        while (!r->ending && r->used < r->capacity / PART)
            uv_cond_wait(&r->more, &r->lock);
        uint8_t *full = r->waiting;
        size_t size = r->used;
        r->waiting = r->taken;
        r->taken = full;
        r->used = 0;
        ending = r->ending;
        uv_mutex_unlock(&r->lock);
        write_out(r, size);
    }
}

static void free_recorder(recorder *r)
{
    if (r->file)
        fclose(r->file);
    free(r->waiting);
    free(r->taken);
    free(r);
}

recorder *recorder_open(const char *path, unsigned rate, char *message, size_t size)
{
    recorder *r = calloc(1, sizeof *r);

    if (!r) {
        snprintf(message, size, "no memory for a recording");
        return NULL;
    }
    r->rate = rate;
    r->capacity = (size_t)rate * 4 * SECONDS;
    r->waiting = malloc(r->capacity);
    r->taken = malloc(r->capacity);
    r->file = fopen(path, "wb");
    if (!r->waiting || !r->taken || !r->file) {
        snprintf(message, size, "%s cannot be recorded to: %s", path, strerror(errno));
        free_recorder(r);
        return NULL;
    }
    write_header(r);
    uv_mutex_init(&r->lock);
    uv_cond_init(&r->more);
    uv_thread_create(&r->thread, run, r);
    return r;
}

void recorder_add(recorder *r, const int16_t *captured, const int16_t *played, size_t count)
{
    uv_mutex_lock(&r->lock);
    for (size_t i = 0; i < count && r->capacity - r->used >= 4; i++, r->used += 4) {
        put(r->waiting + r->used, (uint16_t)captured[i], 2);
        put(r->waiting + r->used + 2, (uint16_t)played[i], 2);
    }
    if (r->used >= r->capacity / PART)
        uv_cond_signal(&r->more);
    uv_mutex_unlock(&r->lock);
}

const char *recorder_close(recorder **rp)
{
    recorder *r = *rp;
    int failed;

    *rp = NULL;
    uv_mutex_lock(&r->lock);
    r->ending = true;
    uv_cond_signal(&r->more);
    uv_mutex_unlock(&r->lock);
    uv_thread_join(&r->thread);
    uv_mutex_destroy(&r->lock);
    uv_cond_destroy(&r->more);
    failed = r->failed;
    free_recorder(r);
    return failed ? strerror(failed) : NULL;
}
