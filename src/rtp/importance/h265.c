/* SPDX-License-Identifier: MIT */
/* H.265 (RFC 7798): every packet shows the types of its NAL units, fragments too. Decoding order
 * numbers (DONL, DOND) are negotiated out of band (sprop-max-don-diff). They matter in aggregation
 * packets only, and can be detected there: only one of the two parses ends at the end of the
 * packet. */
#include "base/bytes.h"
#include "rtp/importance/payload.h"

/* nal_unit_type (ITU-T H.265 table 7-1), and the packet types of RFC 7798 section 4.4 */
enum {
    LAST_NON_IRAP = 15,
    FIRST_IRAP = 16,
    LAST_IRAP = 23,
    LAST_RESERVED_SLICE = 31,
    VPS = 32,
    SPS = 33,
    PPS = 34,
    LAST_SEI = 40,
    AGGREGATION = 48,
    FRAGMENTATION = 49,
    PACI = 50
};

#define HEADER_SIZE   2
#define DONL_SIZE     2
#define DOND_SIZE     1
#define PACI_SIZE     2 /* A, cType, PHSsize, F0..2 and Y: section 4.4.4 */
#define FRAGMENT_SIZE 1 /* S, E and FuType: section 4.4.3 */

typedef struct nal_header {
    unsigned type;
    unsigned layer_plus1; /* nuh_temporal_id_plus1 */
} nal_header;

static bool read_header(const uint8_t *data, size_t size, nal_header *header)
{
    if (size < HEADER_SIZE || data[0] & 0x80)
        return false;
    header->type = data[0] >> 1;
    header->layer_plus1 = data[1] & 7;
    return header->layer_plus1 > 0;
}

static bool add_unit(unsigned type, unsigned layer_plus1, lt_payload_class *found)
{
    livetcp_importance importance = LIVETCP_IMPORTANCE_UNKNOWN;

    if (type <= LAST_NON_IRAP) {
        /* Table 7-1: even types up to RSV_VCL_N14 are sub-layer non-reference pictures. */
        importance = type % 2 ? LIVETCP_IMPORTANCE_DELTA : LIVETCP_IMPORTANCE_DROPPABLE;
    } else if (type <= LAST_IRAP || (type >= VPS && type <= PPS)) {
        /* Section 7.4.2.2: in the lowest temporal layer, save for PPS. */
        if (type != PPS && layer_plus1 != 1)
            return false;
        importance = LIVETCP_IMPORTANCE_KEY;
    } else if (type <= LAST_RESERVED_SLICE || type > LAST_SEI) {
        return false;
    }
    lt_payload_class_add(found, importance, (uint8_t)(layer_plus1 - 1));
    return true;
}

static bool add_aggregate(const uint8_t *units, size_t size, bool with_order,
                          lt_payload_class *found)
{
    size_t order = with_order ? DONL_SIZE : 0;
    bool fine = size > 0;

    while (fine && size > 0) {
        size_t unit = size >= order + 2 ? lt_read_be16(units + order) : 0;
        size_t taken = order + 2 + unit;
        nal_header header;

        fine = unit > 0 && taken <= size && read_header(units + order + 2, unit, &header) &&
               add_unit(header.type, header.layer_plus1, found);
        if (fine) {
            units += taken;
            size -= taken;
        }
        order = with_order ? DOND_SIZE : 0;
    }
    return fine;
}

static bool add_aggregation_packet(const uint8_t *body, size_t size, lt_payload_class *found)
{
    lt_payload_class without = *found, with = *found;
    bool fine = add_aggregate(body, size, false, &without);

    if (fine)
        *found = without;
    else if ((fine = add_aggregate(body, size, true, &with)))
        *found = with;
    return fine;
}

static bool add_fragment(const uint8_t *body, size_t size, unsigned layer_plus1,
                         lt_payload_class *found)
{
    bool start, end;

    if (size <= FRAGMENT_SIZE)
        return false;
    start = body[0] & 0x80;
    end = body[0] & 0x40;
    return !(start && end) && add_unit(body[0] & 0x3f, layer_plus1, found);
}

/* Classifies the body behind a payload header of that type. */
static bool add_body(nal_header header, const uint8_t *body, size_t size, lt_payload_class *found)
{
    if (header.type == AGGREGATION)
        return add_aggregation_packet(body, size, found);
    if (header.type == FRAGMENTATION)
        return add_fragment(body, size, header.layer_plus1, found);
    return add_unit(header.type, header.layer_plus1, found);
}

/* Classifies a PACI packet: a payload with control information before it; cType is the payload's
 * type. */
static bool add_paci(nal_header header, const uint8_t *body, size_t size, lt_payload_class *found)
{
    size_t skipped;

    if (size < PACI_SIZE || body[0] & 0x80)
        return false;
    header.type = body[0] >> 1 & 0x3f;
    skipped = PACI_SIZE + (size_t)((body[0] & 1) << 4 | body[1] >> 4);
    return skipped <= size && add_body(header, body + skipped, size - skipped, found);
}

bool lt_h265_classify(const uint8_t *payload, size_t size, lt_payload_class *found)
{
    nal_header header;

    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    if (!read_header(payload, size, &header))
        return false;
    if (header.type == PACI)
        return add_paci(header, payload + HEADER_SIZE, size - HEADER_SIZE, found);
    return add_body(header, payload + HEADER_SIZE, size - HEADER_SIZE, found);
}
