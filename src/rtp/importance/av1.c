/* SPDX-License-Identifier: MIT */
/* AV1 (RTP Payload Format For AV1, version 1.0): the aggregation header shows where a coded video
 * sequence begins (N), and the first bits of a frame header mark a key frame. Where the frame's
 * references are refreshed depends on the sequence header, so DROPPABLE is never reported. */
#include "rtp/importance/payload.h"

/* Aggregation header, section 4.4 */
#define CONTINUES    0x80 /* Z: the first element is the rest of one */
#define COUNT(byte)  ((byte) >> 4 & 3)
#define NEW_SEQUENCE 0x08 /* N */
#define RESERVED     0x07

/* obu_type and obu_header (AV1 bitstream specification, sections 6.2.2 and 5.3.2) */
enum {
    SEQUENCE_HEADER = 1,
    FRAME_HEADER = 3,
    FRAME = 6,
    REDUNDANT_FRAME_HEADER = 7,
    TILE_LIST = 8
};
#define FORBIDDEN       0x80
#define OBU_TYPE(byte)  ((byte) >> 3 & 15)
#define HAS_EXTENSION   0x04
#define HAS_SIZE        0x02
#define MAX_LEB128_SIZE 8

/* uncompressed_header(), section 5.9.2 */
#define SHOW_EXISTING_FRAME 0x80
#define FRAME_TYPE          0x60
#define KEY_FRAME           0x00

/* Bytes of the number, or 0 if it is truncated or too long. */
static size_t read_leb128(const uint8_t *data, size_t size, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < size && i < MAX_LEB128_SIZE; i++) {
        *value |= (uint64_t)(data[i] & 0x7f) << (7 * i);
        if (!(data[i] & 0x80))
            return i + 1;
    }
    return 0;
}

/* Bytes before the OBU's payload; may be more than a fragment has. */
static size_t obu_header_size(const uint8_t *obu, size_t size)
{
    size_t header = 1 + (obu[0] & HAS_EXTENSION ? 1u : 0u);
    uint64_t ignored;

    if (obu[0] & HAS_SIZE && header < size) {
        size_t length = read_leb128(obu + header, size - header, &ignored);
        return length ? header + length : size;
    }
    return header;
}

/* Adds an element that begins an OBU. */
static bool add_obu(const uint8_t *obu, size_t size, lt_payload_class *found)
{
    size_t header;

    if (obu[0] & FORBIDDEN || OBU_TYPE(obu[0]) == TILE_LIST)
        return false;
    header = obu_header_size(obu, size);
    switch (OBU_TYPE(obu[0])) {
    case SEQUENCE_HEADER:
        lt_payload_class_add(found, LIVETCP_IMPORTANCE_KEY, 0);
        break;
    case FRAME_HEADER:
    case REDUNDANT_FRAME_HEADER:
    case FRAME:
        if (header < size) {
            bool key =
                !(obu[header] & SHOW_EXISTING_FRAME) && (obu[header] & FRAME_TYPE) == KEY_FRAME;
            lt_payload_class_add(found, key ? LIVETCP_IMPORTANCE_KEY : LIVETCP_IMPORTANCE_DELTA, 0);
        }
        break;
    default:
        break; /* tiles, metadata, padding: part of the frame they come with */
    }
    return true;
}

/* Adds all elements. Each is preceded by its length, except the last one of a known number. */
static bool add_elements(const uint8_t *data, size_t size, unsigned count, bool continues,
                         lt_payload_class *found)
{
    bool fine = size > 0;

    for (unsigned i = 1; fine && size > 0; i++) {
        uint64_t element = size;
        if (i != count) {
            size_t length = read_leb128(data, size, &element);
            fine = length > 0 && element <= size - length;
            data += length;
            size -= length;
        }
        if (fine && element > 0 && !(continues && i == 1))
            fine = add_obu(data, (size_t)element, found);
        if (fine) {
            data += element;
            size -= (size_t)element;
        }
        if (i == count)
            return fine;
    }
    return fine && !count;
}

bool lt_av1_classify(const uint8_t *payload, size_t size, lt_payload_class *found)
{
    bool continues, new_sequence;

    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    if (size < 1 || payload[0] & RESERVED)
        return false;
    continues = payload[0] & CONTINUES;
    new_sequence = payload[0] & NEW_SEQUENCE;
    if (continues && new_sequence)
        return false;
    if (!add_elements(payload + 1, size - 1, COUNT(payload[0]), continues, found))
        return false;
    if (new_sequence)
        lt_payload_class_add(found, LIVETCP_IMPORTANCE_KEY, 0);
    return true;
}
