/* SPDX-License-Identifier: MIT */
/*
 * Two engines that have proved themselves to each other, and a network that does what the input
 * says: the way to what a peer without the key never reaches. The first two bytes choose settings;
 * then come operations, each an operation byte, with the connection in its low two bits and the
 * kind above, and its arguments:
 *
 *   0  bytes travel to the listener: how many (0: all)
 *   1  bytes travel to the caller: how many (0: all)
 *   2  one end sends a packet: which end, SSRC, sequence number, size
 *   3  time passes: milliseconds
 *   4  the connection is lost
 *   5  a byte on the way is changed: which way, where, how
 *   6  a control message is put into the stream, as a member may: which way, type, filler
 *   7  everything travels, ten times, with 20 ms between
 *   8  one end closes
 */
#include "fuzz.h"

#include "base/rng.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/engine.h>

#include <string.h>

#define SLOTS     4
#define WAY_BYTES 65536

/* One direction of a connection: bytes between the two. */
typedef struct way {
    uint8_t bytes[WAY_BYTES];
    size_t size;
} way;

typedef struct connection {
    bool up;
    livetcp_pending *pending; /* the listener's side until it belongs to a session */
    way up_way, down_way;
} connection;

typedef struct world {
    livetcp_engine *caller, *listener;
    connection connections[SLOTS];
    livetcp_config config;
    lt_rng rng;
    livetcp_usec now;
} world;

static world w;

static livetcp_result fill(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lt_rng_next(&w.rng);
    return LIVETCP_OK;
}

static void deliver(void *user, const livetcp_packet *packet)
{
    (void)user;
    FUZZ_REQUIRE(packet->arrival_us <= w.now);
    FUZZ_REQUIRE(lt_rtp_classify(packet->data, packet->size) != LT_RTP_INVALID);
}

static livetcp_engine *make(bool caller, const livetcp_pending *pending)
{
    livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                  .config = &w.config,
                                  .caller = caller,
                                  .pending = pending,
                                  .random = fill,
                                  .on_packet = deliver};
    livetcp_engine *engine;

    FUZZ_REQUIRE(livetcp_engine_create(&setup, &engine, NULL) == LIVETCP_OK);
    return engine;
}

