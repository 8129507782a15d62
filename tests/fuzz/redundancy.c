/* SPDX-License-Identifier: MIT */
/* Redundant audio. Packets follow each other, each with its size before it in two bytes. The
 * decoder gets them as they are: what it gives out must be RTP, in order, the primary last, and
 * must fit. What the encoder makes of the primaries, a second decoder must take apart again. */
#include "fuzz.h"

#include "rtp/rtp.h"

#include <livetcp/rtp.h>

#include <string.h>

#define MAX_PACKET 4000

typedef struct objects {
    livetcp_redundancy_encoder *encoder;
    livetcp_redundancy_decoder *decoder, *again;
} objects;

static size_t check_frames(const livetcp_redundancy_frame *frames, size_t count, size_t size)
{
    lt_rtp_header header, primary;
    size_t total = 0;

    FUZZ_REQUIRE(count >= 1 && count <= LIVETCP_REDUNDANCY_MAX_FRAMES);
    FUZZ_REQUIRE(lt_rtp_parse(frames[count - 1].packet, frames[count - 1].size, &primary));
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(lt_rtp_parse(frames[i].packet, frames[i].size, &header));
        FUZZ_REQUIRE(frames[i].redundant == (i < count - 1));
        FUZZ_REQUIRE(frames[i].redundant || !frames[i].seen);
        FUZZ_REQUIRE(header.ssrc == primary.ssrc);
        FUZZ_REQUIRE(i == count - 1 || header.sequence != primary.sequence);
        total += frames[i].size;
    }
    FUZZ_REQUIRE(total <= size + LT_RTP_MIN_SIZE * count);
    return count;
}

/* Repeats a primary, and finds it again. */
static void go_round(objects *o, const livetcp_redundancy_frame *primary)
{
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    const void *red;
    size_t size, count;

    if (livetcp_redundancy_encode(o->encoder, primary->packet, primary->size, NULL, &red, &size,
                                  NULL) != LIVETCP_OK)
        return;
    FUZZ_REQUIRE(size <= MAX_PACKET);
    FUZZ_REQUIRE(livetcp_redundancy_decode(o->again, red, size, frames, &count, NULL) ==
                 LIVETCP_OK);
    check_frames(frames, count, size);
    const livetcp_redundancy_frame *last = &frames[count - 1];
    const uint8_t *in = primary->packet, *out = last->packet;
    if (in[0] & 0x20)
        return; /* padding goes */
    FUZZ_REQUIRE(last->size == primary->size && !memcmp(in, out, last->size));
}

static void receive(objects *o, const uint8_t *packet, size_t size)
{
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    livetcp_error error;
    size_t count = 1;

    if (livetcp_redundancy_decode(o->decoder, packet, size, frames, &count, &error) != LIVETCP_OK) {
        FUZZ_REQUIRE(count == 0 && error.message[0]);
        return;
    }
    check_frames(frames, count, size);
    go_round(o, &frames[count - 1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    livetcp_redundancy_config config;
    objects o = {NULL, NULL, NULL};

    livetcp_redundancy_config_init(&config);
    config.depth = 1 + fuzz_byte(&in) % LIVETCP_REDUNDANCY_MAX_DEPTH;
    config.max_packet = MAX_PACKET;
    FUZZ_REQUIRE(livetcp_redundancy_encoder_create(&config, &o.encoder, NULL) == LIVETCP_OK &&
                 livetcp_redundancy_decoder_create(&config, &o.decoder, NULL) == LIVETCP_OK &&
                 livetcp_redundancy_decoder_create(&config, &o.again, NULL) == LIVETCP_OK);
    while (in.size > 0) {
        size_t length = fuzz_byte(&in) << 8;
        length |= fuzz_byte(&in);
        length = length < in.size ? length : in.size;
        uint8_t *packet = malloc(length ? length : 1); /* of exactly that size, for sanitizers */
        FUZZ_REQUIRE(packet);
        memcpy(packet, in.data, length);
        receive(&o, packet, length);
        free(packet);
        in.data += length;
        in.size -= length;
    }
    livetcp_redundancy_encoder_destroy(&o.encoder);
    livetcp_redundancy_decoder_destroy(&o.decoder);
    livetcp_redundancy_decoder_destroy(&o.again);
    return 0;
}
