/* SPDX-License-Identifier: MIT */
/* The way of each frame. It is classified once, by its header, then passed to the sink at once
 * (RTCP, control messages), to the parity decoder, or to reassembly. There is no parity decoder
 * until the first announcement. */
#include "engine/receiver/receiver.h"

#include "engine/receiver/parity_decoder.h"
#include "wire/frame.h"

#include <stdlib.h>

typedef struct lt_receiver_slot {
    lt_deframer deframer;
    lt_receiver_slot_counts counts;
    uint64_t arrived; /* packets on the current connection */
} lt_receiver_slot;

struct lt_receiver {
    lt_receiver_sink sink;
    size_t max_frame;
    bool session_mode; /* control messages and LiveTCP's own reports are recognized */
    lt_reassembly *reassembly;
    lt_parity_decoder *parity; /* NULL until the peer announces some */
    lt_memory *memory;         /* shared with other sessions, or NULL */
    uint64_t bytes_read, null_frames;
    uint64_t rtcp_packets, rtcp_bytes; /* application's */
    uint64_t parity_useful;
    lt_receiver_slot slots[LIVETCP_MAX_CONNECTIONS];
};

lt_receiver *lt_receiver_create(const livetcp_config *config, const lt_receiver_sink *sink)
{
    lt_receiver *receiver = calloc(1, sizeof *receiver);

    if (!receiver)
        return NULL;
    receiver->sink = *sink;
    receiver->max_frame = config->max_receive;
    receiver->session_mode = config->wire != LIVETCP_WIRE_PLAIN;
    receiver->reassembly =
        lt_reassembly_create(config->order, config->order_wait_us, sink->on_media, sink->user);
    if (!receiver->reassembly)
        lt_receiver_destroy(&receiver);
    return receiver;
}

void lt_receiver_destroy(lt_receiver **owner)
{
    lt_receiver *receiver = *owner;

    *owner = NULL;
    if (!receiver)
        return;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_deframer_clear(&receiver->slots[i].deframer);
    lt_parity_decoder_destroy(&receiver->parity);
    lt_reassembly_destroy(&receiver->reassembly);
    free(receiver);
}

void lt_receiver_start(lt_receiver *receiver, unsigned slot)
{
    lt_receiver_reset(receiver, slot);
    lt_deframer_init(&receiver->slots[slot].deframer, receiver->max_frame);
}

void lt_receiver_reset(lt_receiver *receiver, unsigned slot)
{
    lt_deframer_clear(&receiver->slots[slot].deframer);
    receiver->slots[slot].arrived = 0;
}

void lt_receiver_share_memory(lt_receiver *receiver, lt_memory *memory)
{
    receiver->memory = memory;
}

/* ---- parity ---- */

livetcp_result lt_receiver_parity_announced(lt_receiver *receiver, const lt_control *message)
{
    if (!receiver->parity)
        receiver->parity = lt_parity_decoder_create(receiver->max_frame);
    if (!receiver->parity)
        return LIVETCP_ERR_NO_MEMORY;
    lt_parity_decoder_share(receiver->parity, receiver->memory);
    return lt_parity_decoder_announce(receiver->parity, message->parity_ssrc, message->media_ssrc,
                                      message->payload_type);
}

/* Packets that reassembly has discarded so far. */
static uint64_t discarded(const lt_receiver *receiver)
{
    const lt_reassembly_stats *media = lt_reassembly_get_stats(receiver->reassembly);
    return media->duplicates + media->late_discarded;
}

/* Takes a rebuilt packet, with the arrival of the packet that completed its group. The original
 * becomes a duplicate. */
static void take_rebuilt(lt_receiver *receiver, lt_packet *packet, const lt_rtp_header *header,
                         const lt_arrival *piece)
{
    lt_arrival arrival = {.data = lt_packet_data(packet),
                          .size = lt_packet_size(packet),
                          .arrival_us = piece->arrival_us,
                          .connection = piece->connection,
                          .header = *header,
                          .packet = packet};
    uint64_t unwanted_before = discarded(receiver);

    if (lt_reassembly_push(receiver->reassembly, &arrival) == LIVETCP_OK &&
        discarded(receiver) == unwanted_before)
        receiver->parity_useful++;
}

static void take_all_rebuilt(lt_receiver *receiver, const lt_arrival *piece)
{
    lt_rtp_header header;
    lt_packet *packet;

    while ((packet = lt_parity_decoder_next(receiver->parity, piece->arrival_us, &header))) {
        take_rebuilt(receiver, packet, &header, piece);
        lt_packet_unref(&packet);
    }
}

/* True if the packet is parity, which is not media. */
static bool take_parity(lt_receiver *receiver, const lt_arrival *arrival)
{
    return receiver->parity &&
           lt_parity_decoder_take(receiver->parity, arrival->data, arrival->size, &arrival->header,
                                  arrival->arrival_us);
}

/* ---- frames ---- */

