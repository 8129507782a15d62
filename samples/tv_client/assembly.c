/* SPDX-License-Identifier: MIT */
#include "assembly.h"

#include <stdlib.h>
#include <string.h>

enum { START_CODE = 4, NAL_TYPE = 31, SPS = 7, LAST_SINGLE = 23, FU_A = 28, FU_START = 0x80 };

#define UNIT_MAX ((size_t)8 << 20)

bool assembly_init(assembly *a)
{
    *a = (assembly){0};
    a->ring = calloc(ASSEMBLY_PACKETS, sizeof *a->ring);
    return a->ring;
}

static assembly_packet *slot(const assembly *a, int64_t sequence)
{
    return &a->ring[(uint64_t)sequence % ASSEMBLY_PACKETS];
}

static void clear(assembly_packet *p)
{
    free(p->bytes);
    *p = (assembly_packet){0};
}

void assembly_free(assembly *a)
{
    for (size_t i = 0; a->ring && i < ASSEMBLY_PACKETS; i++)
        clear(&a->ring[i]);
    free(a->ring);
    free(a->unit);
    *a = (assembly){0};
}

/* ---- packets in ---- */

static void start_afresh(assembly *a, int64_t sequence)
{
    for (size_t i = 0; i < ASSEMBLY_PACKETS; i++) {
        a->skipped += a->ring[i].bytes != NULL;
        clear(&a->ring[i]);
    }
    a->begun = false;
    a->key_count = 0;
    a->next = a->highest = sequence;
}

void assembly_restart(assembly *a)
{
    start_afresh(a, 0);
}

/* x264 begins key frames with parameter sets. */
static void note_key(assembly *a, int64_t sequence)
{
    if (a->key_count == ASSEMBLY_KEYS) /* drops the oldest */
        memmove(a->keys, a->keys + 1, --a->key_count * sizeof *a->keys);
    a->keys[a->key_count++] = sequence;
}

static bool is_known(const uint8_t *payload, size_t size)
{
    const unsigned type = size > 0 ? payload[0] & NAL_TYPE : 0;

    return (type >= 1 && type <= LAST_SINGLE) || (type == FU_A && size > 2);
}

bool assembly_put(assembly *a, const livetcp_rtp_header *header, const uint8_t *packet, size_t size,
                  int64_t play_us)
{
    const uint8_t *payload = packet + header->header_size;
    const size_t length = size - header->header_size;

    if (!is_known(payload, length))
        return false;
    if (a->highest == 0)
        a->highest = a->next = (int64_t)header->sequence + (1 << 20);
    int64_t sequence = a->highest + (int16_t)(header->sequence - (uint16_t)a->highest);
    if (a->begun && sequence < a->next)
        return true; /* already skipped */
    if (sequence >= a->next + ASSEMBLY_PACKETS || sequence + ASSEMBLY_PACKETS <= a->highest)
        start_afresh(a, sequence);
    assembly_packet *p = slot(a, sequence);
    if (p->bytes && p->sequence == sequence)
        return true;
    clear(p); /* part of a picture that was never complete */
    p->bytes = malloc(length);
    if (!p->bytes)
        return true; /* treated as lost */
    memcpy(p->bytes, payload, length);
    p->size = length;
    p->sequence = sequence;
    p->timestamp = header->timestamp;
    p->play = header->csrc_count > 0 ? header->csrcs[0] : 0;
    p->marker = header->marker;
    p->play_us = play_us;
    a->highest = sequence > a->highest ? sequence : a->highest;
    if ((payload[0] & NAL_TYPE) == SPS)
        note_key(a, sequence);
    return true;
}

/* ---- pictures out ---- */

/* Sequence number after the complete picture that begins here; 0 if it is incomplete. */
static int64_t end_of(const assembly *a, int64_t from)
{
    const uint32_t timestamp = slot(a, from)->timestamp;

    for (int64_t i = from; i <= a->highest; i++) {
        const assembly_packet *p = slot(a, i);
        if (!p->bytes || p->sequence != i || p->timestamp != timestamp)
            return 0;
        if (p->marker)
            return i + 1;
    }
    return 0;
}

static void append(assembly *a, const void *bytes, size_t size)
{
    if (a->unit_size + size > a->unit_capacity) {
        const size_t capacity = 2 * a->unit_capacity + size + 4096;
        uint8_t *larger = capacity <= UNIT_MAX ? realloc(a->unit, capacity) : NULL;
        if (!larger)
            return; /* out of memory: the decoder gets no picture */
        a->unit = larger;
        a->unit_capacity = capacity;
    }
    memcpy(a->unit + a->unit_size, bytes, size);
    a->unit_size += size;
}

static void append_payload(assembly *a, const assembly_packet *p)
{
    static const uint8_t start_code[START_CODE] = {0, 0, 0, 1};
    const bool fragment = (p->bytes[0] & NAL_TYPE) == FU_A;

    if (!fragment || p->bytes[1] & FU_START)
        append(a, start_code, sizeof start_code);
    if (!fragment) {
        append(a, p->bytes, p->size);
        return;
    }
    if (p->bytes[1] & FU_START) {
        const uint8_t header = (uint8_t)((p->bytes[0] & ~NAL_TYPE) | (p->bytes[1] & NAL_TYPE));
        append(a, &header, 1);
    }
    append(a, p->bytes + 2, p->size - 2);
}

static void take(assembly *a, int64_t from, int64_t end, assembled *picture)
{
    const assembly_packet *first = slot(a, from);

    *picture = (assembled){.timestamp = first->timestamp,
                           .play = first->play,
                           .play_us = first->play_us,
                           .key = (first->bytes[0] & NAL_TYPE) == SPS};
    a->unit_size = 0;
    for (int64_t i = from; i < end; i++) {
        append_payload(a, slot(a, i));
        clear(slot(a, i));
    }
    picture->bytes = a->unit;
    picture->size = a->unit_size;
    a->next = end;
    a->begun = true;
}

/* The newest complete key frame after the missing packets. */
static bool find_key(const assembly *a, int64_t *from, int64_t *end)
{
    for (unsigned i = a->key_count; i-- > 0;) {
        *from = a->keys[i];
        if (slot(a, *from)->bytes && slot(a, *from)->sequence == *from && (*end = end_of(a, *from)))
            return true;
    }
    return false;
}

static void forget_keys(assembly *a)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < a->key_count; i++)
        if (a->keys[i] >= a->next)
            a->keys[kept++] = a->keys[i];
    a->key_count = kept;
}

bool assembly_get(assembly *a, assembled *picture)
{
    int64_t from = a->next, end = 0;

    if (a->highest == 0)
        return false;
    if (a->begun && slot(a, from)->bytes && slot(a, from)->sequence == from)
        end = end_of(a, from);
    if (!end && !find_key(a, &from, &end))
        return false;
    const int64_t before = a->begun ? a->next : from;
    for (int64_t i = before; i < from; i++) {
        a->skipped++;
        clear(slot(a, i));
    }
    take(a, from, end, picture);
    forget_keys(a);
    return true;
}

bool assembly_waits(const assembly *a)
{
    return a->highest > 0 && (!a->begun || (a->highest >= a->next && !slot(a, a->next)->bytes));
}
