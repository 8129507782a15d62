/* SPDX-License-Identifier: MIT */
/* VP9 (RFC 9628): the descriptor of every packet marks pictures that are predicted from others (P);
 * only a frame's first packet shows, in the frame's own header, if others may be predicted from it
 * (VP9 bitstream specification, section 6.2: refresh_frame_flags). */
#include "rtp/importance/payload.h"

#define HAS_PICTURE_ID 0x80 /* I */
#define PREDICTED      0x40 /* P */
#define HAS_LAYER      0x20 /* L */
#define FLEXIBLE       0x10 /* F */
#define START          0x08 /* B: a frame begins */
#define HAS_STRUCTURE  0x02 /* V */

#define MAX_REFERENCES 3
#define FRAME_MARKER   2
#define SYNC_CODE      0x498342

/* Reads bits, most significant first. Past the end it returns zeros and sets `overrun`. */
typedef struct bit_reader {
    const uint8_t *data;
    size_t size, position; /* in bytes, in bits */
    bool overrun;
} bit_reader;

static unsigned read_bits(bit_reader *in, unsigned count)
{
    unsigned value = 0;

    for (; count > 0; count--) {
        unsigned bit = 0;
        if (in->position / 8 < in->size)
            bit = in->data[in->position / 8] >> (7 - in->position % 8) & 1;
        else
            in->overrun = true;
        value = value << 1 | bit;
        in->position++;
    }
    return value;
}

/* Scalability structure, section 4.2.1. */
static void skip_structure(bit_reader *in)
{
    unsigned layers = 1 + read_bits(in, 3);
    bool resolutions = read_bits(in, 1), pictures = read_bits(in, 1);

    read_bits(in, 3);
    if (resolutions)
        in->position += (size_t)layers * 4 * 8;
    for (unsigned left = pictures ? read_bits(in, 8) : 0; left > 0 && !in->overrun; left--) {
        unsigned references;
        read_bits(in, 4);
        references = read_bits(in, 2);
        read_bits(in, 2);
        in->position += (size_t)references * 8;
    }
}

/* Moves the reader to the VP9 payload, which must not be empty. */
static bool skip_descriptor(bit_reader *in)
{
    unsigned flags = read_bits(in, 8);
    bool more = true;

    if (flags & HAS_PICTURE_ID)
        in->position += read_bits(in, 1) ? 15 : 7;
    if (flags & HAS_LAYER)
        in->position += flags & FLEXIBLE ? 8 : 16;
    if (flags & FLEXIBLE && flags & PREDICTED) {
        for (int i = 0; i < MAX_REFERENCES && more; i++) {
            read_bits(in, 7);
            more = read_bits(in, 1);
        }
        if (more)
            return false; /* a fourth reference */
    }
    if (flags & HAS_STRUCTURE)
        skip_structure(in);
    return !in->overrun && in->position / 8 < in->size;
}

/* Reads frame_type and refresh_frame_flags of the uncompressed header. */
static bool read_frame(bit_reader *in, livetcp_importance *importance)
{
    unsigned profile;
    bool key, shown, resilient, intra_only;

    *importance = LIVETCP_IMPORTANCE_DELTA;
    if (read_bits(in, 2) != FRAME_MARKER)
        return false;
    profile = read_bits(in, 1);
    profile |= read_bits(in, 1) << 1;
    if (profile == 3 && read_bits(in, 1))
        return false;
    if (read_bits(in, 1))
        return !in->overrun; /* show_existing_frame */
    key = !read_bits(in, 1);
    shown = read_bits(in, 1);
    resilient = read_bits(in, 1);
    if (key) {
        *importance = LIVETCP_IMPORTANCE_KEY;
        return read_bits(in, 24) == SYNC_CODE;
    }
    intra_only = !shown && read_bits(in, 1);
    if (!resilient)
        read_bits(in, 2); /* reset_frame_context */
    if (intra_only)
        return read_bits(in, 24) == SYNC_CODE;
    if (!read_bits(in, 8))
        *importance = LIVETCP_IMPORTANCE_DROPPABLE;
    return !in->overrun;
}

bool lt_vp9_classify(const uint8_t *payload, size_t size, lt_payload_class *found)
{
    bit_reader in = {payload, size, 0, false};

    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    if (!skip_descriptor(&in))
        return false;
    if (payload[0] & START && !read_frame(&in, &found->importance)) {
        found->importance = LIVETCP_IMPORTANCE_UNKNOWN;
        return false;
    }
    /* This holds for all spatial layers of a key picture, though only the first is a key frame. */
    if (!(payload[0] & PREDICTED))
        found->importance = LIVETCP_IMPORTANCE_KEY;
    return true;
}