static void put(way *to, const void *bytes, size_t size)
{
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void lose(unsigned slot)
{
    connection *c = &w.connections[slot];

    if (!c->up)
        return;
    c->up = false;
    c->up_way.size = c->down_way.size = 0;
    livetcp_engine_lost(w.caller, slot, LIVETCP_ERR_CONNECTION_LOST, w.now);
    if (!c->pending && w.listener)
        livetcp_engine_lost(w.listener, slot, LIVETCP_ERR_CONNECTION_LOST, w.now);
    livetcp_pending_destroy(&c->pending);
}

static void write_all(livetcp_engine *engine, bool caller)
{
    livetcp_engine_write write;
    livetcp_path path = {.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_RTT | LIVETCP_PATH_CWND |
                                  LIVETCP_PATH_MSS,
                         .rtt_us = 20000,
                         .cwnd_bytes = 14480,
                         .mss_bytes = 1448};
    uint32_t wanted = livetcp_engine_wants_path_info(engine, w.now);

    for (unsigned i = 0; i < SLOTS; i++) {
        const connection *c = &w.connections[i];
        path.queued_bytes = (uint32_t)(caller ? c->up_way.size : c->down_way.size);
        if (wanted >> i & 1)
            livetcp_engine_path_info(engine, i, &path, w.now);
    }
    while (livetcp_engine_next_write(engine, w.now, &write)) {
        connection *c = &w.connections[write.connection % SLOTS];
        way *to = caller ? &c->up_way : &c->down_way;
        size_t room = WAY_BYTES - to->size;
        size_t taken = write.size < room ? write.size : room;
        FUZZ_REQUIRE(write.connection < SLOTS);
        if (!c->up || !taken) {
            livetcp_engine_blocked(engine, write.connection);
            continue;
        }
        put(to, write.data, taken);
        livetcp_engine_wrote(engine, write.connection, taken, w.now);
    }
    for (unsigned i = 0; i < SLOTS; i++)
        livetcp_engine_writable(engine, i);
}

static void close_some(livetcp_engine *engine)
{
    unsigned slot;
    livetcp_result reason;

    while (livetcp_engine_next_close(engine, &slot, &reason)) {
        FUZZ_REQUIRE(slot < SLOTS);
        lose(slot);
    }
}

static void drain_events(livetcp_engine *engine)
{
    livetcp_engine_event event;

    while (livetcp_engine_next_event(engine, &event))
        FUZZ_REQUIRE(event.connection < LIVETCP_MAX_CONNECTIONS);
}

static void service(void)
{
    unsigned slot;

    while (livetcp_engine_next_connect(w.caller, w.now, &slot)) {
        connection *c = &w.connections[slot];
        FUZZ_REQUIRE(slot < SLOTS && !c->up);
        c->up = true;
        c->pending = livetcp_pending_create(w.now, 5 * LIVETCP_USEC_SEC);
        FUZZ_REQUIRE(c->pending);
        livetcp_engine_connected(w.caller, slot, w.now);
    }
    write_all(w.caller, true);
    close_some(w.caller);
    drain_events(w.caller);
    if (!w.listener)
        return;
    write_all(w.listener, false);
    close_some(w.listener);
    drain_events(w.listener);
    if (livetcp_engine_state(w.listener) == LIVETCP_SESSION_CLOSED)
        livetcp_engine_destroy(&w.listener);
}

/* The session takes the connection. */
static void adopt(unsigned slot, const livetcp_reply *joined, const uint8_t *data, size_t size)
{
    connection *c = &w.connections[slot];
    unsigned index = livetcp_pending_index(c->pending);
    size_t held_size;
    const uint8_t *held = livetcp_pending_held(c->pending, &held_size);

    if (livetcp_pending_is_create(c->pending) && !w.listener)
        w.listener = make(false, c->pending);
    if (!w.listener || index != slot ||
        livetcp_engine_adopt_pending(w.listener, c->pending, w.now) != LIVETCP_OK) {
        lose(slot);
        return;
    }
    put(&c->down_way, joined->frame, joined->size);
    livetcp_engine_receive(w.listener, index, held, held_size, NULL, w.now);
    livetcp_engine_receive(w.listener, index, data, size, NULL, w.now);
    livetcp_pending_destroy(&c->pending);
}

static void pending_input(unsigned slot, const uint8_t *data, size_t size)
{
    connection *c = &w.connections[slot];

    for (;;) {
        livetcp_reply reply = {.size = 0};
        livetcp_result error = LIVETCP_OK;
        livetcp_pending_step step =
            livetcp_pending_receive(c->pending, &data, &size, &reply, &error);
        if (step == LIVETCP_PENDING_PROVED) {
            adopt(slot, &reply, data, size);
            return;
        }
        if (step == LIVETCP_PENDING_CREATE)
            error = livetcp_pending_accept(c->pending, fill, NULL, &reply);
        if (step == LIVETCP_PENDING_JOIN)
            error = w.listener
                        ? livetcp_pending_challenge(c->pending, w.listener, fill, NULL, &reply)
                        : LIVETCP_ERR_UNKNOWN_SESSION;
        if (reply.size && reply.size <= WAY_BYTES - c->down_way.size)
            put(&c->down_way, reply.frame, reply.size);
        if (step == LIVETCP_PENDING_FAILED || error != LIVETCP_OK)
            lose(slot);
        if (step == LIVETCP_PENDING_MORE || !c->up)
            return;
    }
}

static void travel(unsigned slot, bool up, size_t most)
{
    static uint8_t bytes[WAY_BYTES];
    connection *c = &w.connections[slot];
    way *from = up ? &c->up_way : &c->down_way;
    size_t size = most && most < from->size ? most : from->size;

    if (!c->up || !size)
        return;
    memcpy(bytes, from->bytes, size);
    memmove(from->bytes, from->bytes + size, from->size - size);
    from->size -= size;
    if (!up)
        livetcp_engine_receive(w.caller, slot, bytes, size, NULL, w.now);
    else if (c->pending)
        pending_input(slot, bytes, size);
    else if (w.listener)
        livetcp_engine_receive(w.listener, slot, bytes, size, NULL, w.now);
}

static void pass(livetcp_usec duration)
{
    w.now += duration;
    livetcp_engine_expire(w.caller, w.now);
    if (w.listener)
        livetcp_engine_expire(w.listener, w.now);
}

static void travel_all(void)
{
    for (int round = 0; round < 10; round++) {
        for (unsigned i = 0; i < SLOTS; i++)
            travel(i, true, 0);
        service();
        for (unsigned i = 0; i < SLOTS; i++)
            travel(i, false, 0);
        pass(20 * LIVETCP_USEC_MSEC);
        service();
    }
}

static void send_packet(fuzz_reader *in)
{
    uint8_t packet[1500] = {0x80, 96};
    bool caller = fuzz_byte(in) % 2 || !w.listener;
    packet[11] = (uint8_t)(fuzz_byte(in) % 3);
    packet[3] = (uint8_t)fuzz_byte(in);
    size_t size = LT_RTP_MIN_SIZE + 5 * fuzz_byte(in);

    (void)livetcp_engine_send(caller ? w.caller : w.listener, packet, size, NULL, w.now);
}

/* A message of a member, in its own frame: only where the stream ends in a whole one. */
static void insert_control(unsigned slot, fuzz_reader *in)
{
    connection *c = &w.connections[slot];
    way *to = fuzz_byte(in) % 2 ? &c->up_way : &c->down_way;
    uint8_t frame[LT_CONTROL_MAX];
    lt_control message;
    unsigned type = fuzz_byte(in) % 18, filler = fuzz_byte(in);

    memset(&message, (int)filler, sizeof message);
    message.type = (lt_control_type)type;
    message.version = LT_WIRE_VERSION;
    message.count = SLOTS;
    message.index = (uint8_t)slot;
    message.text[filler % sizeof message.text] = '\0'; /* it ends, as text does */
    if (type == LT_CONTROL_RECEPTION)
        message.reception.receipt_count %= LT_RECEPTION_RECEIPTS + 1;
    size_t size = lt_control_encode(&message, frame);
    if (c->up && !to->size && size <= WAY_BYTES)
        put(to, frame, size);
}

static void change_byte(unsigned slot, fuzz_reader *in)
{
    connection *c = &w.connections[slot];
    way *at = fuzz_byte(in) % 2 ? &c->up_way : &c->down_way;
    unsigned where = fuzz_byte(in), how = fuzz_byte(in);

    if (at->size)
        at->bytes[where % at->size] ^= (uint8_t)how;
}

static void operate(fuzz_reader *in)
{
    unsigned operation = fuzz_byte(in), slot = operation % SLOTS;

    switch (operation / SLOTS % 9) {
    case 0:
        travel(slot, true, fuzz_byte(in));
        break;
    case 1:
        travel(slot, false, fuzz_byte(in));
        break;
    case 2:
        send_packet(in);
        break;
    case 3:
        pass((livetcp_usec)fuzz_byte(in) * 8 * LIVETCP_USEC_MSEC);
        break;
    case 4:
        lose(slot);
        break;
    case 5:
        change_byte(slot, in);
        break;
    case 6:
        insert_control(slot, in);
        break;
    case 7:
        travel_all();
        break;
    case 8:
        livetcp_engine_close(fuzz_byte(in) % 2 || !w.listener ? w.caller : w.listener,
                             LIVETCP_ERR_CANCELLED, 0, w.now);
        break;
    }
    service();
}

static void choose_settings(unsigned policy, unsigned mode)
{
    size_t count = 0;

    while (livetcp_policy_at(count))
        count++;
    livetcp_config_init(&w.config);
    w.config.connections = SLOTS;
    snprintf(w.config.policy, sizeof w.config.policy, "%s",
             livetcp_policy_at(policy % count)->name);
    w.config.order = mode & 1 ? LIVETCP_ORDER_SEQUENCE : LIVETCP_ORDER_ARRIVAL;
    w.config.max_send_delay_us = mode & 2 ? 100 * LIVETCP_USEC_MSEC : 0;
    w.config.queue_packets = 64;
    w.config.split = 1 + (mode >> 2) % 3;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};

    if (size > 1024)
        return 0;
    memset(&w.connections, 0, sizeof w.connections);
    w.now = LIVETCP_USEC_SEC;
    w.listener = NULL;
    lt_rng_seed(&w.rng, 1);
    unsigned policy = fuzz_byte(&in);
    choose_settings(policy, fuzz_byte(&in));
    w.caller = make(true, NULL);
    service();
    while (in.size)
        operate(&in);
    for (unsigned i = 0; i < SLOTS; i++)
        livetcp_pending_destroy(&w.connections[i].pending);
    livetcp_engine_destroy(&w.caller);
    livetcp_engine_destroy(&w.listener);
    return 0;
}
