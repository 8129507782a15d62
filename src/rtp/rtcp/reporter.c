/* SPDX-License-Identifier: MIT */
#include "rtp/rtcp/reporter.h"

#include "base/rng.h"
#include "rtp/rtcp/interval.h"
#include "rtp/rtcp/receiver.h"
#include "rtp/rtcp/sender.h"

#include <stdlib.h>
#include <string.h>

/* Delay of the first receiver report: short, but after a sender report that follows the packet. */
#define FIRST_RECEIVED_US (LT_RTCP_INTERVAL_MIN_US / 2)

/* RFC 3550, section 6.3.5: a member silent for five intervals has left, and one that sent nothing
 * for two is not a sender. */
#define TIMEOUT_US   (5 * LT_RTCP_INTERVAL_MAX_US)
#define SENDING_US   (2 * LT_RTCP_INTERVAL_MAX_US)
#define LOWER_LAYERS 54 /* IP, TCP with timestamps, LENGTH; part of a report's size (6.2) */
#define BYE_SIZE_MAX (4 + 4 * LT_REPORTER_SENDERS + 4)

struct lt_reporter {
    uint32_t ssrc;
    char cname[LT_CNAME_SIZE];
    lt_rng rng;
    livetcp_usec due_us;
    livetcp_usec since_us; /* start of counting `bytes` */
    uint64_t bytes;        /* of media, in both directions */
    unsigned sender_count, receiver_count;
    lt_rtcp_sender senders[LT_REPORTER_SENDERS];
    lt_rtcp_receiver receivers[LT_REPORTER_RECEIVERS];
    livetcp_usec rtt_us;
    uint64_t written, received, invalid;
    uint32_t rates[LT_REPORTER_PAYLOADS + 1]; /* set, by payload type; the last: of any */
};

lt_reporter *lt_reporter_create(uint32_t ssrc, const char *cname, uint64_t seed)
{
    lt_reporter *reporter = calloc(1, sizeof *reporter);

    if (!reporter)
        return NULL;
    reporter->ssrc = ssrc;
    strncpy(reporter->cname, cname, LT_CNAME_SIZE - 1);
    lt_rng_seed(&reporter->rng, seed);
    reporter->due_us = LIVETCP_NEVER;
    reporter->rtt_us = -1;
    return reporter;
}

void lt_reporter_destroy(lt_reporter **reporter)
{
    free(*reporter);
    *reporter = NULL;
}

void lt_reporter_cname(const uint8_t random[12], char cname[LT_CNAME_SIZE])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (unsigned i = 0; i < 12; i += 3) {
        uint32_t bits = (uint32_t)random[i] << 16 | (uint32_t)random[i + 1] << 8 | random[i + 2];
        for (unsigned j = 0; j < 4; j++)
            *cname++ = digits[bits >> (18 - 6 * j) & 63];
    }
    *cname = '\0';
}

/* ---- sources ---- */

static lt_rtcp_sender *find_sender(lt_reporter *reporter, uint32_t ssrc)
{
    for (unsigned i = 0; i < reporter->sender_count; i++)
        if (reporter->senders[i].ssrc == ssrc)
            return &reporter->senders[i];
    return NULL;
}

static lt_rtcp_sender *add_sender(lt_reporter *reporter, uint32_t ssrc)
{
    lt_rtcp_sender *place = &reporter->senders[0];

    if (reporter->sender_count < LT_REPORTER_SENDERS)
        place = &reporter->senders[reporter->sender_count++];
    else
        for (unsigned i = 1; i < LT_REPORTER_SENDERS; i++)
            if (reporter->senders[i].sent_us < place->sent_us)
                place = &reporter->senders[i];
    lt_rtcp_sender_start(place, ssrc);
    return place;
}

static lt_rtcp_receiver *find_receiver(lt_reporter *reporter, uint32_t ssrc)
{
    for (unsigned i = 0; i < reporter->receiver_count; i++)
        if (reporter->receivers[i].ssrc == ssrc)
            return &reporter->receivers[i];
    return NULL;
}

/* The peer uses our SSRC. Ours is changed, since nothing depends on it (section 8.2). */
static void avoid_collision(lt_reporter *reporter, uint32_t ssrc)
{
    while (reporter->ssrc == ssrc)
        reporter->ssrc = (uint32_t)lt_rng_next(&reporter->rng);
}

static lt_rtcp_receiver *add_receiver(lt_reporter *reporter, uint32_t ssrc, livetcp_usec now)
{
    lt_rtcp_receiver *place = &reporter->receivers[0];

    if (reporter->receiver_count < LT_REPORTER_RECEIVERS)
        place = &reporter->receivers[reporter->receiver_count++];
    else
        for (unsigned i = 1; i < LT_REPORTER_RECEIVERS; i++)
            if (reporter->receivers[i].last_us < place->last_us)
                place = &reporter->receivers[i];
    lt_rtcp_receiver_start(place, ssrc, now);
    avoid_collision(reporter, ssrc);
    return place;
}

