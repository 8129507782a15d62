/* SPDX-License-Identifier: MIT */
/* Control messages: what is accepted is in range, and comes back from what it is encoded to. The
 * input is one packet, without LENGTH. */
#include "fuzz.h"

#include "engine/packet.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/config.h>

#include <string.h>

static bool same(const lt_control *a, const lt_control *b)
{
    return a->type == b->type && a->version == b->version && a->index == b->index &&
           a->count == b->count && a->role == b->role && a->code == b->code &&
           !strcmp(a->text, b->text) && a->capabilities == b->capabilities &&
           !memcmp(a->session_id, b->session_id, LT_SESSION_ID_SIZE) &&
           !memcmp(a->nonce, b->nonce, LT_NONCE_SIZE) &&
           !memcmp(a->public_key, b->public_key, LT_KEY_SIZE) && a->ticket == b->ticket &&
           !memcmp(a->mac, b->mac, LT_MAC_SIZE) && a->timestamp == b->timestamp &&
           a->reason == b->reason && a->parity_ssrc == b->parity_ssrc &&
           a->media_ssrc == b->media_ssrc && a->payload_type == b->payload_type;
}

static void check_accepted(const lt_control *message)
{
    uint8_t frame[LT_CONTROL_MAX], frame_again[LT_CONTROL_MAX];
    lt_control again;
    size_t frame_size = lt_control_encode(message, frame);

    FUZZ_REQUIRE(message->type <= LT_CONTROL_ARRIVAL);
    FUZZ_REQUIRE(message->count <= LIVETCP_MAX_CONNECTIONS);
    FUZZ_REQUIRE(lt_control_reason(message) < 0 && lt_control_reason(message) >= -LT_REASON_MAX);
    FUZZ_REQUIRE(frame_size <= sizeof frame);
    FUZZ_REQUIRE(lt_control_is(frame + LT_FRAME_HEADER, frame_size - LT_FRAME_HEADER));
    FUZZ_REQUIRE(lt_control_decode(frame + LT_FRAME_HEADER, frame_size - LT_FRAME_HEADER, &again) ==
                 LIVETCP_OK);
    FUZZ_REQUIRE(same(message, &again));
    /* And what differs by type. */
    FUZZ_REQUIRE(lt_control_encode(&again, frame_again) == frame_size);
    FUZZ_REQUIRE(!memcmp(frame, frame_again, frame_size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lt_control message;
    livetcp_result result;

    if (!lt_control_is(data, size))
        return 0;
    result = lt_control_decode(data, size, &message);
    if (result == LIVETCP_OK) {
        FUZZ_REQUIRE(lt_rtp_classify(data, size) == LT_RTP_CONTROL);
        check_accepted(&message);
    } else {
        FUZZ_REQUIRE(result == LIVETCP_ERR_PROTOCOL || result == LIVETCP_ERR_NOT_SUPPORTED ||
                     result == LIVETCP_ERR_VERSION);
    }
    return 0;
}
