/* SPDX-License-Identifier: MIT */
#include "rtp/rtcp/receiver.h"

#include "base/seq.h"
#include "rtp/rtcp/ntp.h"
#include "rtp/window.h"

/* First lap of extended numbers, so that packets from before the first have a number too: A.1
 * counts laps from 0, and so do the reports. */
#define FIRST_LAP UINT64_C(0x10000)

void lt_rtcp_receiver_start(lt_rtcp_receiver *receiver, uint32_t ssrc, livetcp_usec now)
{
    *receiver = (lt_rtcp_receiver){.ssrc = ssrc, .heard_us = now};
}

/* A new run of numbers: the last run's counts do not apply to it. */
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

    /* The same bounds as the window that detected duplicates. */
    if (receiver->received == 0 || number > receiver->highest + LT_WINDOW_MAX_STEP ||
        number + LT_WINDOW_SIZE <= receiver->highest) {
        begin_run(receiver, sequence);
        number = receiver->highest;
    }
    if (number > receiver->highest)
        receiver->highest = number;
    /* Over several connections the first to come need not be the first. */
    if (number < receiver->base)
        receiver->base = number;
    receiver->received++;
}

/* A.8, in integers; 16 times the jitter is kept. */
static void see_jitter(lt_rtcp_receiver *receiver, uint32_t timestamp, livetcp_usec arrival_us)
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
    receiver->has_transit = false; /* of another unit */
    receiver->jitter = 0;
}

void lt_rtcp_receiver_tell_rate(lt_rtcp_receiver *receiver, uint32_t rate)
{
    uint32_t before = receiver->clock.rate;

    lt_clock_rate_tell(&receiver->clock, rate);
    follow_rate(receiver, before);
}

void lt_rtcp_receiver_take(lt_rtcp_receiver *receiver, const lt_rtp_header *header,
                           livetcp_usec arrival_us)
{
    uint32_t rate = receiver->clock.rate;

    lt_clock_rate_see(&receiver->clock, header->payload_type, header->timestamp, arrival_us);
    follow_rate(receiver, rate);
    count(receiver, header->sequence);
    if (receiver->clock.rate)
        see_jitter(receiver, header->timestamp, arrival_us);
    receiver->news = true;
    if (arrival_us > receiver->heard_us)
        receiver->heard_us = arrival_us;
}

void lt_rtcp_receiver_take_sr(lt_rtcp_receiver *receiver, const lt_rtcp_sender_info *info,
                              livetcp_usec now)
{
    uint32_t rate = receiver->clock.rate;

    lt_clock_rate_see_report(&receiver->clock, info->ntp, info->timestamp);
    follow_rate(receiver, rate);
    receiver->lsr = lt_ntp_middle(info->ntp);
    receiver->sr_us = receiver->heard_us = now;
}

static uint64_t expected(const lt_rtcp_receiver *receiver)
{
    return receiver->received ? receiver->highest - receiver->base + 1 : 0;
}

int64_t lt_rtcp_receiver_lost(const lt_rtcp_receiver *receiver)
{
    return (int64_t)(expected(receiver) - receiver->received);
}

/* A.3: negative or no packets is 0. */
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