static livetcp_result take_media(lt_receiver *receiver, const lt_arrival *arrival,
                                 lt_receive_permission permission)
{
    if (permission != LT_RECEIVE_ALL)
        return LIVETCP_ERR_PROTOCOL;
    receiver->slots[arrival->connection].arrived++;
    if (!take_parity(receiver, arrival)) {
        receiver->slots[arrival->connection].counts.packets++;
        lt_reassembly_push(receiver->reassembly, arrival); /* without memory the packet is lost */
    }
    if (receiver->parity)
        take_all_rebuilt(receiver, arrival);
    return LIVETCP_OK;
}

static livetcp_result take_rtcp(lt_receiver *receiver, lt_arrival *arrival,
                                lt_receive_permission permission)
{
    if (receiver->session_mode && lt_control_is(arrival->data, arrival->size))
        return receiver->sink.on_control(receiver->sink.user, arrival->connection, arrival->data,
                                         arrival->size, arrival->arrival_us);
    if (permission != LT_RECEIVE_ALL)
        return LIVETCP_ERR_PROTOCOL;
    arrival->rtcp = true;
    arrival->report =
        receiver->session_mode && lt_control_marks_report(arrival->data, arrival->size);
    if (!arrival->report) {
        receiver->slots[arrival->connection].arrived++;
        receiver->slots[arrival->connection].counts.packets++;
        receiver->rtcp_packets++;
        receiver->rtcp_bytes += arrival->size;
    }
    receiver->sink.on_rtcp(receiver->sink.user, arrival);
    return LIVETCP_OK;
}

static livetcp_result take_frame(lt_receiver *receiver, unsigned slot, const uint8_t *frame,
                                 size_t size, lt_receive_permission permission, livetcp_usec now)
{
    lt_arrival arrival = {.data = frame, .size = size, .arrival_us = now, .connection = slot};

    if (size == 0) {
        receiver->null_frames++;
        return LIVETCP_OK;
    }
    if (lt_rtp_parse(frame, size, &arrival.header))
        return take_media(receiver, &arrival, permission);
    if (lt_rtcp_check(frame, size))
        return take_rtcp(receiver, &arrival, permission);
    return LIVETCP_ERR_GARBAGE;
}

livetcp_result lt_receiver_receive(lt_receiver *receiver, unsigned slot, const uint8_t *data,
                                   size_t size, livetcp_usec now)
{
    lt_receiver_slot *from = &receiver->slots[slot];
    livetcp_result result = LIVETCP_OK;
    const uint8_t *frame;
    size_t frame_size;
    lt_deframe step;

    from->counts.bytes += size;
    receiver->bytes_read += size;
    while (result == LIVETCP_OK && (step = lt_deframer_next(&from->deframer, &data, &size, &frame,
                                                            &frame_size)) != LT_DEFRAME_MORE) {
        lt_receive_permission permission = receiver->sink.permission(receiver->sink.user, slot);
        if (permission == LT_RECEIVE_NOTHING)
            break;
        if (step == LT_DEFRAME_FRAME)
            result = take_frame(receiver, slot, frame, frame_size, permission, now);
        else
            result =
                step == LT_DEFRAME_TOO_LARGE ? LIVETCP_ERR_FRAME_TOO_LARGE : LIVETCP_ERR_NO_MEMORY;
    }
    return result;
}

/* ---- deadlines and counters ---- */

uint64_t lt_receiver_arrived(const lt_receiver *receiver, unsigned slot)
{
    return receiver->slots[slot].arrived;
}

void lt_receiver_set_order(lt_receiver *receiver, livetcp_order order)
{
    lt_reassembly_set_order(receiver->reassembly, order);
}

livetcp_usec lt_receiver_deadline(const lt_receiver *receiver)
{
    return lt_reassembly_deadline(receiver->reassembly);
}

void lt_receiver_expire(lt_receiver *receiver, livetcp_usec now)
{
    lt_reassembly_expire(receiver->reassembly, now);
}

const lt_reassembly_stats *lt_receiver_get_media(const lt_receiver *receiver)
{
    return lt_reassembly_get_stats(receiver->reassembly);
}

const lt_receiver_slot_counts *lt_receiver_get_slot(const lt_receiver *receiver, unsigned slot)
{
    return &receiver->slots[slot].counts;
}

static void gather_parity(const lt_receiver *receiver, livetcp_session_stats *stats)
{
    lt_parity_stats parity = {0};

    if (receiver->parity)
        parity = *lt_parity_decoder_get_stats(receiver->parity);
    stats->received.parity = parity.received;
    stats->received.parity_rebuilt = parity.rebuilt;
    stats->received.parity_useful = receiver->parity_useful;
    stats->received.parity_invalid = parity.invalid;
}

void lt_receiver_gather(const lt_receiver *receiver, livetcp_session_stats *stats)
{
    const lt_reassembly_stats *media = lt_receiver_get_media(receiver);

    stats->received.packets = media->delivered + receiver->rtcp_packets;
    stats->received.bytes = media->delivered_bytes + receiver->rtcp_bytes;
    stats->received.bytes_read = receiver->bytes_read;
    stats->received.duplicates = media->duplicates;
    stats->received.late_discarded = media->late_discarded;
    stats->received.sequence_gaps = media->gaps;
    stats->received.null_frames = receiver->null_frames;
    gather_parity(receiver, stats);
}
