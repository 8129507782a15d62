/* SPDX-License-Identifier: MIT */
/*
 * The receiving pipeline: bytes of several connections through deframers and header checks into
 * reassembly, while time passes. The first byte chooses order (bit 0) and wait (bits 1..3, 0 or
 * 50 << n ms); then come operations, each an operation byte, with the connection in its low three
 * bits and the kind above, and its arguments:
 *
 *   0        bytes for the connection: a length byte, then the bytes
 *   1..4     a whole packet: SSRC byte, sequence number (2), payload size byte
 *   5        time passes: milliseconds (2); reassembly's timers run
 *   6        a run of packets: SSRC byte, first sequence number (2), stride byte, count byte
 *   7        the connection is lost and replaced
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "engine/receiver/reassembly.h"
#include "rtp/rtp.h"
#include "wire/frame.h"

#include <string.h>

#define CONNECTIONS 8

typedef struct pipeline {
    lt_deframer deframers[CONNECTIONS];
    lt_reassembly *reassembly;
    livetcp_usec now;
    uint64_t pushed;
    uint64_t delivered;
    uint64_t bytes;
    unsigned checksum;
} pipeline;

static unsigned next_be16(fuzz_reader *in)
{
    unsigned high = fuzz_byte(in);
    return high << 8 | fuzz_byte(in);
}

static void deliver(void *user, const lt_arrival *arrival)
{
    pipeline *p = user;

    FUZZ_REQUIRE(lt_rtp_classify(arrival->data, arrival->size) == LT_RTP_MEDIA);
    FUZZ_REQUIRE(arrival->arrival_us <= p->now);
    FUZZ_REQUIRE(arrival->connection < CONNECTIONS);
    if (arrival->packet) {
        FUZZ_REQUIRE(lt_packet_data(arrival->packet) == arrival->data);
        FUZZ_REQUIRE(arrival->packet->references == 1);
    }
    for (size_t i = 0; i < arrival->size; i++)
        p->checksum += arrival->data[i];
    p->delivered++;
    p->bytes += arrival->size;
}

static void check_stats(const pipeline *p)
{
    const lt_reassembly_stats *stats = lt_reassembly_get_stats(p->reassembly);

    FUZZ_REQUIRE(stats->delivered == p->delivered);
    FUZZ_REQUIRE(stats->delivered_bytes == p->bytes);
    FUZZ_REQUIRE(stats->delivered + stats->duplicates + stats->late_discarded <= p->pushed);
    /* Held back for order, and one unconfirmed jump for each SSRC. */
    FUZZ_REQUIRE(p->pushed - stats->delivered - stats->duplicates - stats->late_discarded <=
                 2048 + 64);
}

static void feed(pipeline *p, unsigned connection, const uint8_t *data, size_t size)
{
    lt_deframer *deframer = &p->deframers[connection];
    const uint8_t *frame;
    size_t frame_size;
    lt_deframe result;

    while ((result = lt_deframer_next(deframer, &data, &size, &frame, &frame_size)) ==
           LT_DEFRAME_FRAME) {
        lt_arrival arrival = {
            .data = frame, .size = frame_size, .arrival_us = p->now, .connection = connection};
        if (lt_rtp_classify(frame, frame_size) != LT_RTP_MEDIA)
            continue;
        FUZZ_REQUIRE(lt_rtp_parse(frame, frame_size, &arrival.header));
        FUZZ_REQUIRE(lt_reassembly_push(p->reassembly, &arrival) == LIVETCP_OK);
        p->pushed++;
    }
    if (result == LT_DEFRAME_TOO_LARGE) {
        lt_deframer_clear(deframer);
        lt_deframer_init(deframer, deframer->max_frame);
    }
}

static void feed_packet(pipeline *p, unsigned connection, unsigned ssrc, unsigned sequence,
                        size_t payload)
{
    uint8_t frame[LT_FRAME_HEADER + LT_RTP_MIN_SIZE + 255] = {0};

    lt_write_be16(frame, (uint16_t)(LT_RTP_MIN_SIZE + payload));
    frame[2] = 0x80;
    frame[3] = 96;
    lt_write_be16(frame + 4, (uint16_t)sequence);
    lt_write_be32(frame + 10, ssrc);
    feed(p, connection, frame, LT_FRAME_HEADER + LT_RTP_MIN_SIZE + payload);
}

static void pass_time(pipeline *p, livetcp_usec by)
{
    p->now += by;
    lt_reassembly_expire(p->reassembly, p->now);
    FUZZ_REQUIRE(lt_reassembly_deadline(p->reassembly) > p->now);
}

static void operate(pipeline *p, fuzz_reader *in)
{
    unsigned operation = fuzz_byte(in), connection = operation % CONNECTIONS;
    unsigned kind = operation / CONNECTIONS % 8;

    if (kind == 0) {
        size_t size = fuzz_byte(in);
        if (size > in->size)
            size = in->size;
        feed(p, connection, in->data, size);
        in->data += size;
        in->size -= size;
    } else if (kind <= 4) {
        unsigned ssrc = fuzz_byte(in), sequence = next_be16(in);
        feed_packet(p, connection, ssrc, sequence, fuzz_byte(in));
    } else if (kind == 5) {
        pass_time(p, (livetcp_usec)next_be16(in) * LIVETCP_USEC_MSEC);
    } else if (kind == 6) {
        unsigned ssrc = fuzz_byte(in), sequence = next_be16(in), stride = fuzz_byte(in);
        for (unsigned count = fuzz_byte(in); count; count--, sequence += stride)
            feed_packet(p, connection, ssrc, sequence, 0);
    } else {
        lt_deframer_clear(&p->deframers[connection]);
        lt_deframer_init(&p->deframers[connection], LT_FRAME_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    unsigned mode = fuzz_byte(&in), wait = mode >> 1 & 7;
    pipeline p = {0};

    p.reassembly = lt_reassembly_create(mode & 1 ? LIVETCP_ORDER_SEQUENCE : LIVETCP_ORDER_ARRIVAL,
                                        wait ? (50 << wait) * LIVETCP_USEC_MSEC : 0, deliver, &p);
    FUZZ_REQUIRE(p.reassembly);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        lt_deframer_init(&p.deframers[i], i % 2 ? LT_FRAME_MAX : 4094);
    while (in.size) {
        operate(&p, &in);
        check_stats(&p);
    }
    if (p.checksum % 2) /* half of the inputs leave something held behind */
        pass_time(&p, 3600 * (livetcp_usec)LIVETCP_USEC_SEC);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        lt_deframer_clear(&p.deframers[i]);
    lt_reassembly_destroy(&p.reassembly);
    return 0;
}
