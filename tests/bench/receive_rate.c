/* SPDX-License-Identifier: MIT */
/* How many packets one core deframes, checks and reassembles in a second. Not a test: run it in a
 * release build on a quiet machine. usage: bench-receive-rate [PACKETS] */
#include "base/bytes.h"
#include "engine/receiver/reassembly.h"
#include "rtp/rtp.h"
#include "wire/frame.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define READ_SIZE       65536
#define MAX_CONNECTIONS 5
#define REPEATS         5

typedef struct scenario {
    size_t frame_size; /* LENGTH included */
    unsigned connections;
    unsigned copies;
} scenario;

/* One connection: the bytes it carries, again and again, and the read that is being worked on. */
typedef struct connection {
    lt_deframer deframer;
    uint8_t *stream;
    size_t size;
    size_t at;
    uint8_t read[READ_SIZE];
    size_t read_size;
} connection;

typedef struct outcome {
    uint64_t frames;
    uint64_t delivered;
    double seconds;
} outcome;

static connection connections[MAX_CONNECTIONS];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void append_packet(connection *c, size_t frame_size, uint16_t sequence)
{
    uint8_t *frame = c->stream + c->size;

    memset(frame, 0, frame_size);
    lt_write_be16(frame, (uint16_t)(frame_size - LT_FRAME_HEADER));
    frame[2] = 0x80;
    frame[3] = 96;
    lt_write_be16(frame + 4, sequence);
    lt_write_be32(frame + 10, 0x12345678);
    c->size += frame_size;
}

/* A whole lap of sequence numbers, dealt round robin, copies to the connections that follow. */
static bool fill_streams(const scenario *s)
{
    for (unsigned i = 0; i < MAX_CONNECTIONS; i++) {
        lt_deframer_clear(&connections[i].deframer);
        free(connections[i].stream);
        memset(&connections[i], 0, sizeof connections[i]);
    }
    for (unsigned i = 0; i < s->connections; i++) {
        size_t packets = (65536 / s->connections + 1) * s->copies;
        connections[i].stream = malloc(packets * s->frame_size);
        if (!connections[i].stream)
            return false;
        lt_deframer_init(&connections[i].deframer, LT_FRAME_MAX);
    }
    for (unsigned sequence = 0; sequence < 65536; sequence++)
        for (unsigned copy = 0; copy < s->copies; copy++)
            append_packet(&connections[(sequence + copy) % s->connections], s->frame_size,
                          (uint16_t)sequence);
    return true;
}

/* What the kernel does for a read, and so not timed: 64 KiB that are fresh in the cache. */
static void read_some(connection *c)
{
    for (c->read_size = 0; c->read_size < READ_SIZE;) {
        size_t count = READ_SIZE - c->read_size;
        if (count > c->size - c->at)
            count = c->size - c->at;
        memcpy(c->read + c->read_size, c->stream + c->at, count);
        c->read_size += count;
        c->at = c->at + count == c->size ? 0 : c->at + count;
    }
}

static void deliver(void *user, const lt_arrival *arrival)
{
    outcome *out = user;
    out->delivered += arrival->size != 0;
}

static void receive(connection *c, unsigned index, lt_reassembly *reassembly, outcome *out)
{
    const uint8_t *data = c->read, *frame;
    size_t size = c->read_size, frame_size;

    while (lt_deframer_next(&c->deframer, &data, &size, &frame, &frame_size) == LT_DEFRAME_FRAME) {
        lt_arrival arrival = {.data = frame, .size = frame_size, .connection = index};
        out->frames++;
        if (lt_rtp_parse(frame, frame_size, &arrival.header))
            lt_reassembly_push(reassembly, &arrival);
    }
}

static bool run(const scenario *s, uint64_t packets, outcome *out)
{
    lt_reassembly *reassembly = lt_reassembly_create(LIVETCP_ORDER_ARRIVAL, 0, deliver, out);

    memset(out, 0, sizeof *out);
    if (!reassembly)
        return false;
    while (out->frames < packets) {
        for (unsigned i = 0; i < s->connections; i++) {
            double start;
            read_some(&connections[i]);
            start = now();
            receive(&connections[i], i, reassembly, out);
            out->seconds += now() - start;
        }
    }
    lt_reassembly_destroy(&reassembly);
    return true;
}

static int by_seconds(const void *a, const void *b)
{
    double left = ((const outcome *)a)->seconds, right = ((const outcome *)b)->seconds;
    return left < right ? -1 : left > right;
}

static bool measure(const scenario *s, uint64_t packets)
{
    outcome outcomes[REPEATS];
    const outcome *median = &outcomes[REPEATS / 2];

    if (!fill_streams(s))
        return false;
    for (unsigned i = 0; i < REPEATS; i++) {
        for (unsigned c = 0; c < s->connections; c++) {
            lt_deframer_clear(&connections[c].deframer);
            connections[c].at = 0;
        }
        if (!run(s, packets, &outcomes[i]))
            return false;
    }
    qsort(outcomes, REPEATS, sizeof *outcomes, by_seconds);
    printf("%5zu  %11u  %6u  %10.2f  %9.1f  %12.3f\n", s->frame_size, s->connections, s->copies,
           (double)median->frames / median->seconds / 1e6,
           median->seconds * 1e9 / (double)median->frames,
           (double)median->delivered / (double)median->frames);
    return true;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {174, 1448};
    uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 0) : 5000000;
    bool fine = packets > 0;

    printf("bytes  connections  copies  Mpackets/s  ns/packet  delivered/in\n");
    for (unsigned i = 0; fine && i < 8; i++) {
        scenario s = {sizes[i / 4], i / 2 % 2 ? 5 : 1, 1 + i % 2};
        fine = measure(&s, packets);
    }
    for (unsigned i = 0; i < MAX_CONNECTIONS; i++) {
        lt_deframer_clear(&connections[i].deframer);
        free(connections[i].stream);
    }
    if (!fine)
        fprintf(stderr, "bench-receive-rate: out of memory, or not a number of packets\n");
    return fine ? 0 : 1;
}
