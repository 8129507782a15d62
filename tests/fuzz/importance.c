/* SPDX-License-Identifier: MIT */
/* Importance. The first byte is the codec, every following packet has its size before it in one
 * byte; what the payload says must be one of the classes, and the same every time it is asked. */
#include "fuzz.h"

#include "rtp/importance/importance.h"
#include "rtp/rtp.h"

#include <string.h>

static void judge(lt_importance_state *state, livetcp_codec codec, const uint8_t *packet,
                  size_t size)
{
    livetcp_packet_info info = {sizeof info, LIVETCP_IMPORTANCE_UNKNOWN, codec, 0, 0, false};
    livetcp_importance alone = livetcp_importance_of(codec, packet, size);
    lt_rtp_header header;
    bool media = lt_rtp_parse(packet, size, &header);
    livetcp_importance next =
        lt_importance_next(state, &info, media ? &header : NULL, packet, size);
    bool audio = codec == LIVETCP_CODEC_AUDIO && media;

    FUZZ_REQUIRE(alone >= LIVETCP_IMPORTANCE_UNKNOWN && alone <= LIVETCP_IMPORTANCE_KEY);
    FUZZ_REQUIRE(next >= LIVETCP_IMPORTANCE_UNKNOWN && next <= LIVETCP_IMPORTANCE_KEY);
    FUZZ_REQUIRE(livetcp_importance_of(codec, packet, size) == alone);
    FUZZ_REQUIRE(media || (alone == LIVETCP_IMPORTANCE_UNKNOWN && next == alone));
    /* Of an unknown stream, headers tell audio only. */
    if (codec == LIVETCP_CODEC_UNKNOWN)
        FUZZ_REQUIRE(next == LIVETCP_IMPORTANCE_UNKNOWN || next == LIVETCP_IMPORTANCE_AUDIO);
    FUZZ_REQUIRE(audio == (alone == LIVETCP_IMPORTANCE_AUDIO));
    /* Memory may make droppable delta and silence speak; it takes back nothing but by distrust. */
    if (alone > LIVETCP_IMPORTANCE_DROPPABLE && next != alone)
        FUZZ_REQUIRE(next == LIVETCP_IMPORTANCE_UNKNOWN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    livetcp_codec codec = (livetcp_codec)(fuzz_byte(&in) % (LIVETCP_CODEC_AUDIO + 2));
    lt_importance_state state = {0};

    while (in.size > 0) {
        size_t length = fuzz_byte(&in);
        uint8_t *packet;
        length = length < in.size ? length : in.size;
        packet = malloc(length ? length : 1); /* of exactly that size, for sanitizers */
        FUZZ_REQUIRE(packet);
        memcpy(packet, in.data, length);
        judge(&state, codec, packet, length);
        free(packet);
        in.data += length;
        in.size -= length;
    }
    return 0;
}
