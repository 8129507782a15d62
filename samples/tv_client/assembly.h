/* SPDX-License-Identifier: MIT */
/* Packets of H.264 (RFC 6184) become pictures again, in order. Missing packets are waited for,
 * since TCP brings it, unless a later key frame is whole: then nothing before that matters any
 * more.
 *
 * No clock, no I/O; the packets are a stranger's. */
#ifndef TV_ASSEMBLY_H
#define TV_ASSEMBLY_H

#include <livetcp/rtp.h>

#define ASSEMBLY_PACKETS 4096 /* that may be missing or waiting; more, and it starts afresh */
#define ASSEMBLY_KEYS    64   /* key frames among them that are looked at */

typedef struct assembly_packet {
    uint8_t *bytes; /* of the payload; NULL: has not come, or was used */
    size_t size;
    int64_t sequence;
    uint32_t timestamp, play;
    int64_t play_us;
    bool marker;
} assembly_packet;

typedef struct assembly {
    assembly_packet *ring;
    bool begun;                  /* next is known */
    int64_t next, highest;       /* sequence numbers without wraps */
    int64_t keys[ASSEMBLY_KEYS]; /* where key frames begin, beyond next */
    unsigned key_count;
    uint64_t skipped; /* packets given up for a key frame */
    uint8_t *unit;    /* the picture that was given out */
    size_t unit_size, unit_capacity;
} assembly;

typedef struct assembled {
    const uint8_t *bytes; /* with start codes, until the next call */
    size_t size;
    uint32_t timestamp, play;
    int64_t play_us;
    bool key; /* begins with parameter sets: refers to nothing before it */
} assembled;

bool assembly_init(assembly *a);
void assembly_free(assembly *a);

/* What comes next is another stream's. */
void assembly_restart(assembly *a);

/* False for a payload that is none of RFC 6184's packetization mode 1. */
bool assembly_put(assembly *a, const livetcp_rtp_header *header, const uint8_t *packet, size_t size,
                  int64_t play_us);

/* The next whole picture; false if there is none. */
bool assembly_get(assembly *a, assembled *picture);

/* Something has come, and what is before it has not. */
bool assembly_waits(const assembly *a);

#endif
