/* SPDX-License-Identifier: MIT */
/*
 * Parity: a decoder between a hostile peer and an honest one. The first two bytes are the longest
 * packet that is rebuilt. Then come operations, each a byte, modulo 6, with its arguments:
 *
 *   0   PARITY: parity SSRC, media SSRC, payload type
 *   1   an RTP packet: SSRC, sequence number (2), size byte, filler
 *   2   a parity packet: SSRC, media SSRC, a length byte, then bytes from the FEC header on
 *   3   an honest group: packets less 1 (modulo 16), gap, which one is lost, sizes
 *   4   time passes: milliseconds (2)
 *   5   many RTP packets of one SSRC: SSRC, sequence number (2), stride, count
 *
 * SSRCs are one byte, so that the hostile peer cannot touch the honest one's stream, but it can
 * make it forgotten by announcing many others.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "engine/receiver/parity_decoder.h"
#include "engine/repair/parity_encoder.h"
#include "wire/parity.h"

#include <string.h>

#define HONEST 0xabcdef01

typedef struct world {
    lt_parity_decoder *decoder;
    lt_parity_encoder *encoder; /* the honest peer's */
    size_t max_packet;
    uint16_t sequence;
    livetcp_usec now;
    uint64_t parity, rebuilt;
} world;

/* Takes a copy of exactly that size. Whether `expected` came back; NULL if nothing is expected. */
static bool take(world *w, const uint8_t *data, size_t size, const lt_packet *expected)
{
    uint8_t *exact = malloc(size);
    bool found = false;
    lt_rtp_header header;
    lt_packet *packet;

    FUZZ_REQUIRE(exact);
    memcpy(exact, data, size);
    if (lt_rtp_parse(exact, size, &header))
        w->parity += lt_parity_decoder_take(w->decoder, exact, size, &header, w->now);
    free(exact);
    while ((packet = lt_parity_decoder_next(w->decoder, w->now, &header))) {
        FUZZ_REQUIRE(lt_rtp_parse(lt_packet_data(packet), lt_packet_size(packet), &header));
        FUZZ_REQUIRE(header.ssrc == packet->ssrc && header.sequence == packet->sequence);
        FUZZ_REQUIRE(lt_packet_size(packet) <= w->max_packet);
        FUZZ_REQUIRE(lt_read_be16(packet->frame) == lt_packet_size(packet));
        if (expected && packet->ssrc == HONEST) {
            FUZZ_REQUIRE(packet->frame_size == expected->frame_size);
            FUZZ_REQUIRE(!memcmp(packet->frame, expected->frame, packet->frame_size));
            found = true;
        }
        w->rebuilt++;
        lt_packet_unref(&packet);
    }
    return found;
}

static void write_header(uint8_t *packet, unsigned ssrc, unsigned sequence)
{
    packet[0] = 0x80;
    packet[1] = 96;
    lt_write_be16(packet + 2, (uint16_t)sequence);
    lt_write_be32(packet + 8, ssrc);
}

static void take_media(world *w, unsigned ssrc, unsigned sequence, size_t size, unsigned filler)
{
    uint8_t packet[LT_RTP_MIN_SIZE + 255 * 64];

    memset(packet, (int)filler, LT_RTP_MIN_SIZE + size);
    write_header(packet, ssrc, sequence);
    take(w, packet, LT_RTP_MIN_SIZE + size, NULL);
}

static void take_parity(world *w, fuzz_reader *in)
{
    uint8_t packet[LT_PARITY_RECOVERY_AT + 255] = {0};
    size_t size;

    write_header(packet, fuzz_byte(in), (unsigned)w->parity);
    packet[0] = 0x81;
    packet[1] = LT_PARITY_PAYLOAD_TYPE;
    lt_write_be32(packet + 12, fuzz_byte(in));
    size = fuzz_byte(in);
    if (size > in->size)
        size = in->size;
    memcpy(packet + LT_PARITY_RECOVERY_AT, in->data, size);
    in->data += size;
    in->size -= size;
    take(w, packet, LT_PARITY_RECOVERY_AT + size, NULL);
}

