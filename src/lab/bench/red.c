/* SPDX-License-Identifier: MIT */
#include "lab/bench/red.h"

#include "base/bytes.h"
#include "base/error.h"
#include "lab/bench/packet.h"

#include <stdlib.h>

enum {
    BLOCK_HEADER =
        4, /* RFC 2198 section 3: header of a redundant block; that of the primary is one byte */
    MAX_REPEATED = 1023
};

/* The secondary is the beginning of the primary, which contains the probe. */
static size_t secondary_size(size_t primary)
{
    size_t half = (primary - LT_BENCH_RTP) / 2;
    return half < MAX_REPEATED ? half : MAX_REPEATED;
}

size_t lt_red_size(size_t primary, unsigned depth)
{
    return depth ? primary + 1 + depth * (BLOCK_HEADER + secondary_size(primary)) : primary;
}

static livetcp_result create(lt_red *red, unsigned stream, const livetcp_redundancy_config *config,
                             livetcp_error *error)
{
    livetcp_result result =
        livetcp_redundancy_encoder_create(config, &red->encoders[stream], error);
    if (result == LIVETCP_OK)
        result = livetcp_redundancy_decoder_create(config, &red->decoders[stream], error);
    return result;
}

livetcp_result lt_red_init(lt_red *red, const lt_scheme *scheme, const lt_plan *plan,
                           livetcp_error *error)
{
    livetcp_redundancy_config config;
    livetcp_result result = LIVETCP_OK;
    *red = (lt_red){.depth = scheme->redundancy, .streams = plan->streams};
    if (!red->depth)
        return LIVETCP_OK;
    livetcp_redundancy_config_init(&config);
    config.depth = red->depth;
    config.max_packet = lt_red_size(plan->size - LT_BENCH_FRAMING, red->depth);
    red->encoders = calloc(plan->streams, sizeof(livetcp_redundancy_encoder *));
    red->decoders = calloc(plan->streams, sizeof(livetcp_redundancy_decoder *));
    if (!red->encoders || !red->decoders)
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for redundancy");
    for (unsigned i = 0; result == LIVETCP_OK && i < plan->streams; i++)
        result = create(red, i, &config, error);
    if (result != LIVETCP_OK)
        lt_red_clear(red);
    return result;
}

void lt_red_clear(lt_red *red)
{
    for (unsigned i = 0; i < red->streams; i++) {
        if (red->encoders)
            livetcp_redundancy_encoder_destroy(&red->encoders[i]);
        if (red->decoders)
            livetcp_redundancy_decoder_destroy(&red->decoders[i]);
    }
    free(red->encoders);
    free(red->decoders);
    *red = (lt_red){0};
}

void lt_red_encode(lt_red *red, unsigned stream, const void *packet, const void **sent,
                   size_t *size)
{
    const livetcp_redundancy_block secondary = {.payload_type = LT_BENCH_SECONDARY_TYPE,
                                                .payload = (const uint8_t *)packet + LT_BENCH_RTP,
                                                .size = secondary_size(*size)};
    *sent = packet;
    if (red->depth)
        livetcp_redundancy_encode(red->encoders[stream], packet, *size, &secondary, sent, size,
                                  NULL);
}

size_t lt_red_decode(lt_red *red, const void *packet, size_t size,
                     livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES])
{
    size_t count = 1;
    frames[0] = (livetcp_redundancy_frame){.packet = packet, .size = size};
    if (!red->depth)
        return count;
    uint32_t stream = size < LT_BENCH_RTP
                          ? UINT32_MAX
                          : lt_read_be32((const uint8_t *)packet + 8) - LT_BENCH_SSRC;
    if (stream >= red->streams ||
        livetcp_redundancy_decode(red->decoders[stream], packet, size, frames, &count, NULL))
        return 0;
    return count;
}
