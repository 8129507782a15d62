/* SPDX-License-Identifier: MIT */
/* RTP and RTCP headers: what the parts say must fit the packet, and each other. */
#include "fuzz.h"

#include "rtp/rtp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lt_rtp_header header = {0};
    lt_rtp_kind kind = lt_rtp_classify(data, size);
    bool media = lt_rtp_parse(data, size, &header), control = lt_rtcp_check(data, size);

    FUZZ_REQUIRE(media == (kind == LT_RTP_MEDIA));
    FUZZ_REQUIRE(control == (kind == LT_RTP_CONTROL));
    FUZZ_REQUIRE(!media || !control);
    if (media) {
        FUZZ_REQUIRE(header.header_size >= LT_RTP_MIN_SIZE);
        FUZZ_REQUIRE(header.header_size <= size);
        FUZZ_REQUIRE(header.payload_type < 128);
    }
    if (control)
        FUZZ_REQUIRE(size >= LT_RTCP_MIN_SIZE);
    if (lt_rtcp_ssrc(data, size))
        FUZZ_REQUIRE(size >= 8);
    return 0;
}