static void announce(world *w, uint32_t parity_ssrc, uint32_t media_ssrc, unsigned payload_type)
{
    FUZZ_REQUIRE(lt_parity_decoder_announce(w->decoder, parity_ssrc, media_ssrc,
                                            (uint8_t)(payload_type & 127)) == LIVETCP_OK);
}

/* Without a packet that is lost, the others and their parity bring it back. */
static void honest_group(world *w, fuzz_reader *in)
{
    unsigned count = 1 + fuzz_byte(in) % LT_PARITY_GROUP_MAX, gap = 1 + fuzz_byte(in) % 7;
    unsigned lost = fuzz_byte(in) % count;
    lt_packet *missing = NULL, *parity;
    bool back;

    announce(w, lt_parity_encoder_ssrc(w->encoder), HONEST, LT_PARITY_PAYLOAD_TYPE);
    for (unsigned i = 0; i < count; i++) {
        lt_packet *packet = lt_packet_create(NULL, LT_RTP_MIN_SIZE + fuzz_byte(in));
        uint8_t *data = packet->frame + LT_FRAME_HEADER;
        memset(data, (int)(w->sequence + i), lt_packet_size(packet));
        write_header(data, HONEST, w->sequence);
        packet->ssrc = HONEST;
        packet->sequence = w->sequence;
        w->sequence = (uint16_t)(w->sequence + gap);
        FUZZ_REQUIRE(lt_parity_encoder_add(w->encoder, packet) < LT_PARITY_CLOSED);
        if (i == lost)
            missing = lt_packet_ref(packet);
        else
            take(w, data, lt_packet_size(packet), NULL);
        lt_packet_unref(&packet);
    }
    parity = lt_parity_encoder_finish(w->encoder, w->now);
    back = take(w, lt_packet_data(parity), lt_packet_size(parity), missing);
    FUZZ_REQUIRE(back == (lt_packet_size(missing) <= w->max_packet));
    lt_packet_unref(&parity);
    lt_packet_unref(&missing);
}

static unsigned next_be16(fuzz_reader *in)
{
    unsigned high = fuzz_byte(in);
    return high << 8 | fuzz_byte(in);
}

static void operate(world *w, fuzz_reader *in)
{
    unsigned operation = fuzz_byte(in) % 6;

    if (operation == 0) {
        unsigned parity = fuzz_byte(in), media = fuzz_byte(in);
        announce(w, parity, media, fuzz_byte(in));
    } else if (operation == 1) {
        unsigned ssrc = fuzz_byte(in), sequence = next_be16(in), size = fuzz_byte(in);
        take_media(w, ssrc, sequence, (size_t)size * 64, fuzz_byte(in));
    } else if (operation == 2) {
        take_parity(w, in);
    } else if (operation == 3) {
        honest_group(w, in);
    } else if (operation == 4) {
        w->now += (livetcp_usec)next_be16(in) * LIVETCP_USEC_MSEC;
    } else {
        unsigned ssrc = fuzz_byte(in), sequence = next_be16(in), stride = fuzz_byte(in);
        for (unsigned count = fuzz_byte(in); count; count--, sequence += stride)
            take_media(w, ssrc, sequence, 1500, 7);
    }
}

static void check(const world *w)
{
    const lt_parity_stats *stats = lt_parity_decoder_get_stats(w->decoder);

    FUZZ_REQUIRE(stats->received == w->parity);
    FUZZ_REQUIRE(stats->rebuilt == w->rebuilt);
    FUZZ_REQUIRE(stats->rebuilt + stats->invalid <= stats->received);
    FUZZ_REQUIRE(lt_parity_decoder_held(w->decoder) <=
                 LT_PARITY_STREAMS * (LT_PARITY_HISTORY_BYTES + LT_PARITY_WAITING_BYTES));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader in = {data, size};
    world w = {.now = 1000000, .sequence = 65000};

    w.max_packet = next_be16(&in);
    w.decoder = lt_parity_decoder_create(w.max_packet);
    w.encoder = lt_parity_encoder_create(LT_PARITY_GROUP_MAX, HONEST, LT_FRAME_MAX, 1);
    FUZZ_REQUIRE(w.decoder && w.encoder);
    while (in.size) {
        operate(&w, &in);
        check(&w);
    }
    lt_parity_encoder_destroy(&w.encoder);
    lt_parity_decoder_destroy(&w.decoder);
    return 0;
}
