/* SPDX-License-Identifier: MIT */
/* Packets that enter the send queue: the application's, and those that have to be sent again. */
#include "engine/sender/sender_private.h"

#include "base/error.h"
#include "base/sized.h"
#include "rtp/rtp.h"

#define LARGEST_PART 2048 /* of the largest size is forgotten with each packet of media */

static livetcp_result refuse(lt_sender *sender, livetcp_result reason)
{
    sender->refused++;
    return reason;
}

/* Number of packets before it whose frames the packet repeats. */
static uint8_t repeats_of(const livetcp_packet_info *info)
{
    if (!LT_INFO_HAS(info, repeats))
        return 0;
    return (uint8_t)(info->repeats < LT_REPEATS_MAX ? info->repeats : LT_REPEATS_MAX);
}

static lt_packet *make_packet(lt_sender *sender, const uint8_t *data, size_t size, lt_rtp_kind kind,
                              const lt_rtp_header *header, const livetcp_packet_info *info,
                              livetcp_usec now)
{
    lt_packet *packet = lt_packet_create(data, size);

    if (!packet)
        return NULL;
    packet->rtcp = kind == LT_RTP_CONTROL;
    packet->ssrc = header->ssrc;
    packet->timestamp = header->timestamp;
    packet->sequence = header->sequence;
    packet->payload_type = header->payload_type;
    packet->marker = header->marker;
    packet->header_size = header->header_size;
    packet->importance =
        lt_importance_next(&sender->importance, info, packet->rtcp ? NULL : header, data, size);
    packet->repeats = packet->rtcp ? 0 : repeats_of(info);
    packet->enqueued_us = now;
    packet->review_us = LIVETCP_NEVER;
    return packet;
}

static livetcp_result check_packet(const lt_sender *sender, const uint8_t *data, size_t size,
                                   const livetcp_packet_info *info)
{
    if (!data)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT, "the packet of %zu bytes is NULL", size);
    if (size > sender->config.max_packet)
        return lt_fail(NULL, LIVETCP_ERR_PACKET_TOO_LARGE,
                       "the packet of %zu bytes is larger than max-packet=%zu", size,
                       sender->config.max_packet);
    return info ? LT_CHECK_SIZED(info, livetcp_packet_info, NULL) : LIVETCP_OK;
}

static void measure_largest(lt_sender *sender, size_t size)
{
    sender->largest -= sender->largest / LARGEST_PART;
    if ((double)size > sender->largest)
        sender->largest = (double)size;
}

livetcp_result lt_sender_accept(lt_sender *sender, const uint8_t *data, size_t size,
                                const livetcp_packet_info *info, livetcp_usec now, bool *rtcp)
{
    lt_rtp_header header = {.ssrc = 0};
    lt_rtp_kind kind;
    lt_packet *packet;
    livetcp_result result;

    result = check_packet(sender, data, size, info);
    if (result != LIVETCP_OK)
        return refuse(sender, result);
    kind = lt_rtp_read(data, size, &header);
    if (kind == LT_RTP_INVALID)
        return refuse(sender, lt_fail(NULL, LIVETCP_ERR_NOT_RTP,
                                      "the %zu bytes are neither an RTP nor an RTCP packet", size));
    if (kind == LT_RTP_CONTROL && lt_control_is(data, size))
        return refuse(sender, lt_fail(NULL, LIVETCP_ERR_NOT_RTP,
                                      "RTCP APP packets with the name LTCP are LiveTCP's own: an "
                                      "application cannot send them"));
    packet = make_packet(sender, data, size, kind, &header, info, now);
    if (!packet)
        return LIVETCP_ERR_NO_MEMORY;
    lt_paid_kind paid = lt_paid_kind_of(packet);
    bool delta = kind != LT_RTP_CONTROL && packet->importance != LIVETCP_IMPORTANCE_KEY;
    result = lt_live_queue_push(&sender->queue, packet); /* which may drop it at once */
    if (result != LIVETCP_OK) {
        lt_packet_unref(&packet);
        return result;
    }
    sender->accepted_packets++;
    sender->accepted_bytes += size;
    sender->offered += delta ? size : 0;
    if (kind != LT_RTP_CONTROL)
        measure_largest(sender, size);
    lt_budget_media(&sender->budgets[paid], size, now);
    for (unsigned i = 0; i < sender->links; i++)
        lt_budget_media(&sender->link_budgets[i], size, now);
    *rtcp = kind == LT_RTP_CONTROL;
    return LIVETCP_OK;
}

/* ---- packets to send again ---- */

/* Takes over the reference. False: the packet is lost for good. */
static bool put_back(lt_sender *sender, lt_packet *packet)
{
    if (!sender->ended) {
        sender->resent += packet->written;
        lt_delayed_copies_cancel(&sender->delayed, packet);
        if (lt_live_queue_put_back(&sender->queue, packet))
            return true;
        lt_live_queue_lost(&sender->queue, packet);
    }
    sender->lost++;
    lt_packet_unref(&packet);
    return false;
}

void lt_sender_take_back(lt_sender *sender, lt_packet *packet, unsigned slot)
{
    if (!packet)
        return;
    packet->carried &= ~(UINT32_C(1) << slot);
    if (!packet->delivered && !packet->carried && !packet->parity)
        put_back(sender, packet);
    else
        lt_packet_unref(&packet);
}

bool lt_sender_send_again(lt_sender *sender, lt_packet *packet)
{
    packet->delivered = false;
    return put_back(sender, packet);
}
