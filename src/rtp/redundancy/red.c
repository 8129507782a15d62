/* SPDX-License-Identifier: MIT */
#include "rtp/redundancy/red.h"

#include "base/error.h"
#include "base/sized.h"

#include <string.h>

#define HAS_PADDING 0x20
#define MARKER      0x80

#define LEAST_PACKET 64
#define MOST_PACKET  65535

/* Size of livetcp_redundancy_config in version 0.1, whose initializer cleared this many bytes. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_redundancy_config, max_packet)

void livetcp_redundancy_config_init_sized(livetcp_redundancy_config *config, size_t size)
{
    const livetcp_redundancy_config defaults = {.payload_type = 63, .depth = 1, .max_packet = 1400};

    lt_sized_write(config, size, &defaults, sizeof defaults);
}

void(livetcp_redundancy_config_init)(livetcp_redundancy_config *config)
{
    livetcp_redundancy_config_init_sized(config, SIZE_0_1);
}

static livetcp_result check(const livetcp_redundancy_config *config, livetcp_error *error)
{
    if (!lt_red_type_possible(config->payload_type))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "payload_type %u: 0 to 127 without 64 to 95 are possible",
                       config->payload_type);
    if (config->depth < 1 || config->depth > LIVETCP_REDUNDANCY_MAX_DEPTH)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "depth %u: 1 to %d are possible",
                       config->depth, LIVETCP_REDUNDANCY_MAX_DEPTH);
    if (config->max_packet < LEAST_PACKET || config->max_packet > MOST_PACKET)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "max_packet %zu: %d to %d bytes are possible", config->max_packet,
                       LEAST_PACKET, MOST_PACKET);
    return LIVETCP_OK;
}

livetcp_result lt_red_read_config(const livetcp_redundancy_config *config,
                                  livetcp_redundancy_config *whole, livetcp_error *error)
{
    livetcp_result result =
        LT_CHECK_INITIALIZED(config, livetcp_redundancy_config, SIZE_0_1, error);

    if (result != LIVETCP_OK)
        return result;
    livetcp_redundancy_config_init(whole);
    lt_sized_read(whole, sizeof *whole, config);
    return check(whole, error);
}

livetcp_result lt_red_read(lt_red_packet *packet, const void *data, size_t size, size_t max_packet,
                           livetcp_error *error)
{
    const uint8_t *bytes = data;
    size_t padding = 0;

    if (size > max_packet)
        return lt_fail(error, LIVETCP_ERR_PACKET_TOO_LARGE,
                       "a packet of %zu bytes, where max_packet is %zu", size, max_packet);
    if (!bytes || !lt_rtp_parse(bytes, size, &packet->header))
        return lt_fail(error, LIVETCP_ERR_NOT_RTP, "not an RTP packet");
    size_t left = size - packet->header.header_size;
    if (bytes[0] & HAS_PADDING) {
        padding = left ? bytes[size - 1] : 0;
        if (padding < 1 || padding > left)
            return lt_fail(error, LIVETCP_ERR_NOT_RTP, "an RTP packet padded beyond its header");
    }
    packet->data = bytes;
    packet->payload = bytes + packet->header.header_size;
    packet->payload_size = left - padding;
    return LIVETCP_OK;
}

void lt_red_copy_header(uint8_t *to, const lt_red_packet *packet, unsigned payload_type)
{
    memcpy(to, packet->data, packet->header.header_size);
    to[0] &= (uint8_t)~HAS_PADDING;
    to[1] = (uint8_t)((packet->header.marker ? MARKER : 0) | payload_type);
}
