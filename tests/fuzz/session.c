/* SPDX-License-Identifier: MIT */
/*
 * A whole session against a hostile peer and a fickle kernel. The first byte chooses side and wire
 * (bits 0, 1), limits (5, 6) and the order of delivery (7), the second the policy; then come
 * operations, each an operation byte, with the slot in its low two bits and the kind above, and its
 * arguments:
 *
 *   0        bytes from the peer: a length byte, then the bytes
 *   1        one control message from the peer: type byte, fields filled from the next byte
 *   2        the application sends: sequence number (2), importance, frame and stream, payload
 *            size byte
 *   3        the kernel takes: bytes per write (0: it is full), writes
 *   4        a new TCP connection for the slot
 *   5        the slot's connection is lost
 *   6        time passes: milliseconds (2)
 *   7        the application closes
 *   8        the platform says: tcp state, and 8 bytes of times and counts
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "base/rng.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/engine.h>

#include <string.h>

#define SLOTS 4

typedef struct world {
    livetcp_engine *session;
    lt_rng rng;
    livetcp_usec now;
    bool caller;
    uint64_t accepted;
} world;

static livetcp_result fill(void *user, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lt_rng_next(user);
    return LIVETCP_OK;
}

static void deliver(void *user, const livetcp_packet *arrival)
{
    world *w = user;
    FUZZ_REQUIRE(arrival->arrival_us <= w->now);
    FUZZ_REQUIRE(lt_rtp_classify(arrival->data, arrival->size) != LT_RTP_INVALID);
}

static void from_peer(world *w, unsigned slot, fuzz_reader *in)
{
    size_t size = fuzz_byte(in);
    if (size > in->size)
        size = in->size;
    livetcp_engine_receive(w->session, slot, in->data, size, NULL, w->now);
    in->data += size;
    in->size -= size;
}

static void control_from_peer(world *w, unsigned slot, fuzz_reader *in)
{
    uint8_t frame[LT_CONTROL_MAX];
    lt_control message;
    unsigned type = fuzz_byte(in) % 18, filler = fuzz_byte(in);

    memset(&message, (int)filler, sizeof message);
    message.type = (lt_control_type)type;
    message.version = LT_WIRE_VERSION;
    message.count = SLOTS;
    message.index = (uint8_t)(filler % SLOTS);
    if (type == LT_CONTROL_RECEPTION)
        message.reception.receipt_count %= LT_RECEPTION_RECEIPTS + 1;
    message.parity_ssrc = filler; /* not the media's, which is `filler` in every byte */
    livetcp_engine_receive(w->session, slot, frame, lt_control_encode(&message, frame), NULL,
                           w->now);
}

static void application_sends(world *w, fuzz_reader *in)
{
    uint8_t packet[LT_RTP_MIN_SIZE + 255] = {0x80, 96};
    packet[2] = (uint8_t)fuzz_byte(in);
    packet[3] = (uint8_t)fuzz_byte(in);
    unsigned importance = fuzz_byte(in);
    packet[7] = (uint8_t)(importance >> 3); /* timestamp: several packets are one frame */
    packet[11] = (uint8_t)(importance >> 6);
    livetcp_packet_info info = {.struct_size = sizeof info,
                                .importance = (livetcp_importance)(importance % 8)};
    w->accepted += livetcp_engine_send(w->session, packet, LT_RTP_MIN_SIZE + fuzz_byte(in), &info,
                                       w->now) == LIVETCP_OK;
}

static void kernel_takes(world *w, fuzz_reader *in)
{
    size_t most = fuzz_byte(in);
    livetcp_engine_write write;
    for (unsigned writes = fuzz_byte(in); writes; writes--) {
        if (!livetcp_engine_next_write(w->session, w->now, &write))
            return;
        FUZZ_REQUIRE(write.size > 0);
        size_t taken = write.size < most ? write.size : most;
        if (taken)
            livetcp_engine_wrote(w->session, write.connection, taken, w->now);
        if (taken < write.size)
            livetcp_engine_blocked(w->session, write.connection);
    }
    for (unsigned slot = 0; slot < SLOTS; slot++)
        livetcp_engine_writable(w->session, slot);
}

static void platform_says(world *w, unsigned slot, fuzz_reader *in)
{
    livetcp_path facts = {.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT |
                                   LIVETCP_PATH_TCP_STATE | LIVETCP_PATH_CWND | LIVETCP_PATH_MSS |
                                   LIVETCP_PATH_RTT | LIVETCP_PATH_RTO | LIVETCP_PATH_SACKED};
    facts.tcp_state = (livetcp_tcp_state)(fuzz_byte(in) % 5);
    facts.queued_bytes = fuzz_byte(in) * 64;
    facts.unsent_bytes = fuzz_byte(in) * 64;
    facts.sacked_bytes = fuzz_byte(in) * 64;
    facts.cwnd_bytes = fuzz_byte(in) * 256;
    facts.mss_bytes = fuzz_byte(in) * 8;
    facts.rtt_us = fuzz_byte(in) * (livetcp_usec)LIVETCP_USEC_MSEC;
    facts.rtt_variation_us = fuzz_byte(in) * (livetcp_usec)LIVETCP_USEC_MSEC;
    facts.rto_us = 2 * facts.rtt_us;
    if (livetcp_engine_wants_path_info(w->session, w->now) >> slot & 1)
        livetcp_engine_path_info(w->session, slot, &facts, w->now);
}