static void forget_silent(lt_reporter *reporter, livetcp_usec now)
{
    for (unsigned i = reporter->sender_count; i-- > 0;)
        if (now - reporter->senders[i].sent_us > TIMEOUT_US)
            reporter->senders[i] = reporter->senders[--reporter->sender_count];
    for (unsigned i = reporter->receiver_count; i-- > 0;)
        if (now - reporter->receivers[i].last_us > TIMEOUT_US)
            reporter->receivers[i] = reporter->receivers[--reporter->receiver_count];
}

/* ---- packets sent and received ---- */

static void due_by(lt_reporter *reporter, livetcp_usec at)
{
    if (reporter->due_us > at)
        reporter->due_us = at;
}

static void count_bytes(lt_reporter *reporter, size_t size, livetcp_usec now)
{
    if (!reporter->bytes)
        reporter->since_us = now;
    reporter->bytes += size;
}

void lt_reporter_set_clock_rate(lt_reporter *reporter, unsigned payload_type, uint32_t rate)
{
    reporter->rates[payload_type] = rate;
}

/* Rate set by the application; 0 = not set. */
static uint32_t rate_of(const lt_reporter *reporter, uint8_t payload_type)
{
    uint32_t rate = reporter->rates[payload_type];

    return rate || lt_clock_rate_of_payload(payload_type) ? rate
                                                          : reporter->rates[LT_REPORTER_PAYLOADS];
}

void lt_reporter_sent(lt_reporter *reporter, const lt_rtp_header *header, size_t size,
                      livetcp_usec given_us, livetcp_usec now)
{
    lt_rtcp_sender *sender = find_sender(reporter, header->ssrc);
    uint32_t rate = rate_of(reporter, header->payload_type);

    if (!sender) {
        sender = add_sender(reporter, header->ssrc);
        due_by(reporter, now); /* unicast: no need to wait (section 6.2) */
    }
    if (rate)
        lt_clock_rate_set(&sender->clock, rate);
    lt_rtcp_sender_take(sender, header, size - header->header_size, given_us, now);
    count_bytes(reporter, size, now);
}

void lt_reporter_received(lt_reporter *reporter, const lt_rtp_header *header, size_t size,
                          livetcp_usec arrival_us)
{
    lt_rtcp_receiver *receiver = find_receiver(reporter, header->ssrc);
    uint32_t rate = rate_of(reporter, header->payload_type);

    if (!receiver)
        receiver = add_receiver(reporter, header->ssrc, arrival_us);
    if (rate)
        lt_rtcp_receiver_set_rate(receiver, rate);
    if (!receiver->received)
        due_by(reporter, arrival_us + FIRST_RECEIVED_US);
    lt_rtcp_receiver_take(receiver, header, arrival_us);
    count_bytes(reporter, size, arrival_us);
}

/* ---- the peer's reports ---- */

static void take_block(lt_reporter *reporter, const lt_rtcp_block *block, livetcp_usec now)
{
    lt_rtcp_sender *sender = find_sender(reporter, block->ssrc);

    if (!sender)
        return;
    if (!lt_rtcp_sender_take_block(sender, block, now))
        reporter->invalid++;
    else if (block->lsr)
        reporter->rtt_us = sender->rtt_us;
}

static bool hear_part(lt_reporter *reporter, const lt_rtcp_part *part, livetcp_usec now)
{
    lt_rtcp_sender_info info;
    uint32_t ssrc;

    if (part->type != LT_RTCP_SR && part->type != LT_RTCP_RR)
        return true;
    if (!lt_rtcp_read_report(part, &ssrc, &info))
        return false;
    if (part->type == LT_RTCP_SR) {
        lt_rtcp_receiver *receiver = find_receiver(reporter, ssrc);
        if (!receiver)
            receiver = add_receiver(reporter, ssrc, now);
        lt_rtcp_receiver_take_sr(receiver, &info, now);
    } else {
        avoid_collision(reporter, ssrc);
    }
    for (unsigned i = 0; i < part->count; i++) {
        lt_rtcp_block block;
        lt_rtcp_read_block(part, i, &block);
        take_block(reporter, &block, now);
    }
    reporter->received++;
    return true;
}

void lt_reporter_on_received(lt_reporter *reporter, const uint8_t *data, size_t size,
                             livetcp_usec now)
{
    lt_rtcp_reader reader = {data, size};
    lt_rtcp_part part;
    lt_rtcp_step step;

    while ((step = lt_rtcp_read(&reader, &part)) == LT_RTCP_PART)
        if (!hear_part(reporter, &part, now))
            break;
    if (step != LT_RTCP_END)
        reporter->invalid++;
}

/* ---- ours ---- */

livetcp_usec lt_reporter_deadline(const lt_reporter *reporter)
{
    return reporter->due_us;
}

static unsigned collect_blocks(lt_reporter *reporter, lt_rtcp_block *blocks, livetcp_usec now)
{
    unsigned count = 0;

    for (unsigned i = 0; i < reporter->receiver_count; i++)
        if (reporter->receivers[i].news)
            lt_rtcp_receiver_report(&reporter->receivers[i], &blocks[count++], now);
    return count;
}

/* Writes an SR for each source that sends, with the blocks in the first; or an RR if none sends.
 * Fills in their SSRCs and returns their number. */
