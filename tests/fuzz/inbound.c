/* SPDX-License-Identifier: MIT */
/* A stranger and a listener. The first byte says how the stream is cut; the rest is the stream.
 * The listener knows one session, whose key the stranger does not have: whatever he sends, he asks
 * for a session, waits, or is turned away, and never proves anything. */
#include "fuzz.h"

#include "base/rng.h"
#include "wire/frame.h"
#include "wire/handshake.h"

static lt_rng secrets;

static livetcp_result draw(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lt_rng_next(&secrets);
    return LIVETCP_OK;
}

/* The same session for every input. */
static const lt_credentials *known_session(void)
{
    static lt_credentials caller, listener;

    lt_rng_seed(&secrets, 1);
    if (!listener.has_key) {
        FUZZ_REQUIRE(lt_credentials_create(&caller, NULL, draw, NULL) == LIVETCP_OK);
        FUZZ_REQUIRE(lt_credentials_create(&listener, caller.session_id, draw, NULL) == LIVETCP_OK);
        FUZZ_REQUIRE(lt_credentials_agree(&listener, caller.public_key) == LIVETCP_OK);
    }
    return &listener;
}

static bool accept_session(lt_pending_connection *inbound)
{
    static lt_credentials made; /* must outlive the pending */
    lt_reply answer;
    lt_pending_authenticator pending;
    livetcp_result result = lt_pending_connection_accept(inbound, &made, draw, NULL, &answer);
    bool accepted = result == LIVETCP_OK;

    FUZZ_REQUIRE(accepted || result == LIVETCP_ERR_BAD_PROOF);
    FUZZ_REQUIRE(accepted == made.has_key && accepted == (answer.size > 0));
    lt_pending_connection_authenticator(inbound, &pending);
    FUZZ_REQUIRE(accepted == pending.pending);
    return accepted;
}

/* What is held came whole, and is no more than may be. */
static void check_held(const lt_pending_connection *inbound)
{
    size_t size;
    const uint8_t *held = lt_pending_connection_held(inbound, &size);

    FUZZ_REQUIRE(size <= LT_PENDING_MEDIA);
    while (size) {
        size_t frame = LT_FRAME_HEADER + (size_t)(held[0] << 8 | held[1]);
        FUZZ_REQUIRE(frame > LT_FRAME_HEADER && frame <= size);
        held += frame;
        size -= frame;
    }
}

/* Returns whether the handshake goes on. */
static bool take_step(lt_pending_connection *inbound, const uint8_t **data, size_t *size,
                      bool *accepted)
{
    lt_reply reply;
    livetcp_result error;
    lt_pending_step step = lt_pending_connection_receive(inbound, data, size, &reply, &error);

    FUZZ_REQUIRE(reply.size <= sizeof reply.frame);
    FUZZ_REQUIRE(step != LT_PENDING_PROVED);
    FUZZ_REQUIRE(step != LT_PENDING_MORE || !*size);
    FUZZ_REQUIRE((step == LT_PENDING_FAILED) == (error != LIVETCP_OK));
    check_held(inbound);
    if (step == LT_PENDING_CREATE)
        return *accepted = accept_session(inbound);
    if (step == LT_PENDING_LOOKUP)
        FUZZ_REQUIRE(lt_pending_connection_challenge(inbound, known_session(), draw, NULL,
                                                     &reply) == LIVETCP_OK);
    return step == LT_PENDING_MORE || step == LT_PENDING_LOOKUP;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lt_pending_connection *inbound = lt_pending_connection_create(0, 1);
    size_t longest = size ? 1u + *data : 1, consumed = 0;
    bool going = size > 0, accepted = false;
    lt_rng cuts;

    FUZZ_REQUIRE(inbound);
    known_session();
    lt_rng_seed(&cuts, longest);
    if (going) {
        data++;
        size--;
    }
    while (going && size) {
        size_t take = 1 + (size_t)(lt_rng_next(&cuts) % longest), left;
        left = take = take < size ? take : size;
        size -= take;
        while (going && left) {
            size_t before = left;
            going = take_step(inbound, &data, &left, &accepted);
            consumed += before - left;
            FUZZ_REQUIRE(!going || accepted || consumed <= LT_PENDING_HELD);
        }
    }
    lt_pending_connection_destroy(&inbound);
    return 0;
}
