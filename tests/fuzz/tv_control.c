/* SPDX-License-Identifier: MIT */
/* Controls, sender reports and pictures of samples/tv_*, from strangers. The first byte chooses:
 * the rest is one RTCP packet, or RTP packets behind their length in two bytes. */
#include "fuzz.h"

#include "../../samples/tv_client/assembly.h"
#include "../../samples/tv_common/control.h"
#include "../../samples/tv_common/rtcp.h"

#include <string.h>

/* What is taken is written again as it was. */
static void read_rtcp(const uint8_t *data, size_t size)
{
    uint8_t again[TV_CONTROL_MAX];
    tv_request request = {0};
    tv_answer answer = {0};
    tv_report report;

    switch (tv_read_control(data, size, &request, &answer)) {
    case TV_REQUEST:
        FUZZ_REQUIRE(request.number > 0 && strlen(request.text) <= TV_TEXT_MAX);
        FUZZ_REQUIRE(tv_write_request(again, 0, &request) <= size);
        break;
    case TV_ANSWER:
        FUZZ_REQUIRE(answer.mode <= TV_IS_FORWARD && strlen(answer.text) <= TV_TEXT_MAX);
        FUZZ_REQUIRE(tv_write_answer(again, 0, &answer) <= size);
        break;
    default:
        break;
    }
    tv_read_report(data, size, &report);
    tv_is_keyframe_wanted(data, size);
}

static void assemble(const uint8_t *data, size_t size)
{
    assembly a;
    assembled picture;
    livetcp_rtp_header header;

    if (!assembly_init(&a))
        return;
    while (size >= 2) {
        size_t length = (size_t)data[0] << 8 | data[1];
        data += 2;
        size -= 2;
        length = length > size ? size : length;
        if (livetcp_rtp_header_read(&header, data, length, NULL) == LIVETCP_OK)
            assembly_put(&a, &header, data, length, 0);
        while (assembly_get(&a, &picture))
            FUZZ_REQUIRE(picture.bytes && picture.size > 0);
        data += length;
        size -= length;
    }
    assembly_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 1)
        assemble(data + 1, size - 1);
    else
        read_rtcp(data + 1, size - 1);
    return 0;
}
