/* SPDX-License-Identifier: MIT */
#include "rtp/rtcp/sender.h"

#include "rtp/rtcp/ntp.h"

/* Above any round trip: a longer one is an error, or the answer to a report from before a suspend.
 */
#define RTT_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

void lt_rtcp_sender_start(lt_rtcp_sender *sender, uint32_t ssrc)
{
    *sender = (lt_rtcp_sender){.ssrc = ssrc, .rtt_us = -1};
}

/* Time of the moment that a timestamp stands for, from the anchor. */
static livetcp_usec moment_of(const lt_rtcp_sender *sender, uint32_t timestamp)
{
    int64_t units = (int32_t)(timestamp - sender->anchor_timestamp);

    return sender->anchor_us + units * LIVETCP_USEC_SEC / sender->clock.rate;
}

static void anchor(lt_rtcp_sender *sender, uint32_t timestamp, livetcp_usec given_us)
{
    bool better = !sender->anchored || sender->renew;

    if (!better)
        better = sender->clock.rate ? given_us < moment_of(sender, timestamp)
                                    : timestamp != sender->anchor_timestamp;
    if (!better)
        return;
    sender->anchored = true;
    sender->renew = false;
    sender->anchor_timestamp = timestamp;
    sender->anchor_us = given_us;
}

void lt_rtcp_sender_take(lt_rtcp_sender *sender, const lt_rtp_header *header, size_t payload,
                         livetcp_usec given_us, livetcp_usec now)
{
    lt_clock_rate_on_packet(&sender->clock, header->payload_type, header->timestamp, given_us);
    anchor(sender, header->timestamp, given_us);
    sender->packets++;
    sender->octets += (uint32_t)payload;
    sender->sent_us = now;
}

static void remember_report(lt_rtcp_sender *sender, uint32_t ntp, livetcp_usec now)
{
    unsigned place = sender->next_report++ % LT_RTCP_SENT_MAX;

    sender->report_ntp[place] = ntp;
    sender->report_us[place] = now;
}

void lt_rtcp_sender_report(lt_rtcp_sender *sender, lt_rtcp_sender_info *info, livetcp_usec unix_us,
                           livetcp_usec now)
{
    uint32_t timestamp = sender->anchor_timestamp;

    if (sender->clock.rate)
        timestamp += (uint32_t)lt_clock_rate_units(&sender->clock, now - sender->anchor_us);
    else
        unix_us -= now - sender->anchor_us;
    *info = (lt_rtcp_sender_info){.ntp = lt_ntp_from_unix(unix_us),
                                  .timestamp = timestamp,
                                  .packets = sender->packets,
                                  .octets = sender->octets};
    remember_report(sender, lt_ntp_middle(info->ntp), now);
    sender->renew = true;
}

/* Time of the report to which a block refers; LIVETCP_NEVER if there was none. */
static livetcp_usec when_reported(const lt_rtcp_sender *sender, uint32_t lsr)
{
    for (unsigned i = 0; i < LT_RTCP_SENT_MAX; i++)
        if (sender->report_ntp[i] == lsr)
            return sender->report_us[i];
    return LIVETCP_NEVER;
}

/* RFC 3550, section 6.4.1: A - LSR - DLSR, with A - LSR from our own clock. */
static bool measure(lt_rtcp_sender *sender, const lt_rtcp_block *block, livetcp_usec now)
{
    livetcp_usec reported = when_reported(sender, block->lsr);

    if (reported == LIVETCP_NEVER)
        return false;
    livetcp_usec rtt = now - reported - lt_ntp_units_to_us(block->dlsr);
    /* DLSR is truncated to 1/65536 s, so a valid one is hardly ever too long. */
    if (rtt < 0 || rtt > RTT_MAX_US)
        return false;
    sender->rtt_us = rtt;
    return true;
}

bool lt_rtcp_sender_take_block(lt_rtcp_sender *sender, const lt_rtcp_block *block, livetcp_usec now)
{
    sender->reported = true;
    sender->fraction_lost = block->fraction_lost;
    sender->cumulative_lost = block->cumulative_lost;
    sender->jitter = block->jitter;
    return block->lsr == 0 || measure(sender, block, now);
}

livetcp_usec lt_rtcp_sender_jitter_us(const lt_rtcp_sender *sender)
{
    if (!sender->reported || !sender->clock.rate)
        return -1;
    return (livetcp_usec)((uint64_t)sender->jitter * LIVETCP_USEC_SEC / sender->clock.rate);
}
