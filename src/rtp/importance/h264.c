/* SPDX-License-Identifier: MIT */
/* H.264 (RFC 6184): every packet shows type and nal_ref_idc of its content, fragments too. */
#include "base/bytes.h"
#include "rtp/importance/payload.h"

/* nal_unit_type (ITU-T H.264 table 7-1), and the packet types of RFC 6184 table 1 */
enum {
    SLICE = 1,
    PARTITION_A = 2,
    PARTITION_C = 4,
    IDR_SLICE = 5,
    SPS = 7,
    PPS = 8,
    SPS_EXTENSION = 13,
    SUBSET_SPS = 15,
    AUXILIARY_SLICE = 19,
    SLICE_EXTENSION = 20,
    DEPTH_SLICE_EXTENSION = 21,
    LAST_NAL_UNIT = 23,
    STAP_A = 24,
    STAP_B = 25,
    MTAP16 = 26,
    MTAP24 = 27,
    FU_A = 28,
    FU_B = 29
};

/* Adds a NAL unit header, or the same fields of a fragment. */
static bool add_unit(unsigned type, unsigned ref_idc, lt_payload_class *found)
{
    livetcp_importance importance = LIVETCP_IMPORTANCE_UNKNOWN;

    if (type == 0 || type > LAST_NAL_UNIT)
        return false;
    switch (type) {
    case IDR_SLICE:
    case SPS:
    case PPS:
    case SPS_EXTENSION:
    case SUBSET_SPS:
        if (ref_idc == 0)
            return false; /* forbidden by H.264, section 7.4.1 */
        importance = LIVETCP_IMPORTANCE_KEY;
        break;
    case AUXILIARY_SLICE:
    case SLICE_EXTENSION:
    case DEPTH_SLICE_EXTENSION:
        importance = ref_idc ? LIVETCP_IMPORTANCE_DELTA : LIVETCP_IMPORTANCE_DROPPABLE;
        break;
    default:
        /* Delimiters, SEI and others have nal_ref_idc 0 whatever the picture, and a receiver that
         * misses one may drop the picture, so they are as important as the picture. */
        if (type >= SLICE && type <= PARTITION_C)
            importance = ref_idc ? LIVETCP_IMPORTANCE_DELTA : LIVETCP_IMPORTANCE_DROPPABLE;
    }
    lt_payload_class_add(found, importance, 0);
    return true;
}

static bool add_header(uint8_t header, lt_payload_class *found)
{
    bool forbidden = header & 0x80;

    return !forbidden && add_unit(header & 0x1f, header >> 5, found);
}

/* Adds the units of an aggregation packet. `between` bytes, decoding order and time, are between a
 * unit's size and the unit. */
static bool add_aggregate(const uint8_t *units, size_t size, size_t between,
                          lt_payload_class *found)
{
    bool fine = size > 0;

    while (fine && size > 0) {
        size_t unit = size >= 2 ? lt_read_be16(units) : 0;
        size_t taken = 2 + between + unit;

        fine = unit > 0 && taken <= size && add_header(units[2 + between], found);
        if (fine) {
            units += taken;
            size -= taken;
        }
    }
    return fine;
}

static bool add_fragment(const uint8_t *payload, size_t size, size_t header_size,
                         lt_payload_class *found)
{
    bool start, end;

    if (size <= header_size)
        return false;
    start = payload[1] & 0x80;
    end = payload[1] & 0x40;
    return !(start && end) && add_unit(payload[1] & 0x1f, payload[0] >> 5, found);
}

bool lt_h264_classify(const uint8_t *payload, size_t size, lt_payload_class *found)
{
    const uint8_t *decoding_order; /* the first two bytes of STAP-B and both MTAPs */

    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    if (size < 1 || payload[0] & 0x80)
        return false;
    decoding_order = payload + 1;
    switch (payload[0] & 0x1f) {
    case STAP_A:
        return add_aggregate(payload + 1, size - 1, 0, found);
    case STAP_B:
        return size > 3 && add_aggregate(decoding_order + 2, size - 3, 0, found);
    case MTAP16:
        return size > 3 && add_aggregate(decoding_order + 2, size - 3, 3, found);
    case MTAP24:
        return size > 3 && add_aggregate(decoding_order + 2, size - 3, 4, found);
    case FU_A:
        return add_fragment(payload, size, 2, found);
    case FU_B:
        return add_fragment(payload, size, 4, found);
    default:
        return add_header(payload[0], found);
    }
}