static void connect_slot(world *w, unsigned slot)
{
    unsigned wanted;
    if (!w->caller)
        livetcp_engine_adopt(w->session, slot, w->now);
    while (livetcp_engine_next_connect(w->session, w->now, &wanted))
        if (wanted == slot)
            livetcp_engine_connected(w->session, wanted, w->now);
        else
            livetcp_engine_lost(w->session, wanted, LIVETCP_ERR_REFUSED, w->now);
}

static void operate(world *w, fuzz_reader *in)
{
    unsigned operation = fuzz_byte(in), slot = operation % SLOTS;

    switch (operation / SLOTS % 9) {
    case 0:
        from_peer(w, slot, in);
        break;
    case 1:
        control_from_peer(w, slot, in);
        break;
    case 2:
        application_sends(w, in);
        break;
    case 3:
        kernel_takes(w, in);
        break;
    case 4:
        connect_slot(w, slot);
        break;
    case 5:
        livetcp_engine_lost(w->session, slot, LIVETCP_ERR_CONNECTION_LOST, w->now);
        break;
    case 6:
        w->now += 256 * (livetcp_usec)fuzz_byte(in) * LIVETCP_USEC_MSEC;
        w->now += (livetcp_usec)fuzz_byte(in) * LIVETCP_USEC_MSEC;
        livetcp_engine_expire(w->session, w->now);
        break;
    case 7:
        livetcp_engine_close(w->session, LIVETCP_ERR_CANCELLED, 0, w->now);
        break;
    case 8:
        platform_says(w, slot, in);
        break;
    }
}

static void check(world *w)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    livetcp_engine_event event;
    unsigned slot;
    livetcp_result reason;

    while (livetcp_engine_next_close(w->session, &slot, &reason))
        FUZZ_REQUIRE(slot < LIVETCP_MAX_CONNECTIONS && (reason != LIVETCP_OK || w->caller));
    while (livetcp_engine_next_event(w->session, &event))
        FUZZ_REQUIRE(event.connection < LIVETCP_MAX_CONNECTIONS);
    livetcp_engine_get_stats(w->session, w->now, &stats);
    FUZZ_REQUIRE(stats.sent.accepted == w->accepted);
    FUZZ_REQUIRE(stats.open_connections <= stats.connections);
    FUZZ_REQUIRE(stats.sent.queue_packets <= 16);
    FUZZ_REQUIRE(stats.sent.extra_bytes >= stats.sent.copies * LT_RTP_MIN_SIZE);
    FUZZ_REQUIRE(stats.sent.packets + stats.sent.queue_packets + stats.dropped.queue_full +
                     stats.dropped.late <=
                 stats.sent.accepted + stats.sent.resent);
    FUZZ_REQUIRE(stats.dropped.late == stats.dropped.late_droppable + stats.dropped.late_delta +
                                           stats.dropped.late_audio + stats.dropped.late_key);
}

/* Any of the registry; on a plain wire, which has one connection, one that makes do with that. */
static const livetcp_policy *choose_policy(unsigned mode, unsigned number)
{
    size_t count = 0;
    while (livetcp_policy_at(count))
        count++;
    const livetcp_policy *policy = livetcp_policy_at(number % count);
    return mode & 2 && policy->min_connections > 1 ? livetcp_policy_at(0) : policy;
}

static livetcp_engine *make_session(world *w, unsigned mode, unsigned policy)
{
    livetcp_config config;
    livetcp_config_init(&config);
    config.connections = SLOTS;
    config.wire = mode & 2 ? LIVETCP_WIRE_PLAIN : LIVETCP_WIRE_SESSION;
    config.queue_packets = 16;
    config.order = mode & 128 ? LIVETCP_ORDER_SEQUENCE : LIVETCP_ORDER_ARRIVAL;
    config.split = 1 + mode % 3;
    config.max_send_delay_us = mode & 32 ? (mode & 64 ? 2000 : 100) * LIVETCP_USEC_MSEC : 0;
    w->caller = mode & 1;
    livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                  .config = &config,
                                  .policy = choose_policy(mode, policy),
                                  .caller = w->caller,
                                  .random = fill,
                                  .random_user = &w->rng,
                                  .on_packet = deliver,
                                  .user = w};
    livetcp_engine *session;
    FUZZ_REQUIRE(livetcp_engine_create(&setup, &session, NULL) == LIVETCP_OK);
    return session;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    world w = {.now = 1000000};

    lt_rng_seed(&w.rng, 1);
    unsigned mode = fuzz_byte(&in);
    w.session = make_session(&w, mode, fuzz_byte(&in));
    while (in.size) {
        operate(&w, &in);
        check(&w);
    }
    livetcp_engine_destroy(&w.session);
    return 0;
}