static unsigned write_reports(lt_reporter *reporter, lt_rtcp_writer *writer, uint32_t *ssrcs,
                              livetcp_usec unix_us, livetcp_usec now)
{
    lt_rtcp_block blocks[LT_REPORTER_RECEIVERS];
    unsigned count = collect_blocks(reporter, blocks, now), senders = 0;

    for (unsigned i = 0; i < reporter->sender_count; i++) {
        lt_rtcp_sender *sender = &reporter->senders[i];
        lt_rtcp_sender_info info;
        if (now - sender->sent_us > SENDING_US)
            continue;
        lt_rtcp_sender_report(sender, &info, unix_us, now);
        lt_rtcp_write_report(writer, sender->ssrc, &info, blocks, senders ? 0 : count);
        ssrcs[senders++] = sender->ssrc;
    }
    if (!senders) {
        ssrcs[senders++] = reporter->sender_count ? reporter->senders[0].ssrc : reporter->ssrc;
        lt_rtcp_write_report(writer, ssrcs[0], NULL, blocks, count);
    }
    return senders;
}

static size_t compose(lt_reporter *reporter, uint8_t *out, bool bye, livetcp_usec unix_us,
                      livetcp_usec now)
{
    lt_rtcp_writer writer = {out, LT_REPORT_MAX, 0};
    uint32_t ssrcs[LT_REPORTER_SENDERS];
    unsigned senders = write_reports(reporter, &writer, ssrcs, unix_us, now);

    lt_rtcp_write_cname(&writer, ssrcs, senders, reporter->cname);
    if (bye)
        lt_rtcp_write_bye(&writer, ssrcs, senders);
    reporter->written++;
    return writer.used;
}

_Static_assert(LT_REPORTER_SENDERS *(28 + 4 + 6 + LT_CNAME_SIZE + 3) + LT_REPORTER_RECEIVERS * 24 +
                       4 + BYE_SIZE_MAX <=
                   LT_REPORT_MAX,
               "the longest report must fit LT_REPORT_MAX");

static void plan_next(lt_reporter *reporter, size_t size, livetcp_usec now)
{
    livetcp_usec span = now - reporter->since_us;
    uint64_t rate = 0;

    if (span < LT_RTCP_INTERVAL_MIN_US)
        span = LT_RTCP_INTERVAL_MIN_US;
    if (reporter->bytes)
        rate = reporter->bytes * LIVETCP_USEC_SEC / (uint64_t)span;
    reporter->bytes = 0;
    livetcp_usec interval = lt_rtcp_interval(rate, size + LOWER_LAYERS);
    reporter->due_us = now + lt_rtcp_interval_spread(interval, lt_rng_uniform(&reporter->rng));
}

size_t lt_reporter_write(lt_reporter *reporter, uint8_t out[LT_REPORT_MAX], livetcp_usec unix_us,
                         livetcp_usec now)
{
    size_t size;

    forget_silent(reporter, now);
    reporter->due_us = LIVETCP_NEVER;
    if (!reporter->sender_count && !reporter->receiver_count)
        return 0;
    size = compose(reporter, out, false, unix_us, now);
    plan_next(reporter, size, now);
    return size;
}

size_t lt_reporter_write_bye(lt_reporter *reporter, uint8_t out[LT_REPORT_MAX],
                             livetcp_usec unix_us, livetcp_usec now)
{
    reporter->due_us = LIVETCP_NEVER;
    return reporter->written ? compose(reporter, out, true, unix_us, now) : 0;
}

/* ---- summary ---- */

static void summarize_received(const lt_reporter *reporter, lt_reporter_summary *summary)
{
    for (unsigned i = 0; i < reporter->receiver_count; i++) {
        const lt_rtcp_receiver *receiver = &reporter->receivers[i];
        livetcp_usec jitter = lt_rtcp_receiver_jitter_us(receiver);
        summary->lost += lt_rtcp_receiver_lost(receiver);
        if (receiver->received && jitter > summary->jitter_us)
            summary->jitter_us = jitter;
    }
}

static void summarize_sent(const lt_reporter *reporter, lt_reporter_summary *summary)
{
    for (unsigned i = 0; i < reporter->sender_count; i++) {
        const lt_rtcp_sender *sender = &reporter->senders[i];
        livetcp_usec jitter = lt_rtcp_sender_jitter_us(sender);
        double fraction = sender->fraction_lost / 256.0;
        summary->reported |= sender->reported;
        summary->reported_lost += sender->cumulative_lost;
        if (jitter > summary->reported_jitter_us)
            summary->reported_jitter_us = jitter;
        if (fraction > summary->reported_fraction)
            summary->reported_fraction = fraction;
    }
}

void lt_reporter_summarize(const lt_reporter *reporter, lt_reporter_summary *summary)
{
    *summary = (lt_reporter_summary){.written = reporter->written,
                                     .received = reporter->received,
                                     .invalid = reporter->invalid,
                                     .rtt_us = reporter->rtt_us,
                                     .jitter_us = -1,
                                     .reported_jitter_us = -1};
    summarize_received(reporter, summary);
    summarize_sent(reporter, summary);
}
