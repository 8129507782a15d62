/* SPDX-License-Identifier: MIT */
#include "rtp/rtcp/receiver.h"

#include "base/seq.h"
#include "rtp/rtcp/ntp.h"
#include "rtp/window.h"

/* Extended numbers begin one wrap up, so that packets before the first one have a number, too. A.1
 * and the reports count wraps from 0. */
#define FIRST_LAP UINT64_C(0x10000)

void lt_rtcp_receiver_start(lt_rtcp_receiver *receiver, uint32_t ssrc, livetcp_usec now)
{
    *receiver = (lt_rtcp_receiver){.ssrc = ssrc, .last_us = now};
}

/* Begins a new run of sequence numbers, with fresh counts. */
static void begin_run(lt_rtcp_receiver *receiver, uint16_t sequence)
{
    receiver->base = receiver->highest = FIRST_LAP + sequence;
    receiver->received = 0;
    receiver->expected_before = receiver->received_before = 0;
    receiver->has_transit = false;
}

static void count(lt_rtcp_receiver *receiver, uint16_t sequence)
{
    uint64_t number = lt_seq_extend(receiver->highest, sequence);

    /* The same bounds as the window that removed duplicates. */
    if (receiver->received == 0 || number > receiver->highest + LT_WINDOW_MAX_STEP ||
        number + LT_WINDOW_SIZE <= receiver->highest) {
        begin_run(receiver, sequence);
        number = receiver->highest;
    }
    if (number > receiver->highest)
        receiver->highest = number;
    /* Over several connections the first packet to arrive may not be the first one sent. */
    if (number < receiver->base)
        receiver->base = number;
    receiver->received++;
}

/* A.8, in integers: the field holds 16 times the jitter. */
static void update_jitter(lt_rtcp_receiver *receiver, uint32_t timestamp, livetcp_usec arrival_us)
{
    uint32_t transit = (uint32_t)lt_clock_rate_units(&receiver->clock, arrival_us) - timestamp;
    int32_t change = (int32_t)(transit - receiver->transit);
    uint64_t size = change < 0 ? (uint64_t) - (int64_t)change : (uint64_t)change;

    receiver->transit = transit;
    if (receiver->has_transit)
        receiver->jitter += size - ((receiver->jitter + 8) >> 4);
    receiver->has_transit = true;
}

static void follow_rate(lt_rtcp_receiver *receiver, uint32_t before)
{
    if (receiver->clock.rate == before)
        return;
    receiver->has_transit = false; /* measured in other units */
    receiver->jitter = 0;
}

void lt_rtcp_receiver_set_rate(lt_rtcp_receiver *receiver, uint32_t rate)
{
    uint32_t before = receiver->clock.rate;

    lt_clock_rate_set(&receiver->clock, rate);
    follow_rate(receiver, before);
}

void lt_rtcp_receiver_take(lt_rtcp_receiver *receiver, const lt_rtp_header *header,
                           livetcp_usec arrival_us)
{
    uint32_t rate = receiver->clock.rate;

    lt_clock_rate_on_packet(&receiver->clock, header->payload_type, header->timestamp, arrival_us);
    follow_rate(receiver, rate);
    count(receiver, header->sequence);
    if (receiver->clock.rate)
        update_jitter(receiver, header->timestamp, arrival_us);
    receiver->news = true;
    if (arrival_us > receiver->last_us)
        receiver->last_us = arrival_us;
}

void lt_rtcp_receiver_take_sr(lt_rtcp_receiver *receiver, const lt_rtcp_sender_info *info,
                              livetcp_usec now)
{
    uint32_t rate = receiver->clock.rate;

    lt_clock_rate_on_report(&receiver->clock, info->ntp, info->timestamp);
    follow_rate(receiver, rate);
    receiver->lsr = lt_ntp_middle(info->ntp);
    receiver->sr_us = receiver->last_us = now;
}

static uint64_t expected(const lt_rtcp_receiver *receiver)
{
    return receiver->received ? receiver->highest - receiver->base + 1 : 0;
}

int64_t lt_rtcp_receiver_lost(const lt_rtcp_receiver *receiver)
{
    return (int64_t)(expected(receiver) - receiver->received);
}

/* A.3: 0 if the value is negative, or no packets were expected. */
static uint8_t fraction_lost(lt_rtcp_receiver *receiver)
{
    int64_t due = (int64_t)(expected(receiver) - receiver->expected_before);
    int64_t lost = due - (int64_t)(receiver->received - receiver->received_before);

    receiver->expected_before = expected(receiver);
    receiver->received_before = receiver->received;
    if (due <= 0 || lost <= 0)
        return 0;
    return (uint8_t)(lost >= due ? 255 : lost * 256 / due);
}

static int32_t within_24_bits(int64_t lost)
{
    const int64_t most = 0x7fffff, least = -0x800000;

    return (int32_t)(lost > most ? most : lost < least ? least : lost);
}

void lt_rtcp_receiver_report(lt_rtcp_receiver *receiver, lt_rtcp_block *block, livetcp_usec now)
{
    *block = (lt_rtcp_block){
        .ssrc = receiver->ssrc,
        .fraction_lost = fraction_lost(receiver),
        .cumulative_lost = within_24_bits(lt_rtcp_receiver_lost(receiver)),
        .highest = (uint32_t)(receiver->highest - FIRST_LAP),
        .jitter = (uint32_t)(receiver->jitter >> 4),
        .lsr = receiver->lsr,
        .dlsr = receiver->lsr ? lt_ntp_units(now - receiver->sr_us) : 0,
    };
    receiver->news = false;
}

livetcp_usec lt_rtcp_receiver_jitter_us(const lt_rtcp_receiver *receiver)
{
    if (!receiver->clock.rate)
        return -1;
    return (livetcp_usec)((receiver->jitter >> 4) * LIVETCP_USEC_SEC / receiver->clock.rate);
}
