/* SPDX-License-Identifier: MIT */
/*
 * One classifier per payload format: the importance of a single RTP payload, without state.
 *
 * Each returns false if the payload is not of its format: truncated, or with values that the format
 * forbids. Otherwise *found is filled in; importance UNKNOWN means that the packet is well-formed
 * but does not show its importance, for example because it continues a picture.
 */
#ifndef LT_RTP_IMPORTANCE_PAYLOAD_H
#define LT_RTP_IMPORTANCE_PAYLOAD_H

#include <livetcp/rtp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_payload_class {
    livetcp_importance importance;
    /* DROPPABLE only while the stream has no temporal layer above this one. Formats whose DROPPABLE
     * is unconditional set 0, the lowest. */
    uint8_t temporal_layer;
} lt_payload_class;

typedef bool lt_payload_classifier(const uint8_t *payload, size_t size, lt_payload_class *found);

lt_payload_classifier lt_h264_classify; /* RFC 6184 */
lt_payload_classifier lt_h265_classify; /* RFC 7798 */
lt_payload_classifier lt_vp8_classify;  /* RFC 7741 */
lt_payload_classifier lt_vp9_classify;  /* RFC 9628 */
lt_payload_classifier lt_av1_classify;  /* RTP Payload Format For AV1, version 1.0 */

/* Adds a unit of a packet: the packet is as important as its most important unit. */
static inline void lt_payload_class_add(lt_payload_class *found, livetcp_importance importance,
                                        uint8_t temporal_layer)
{
    if (importance > found->importance)
        found->importance = importance;
    if (temporal_layer > found->temporal_layer)
        found->temporal_layer = temporal_layer;
}

#endif
