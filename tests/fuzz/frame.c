/* SPDX-License-Identifier: MIT */
/* Deframing: however a stream is cut, the same frames come out. The first byte chooses the largest
 * frame, the second how the stream is cut; the rest is the stream. */
#include "fuzz.h"

#include "base/rng.h"
#include "wire/frame.h"

typedef struct outcome {
    uint64_t digest; /* of all frames and their lengths */
    lt_deframe result;
} outcome;

static uint64_t digest_bytes(uint64_t digest, const uint8_t *data, size_t size)
{
    digest = (digest ^ size) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ data[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/* Feeds reads of up to `longest` bytes. */
static outcome deframe(const uint8_t *data, size_t size, size_t max_frame, size_t longest)
{
    outcome out = {UINT64_C(0xcbf29ce484222325), LT_DEFRAME_MORE};
    lt_deframer deframer;
    lt_rng rng;

    lt_deframer_init(&deframer, max_frame);
    lt_rng_seed(&rng, longest);
    while (size && out.result == LT_DEFRAME_MORE) {
        size_t take = 1 + (size_t)(lt_rng_next(&rng) % longest), left;
        const uint8_t *frame;
        size_t frame_size;

        left = take = take < size ? take : size;
        size -= take;
        while ((out.result = lt_deframer_next(&deframer, &data, &left, &frame, &frame_size)) ==
               LT_DEFRAME_FRAME) {
            FUZZ_REQUIRE(frame_size <= max_frame);
            out.digest = digest_bytes(out.digest, frame, frame_size);
        }
        FUZZ_REQUIRE(out.result != LT_DEFRAME_MORE || left == 0);
        FUZZ_REQUIRE(deframer.capacity <= 4096 || deframer.capacity <= 2 * deframer.held);
    }
    lt_deframer_clear(&deframer);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome whole, cut;
    size_t max_frame, longest;

    if (size < 2)
        return 0;
    max_frame = data[0] == 255 ? LT_FRAME_MAX : 16u * data[0];
    longest = 1u + data[1];
    whole = deframe(data + 2, size - 2, max_frame, size);
    cut = deframe(data + 2, size - 2, max_frame, longest);
    FUZZ_REQUIRE(whole.digest == cut.digest);
    FUZZ_REQUIRE(whole.result == cut.result);
    return 0;
}
