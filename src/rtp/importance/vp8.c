/* SPDX-License-Identifier: MIT */
/* VP8 (RFC 7741): the descriptor of every packet marks frames that are no reference (N); only the
 * first packet of a frame marks a key frame (P, in the payload header). */
#include "rtp/importance/payload.h"

#define EXTENDED      0x80 /* X */
#define NON_REFERENCE 0x20 /* N */
#define START         0x10 /* S: a partition begins */
#define RESERVED      0x48
#define PARTITION     0x07 /* PID */

#define HAS_PICTURE_ID 0x80 /* I */
#define HAS_TL0PICIDX  0x40 /* L */
#define HAS_LAYER      0x30 /* T or K */
#define LONG_PICTURE   0x80 /* M */

#define MAX_VERSION     3
#define KEY_HEADER_SIZE 10 /* frame tag, start code and dimensions: RFC 6386 section 9.1 */

/* Bytes before the VP8 payload, or 0 if they do not fit or are invalid. */
static size_t descriptor_size(const uint8_t *payload, size_t size)
{
    size_t needed = 1;

    if (size < 1 || payload[0] & RESERVED)
        return 0;
    if (payload[0] & EXTENDED) {
        needed++;
        if (size < needed)
            return 0;
        if (payload[1] & HAS_PICTURE_ID) {
            needed++;
            if (size < needed)
                return 0;
            needed += payload[2] & LONG_PICTURE ? 1 : 0;
        }
        needed += payload[1] & HAS_TL0PICIDX ? 1 : 0;
        needed += payload[1] & HAS_LAYER ? 1 : 0;
    }
    return needed < size ? needed : 0;
}

/* Reads the payload header, section 4.3. *key: this is the first partition of a key frame. */
static bool read_frame(const uint8_t *frame, size_t size, bool *key)
{
    *key = !(frame[0] & 1);
    if ((frame[0] >> 1 & 7) > MAX_VERSION)
        return false;
    return !*key ||
           (size >= KEY_HEADER_SIZE && frame[3] == 0x9d && frame[4] == 0x01 && frame[5] == 0x2a);
}

bool lt_vp8_classify(const uint8_t *payload, size_t size, lt_payload_class *found)
{
    size_t descriptor = descriptor_size(payload, size);
    bool key = false, first;

    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    if (!descriptor)
        return false;
    first = payload[0] & START && !(payload[0] & PARTITION);
    if (first && !read_frame(payload + descriptor, size - descriptor, &key))
        return false;
    if (key)
        found->importance = LIVETCP_IMPORTANCE_KEY;
    else if (payload[0] & NON_REFERENCE)
        found->importance = LIVETCP_IMPORTANCE_DROPPABLE;
    else if (first)
        found->importance = LIVETCP_IMPORTANCE_DELTA;
    return true;
}
