/* SPDX-License-Identifier: MIT */
/* Reassembles pictures, in order, from H.264 packets (RFC 6184). It waits for missing packets,
 * which TCP retransmits, unless a later key frame is complete: then everything before it is
 * skipped.
 *
 * No clock, no I/O. Packets are untrusted input. */
#ifndef TV_ASSEMBLY_H
#define TV_ASSEMBLY_H

#include <livetcp/rtp.h>

#define ASSEMBLY_PACKETS 4096 /* window of missing and waiting packets; restarts beyond it */
#define ASSEMBLY_KEYS    64   /* key frames remembered within it */

typedef struct assembly_packet {
    uint8_t *bytes; /* payload; NULL: missing, or used */
    size_t size;
    int64_t sequence;
    uint32_t timestamp, play;
    int64_t play_us;
    bool marker;
} assembly_packet;

typedef struct assembly {
    assembly_packet *ring;
    bool begun;                  /* `next` is valid */
    int64_t next, highest;       /* unwrapped sequence numbers */
    int64_t keys[ASSEMBLY_KEYS]; /* first packets of key frames after `next` */
    unsigned key_count;
    uint64_t skipped; /* packets skipped in favour of a key frame */
    uint8_t *unit;    /* the last picture returned */
    size_t unit_size, unit_capacity;
} assembly;

typedef struct assembled {
    const uint8_t *bytes; /* with start codes; valid until the next call */
    size_t size;
    uint32_t timestamp, play;
    int64_t play_us;
    bool key; /* begins with parameter sets: refers to no earlier picture */
} assembled;

bool assembly_init(assembly *a);
void assembly_free(assembly *a);

/* What comes next is another stream's. */
void assembly_restart(assembly *a);

/* False for a payload that is none of RFC 6184's packetization mode 1. */
bool assembly_put(assembly *a, const livetcp_rtp_header *header, const uint8_t *packet, size_t size,
                  int64_t play_us);

/* The next complete picture; false if there is none. */
bool assembly_get(assembly *a, assembled *picture);

/* True if packets are missing before one that has arrived. */
bool assembly_waits(const assembly *a);

#endif
