/* SPDX-License-Identifier: MIT */
#include "rtp/rtcp/clock_rate.h"

#include <stddef.h>

/* A span is long enough that jitter of 30 ms is 3 % of it, which is below the distance of any two
 * rates. */
#define SPAN_US     LIVETCP_USEC_SEC
#define SPAN_MAX_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)
#define TOLERANCE   0.03
#define AGREEING    2

/* Reports have no jitter, and the clocks differ by far less than this. */
#define REPORT_TOLERANCE 0.005

/* Reports more than a day apart, in seconds, are not of one run of the stream. */
#define REPORT_SPAN_MAX 86400.0

static const uint32_t in_use[] = {1000,  8000,  11025, 12000, 16000, 22050, 24000,
                                  32000, 44100, 48000, 90000, 96000, 192000};

/* RFC 3551, section 6, tables 4 and 5. */
static const uint32_t static_rates[] = {
    [0] = 8000,   [3] = 8000,   [4] = 8000,   [5] = 8000,   [6] = 16000,  [7] = 8000,
    [8] = 8000,   [9] = 8000,   [10] = 44100, [11] = 44100, [12] = 8000,  [13] = 8000,
    [14] = 90000, [15] = 8000,  [16] = 11025, [17] = 22050, [18] = 8000,  [25] = 90000,
    [26] = 90000, [28] = 90000, [31] = 90000, [32] = 90000, [33] = 90000, [34] = 90000};

#define COUNT(array) (sizeof(array) / sizeof *(array))

uint32_t lt_clock_rate_of_payload(uint8_t payload_type)
{
    return payload_type < COUNT(static_rates) ? static_rates[payload_type] : 0;
}

static uint32_t nearest(double measured, double tolerance)
{
    for (size_t i = 0; i < COUNT(in_use); i++)
        if (measured > in_use[i] * (1 - tolerance) && measured < in_use[i] * (1 + tolerance))
            return in_use[i];
    return 0;
}

static void restart(lt_clock_rate *clock, uint32_t timestamp, livetcp_usec now)
{
    clock->started = true;
    clock->first_timestamp = clock->last_timestamp = timestamp;
    clock->first_us = now;
}

static void conclude(lt_clock_rate *clock, uint32_t rate)
{
    clock->agreeing = rate == clock->found ? clock->agreeing + 1 : 1;
    clock->found = rate;
    if (clock->agreeing >= AGREEING)
        clock->rate = rate;
}

void lt_clock_rate_set(lt_clock_rate *clock, uint32_t rate)
{
    clock->rate = rate;
    clock->certain = clock->set_by_application = true;
}

void lt_clock_rate_on_packet(lt_clock_rate *clock, uint8_t payload_type, uint32_t timestamp,
                             livetcp_usec now)
{
    uint32_t known = clock->set_by_application ? 0 : lt_clock_rate_of_payload(payload_type);

    if (known) {
        clock->rate = known;
        clock->certain = true;
    }
    if (clock->certain)
        return;
    livetcp_usec span = now - clock->first_us;
    if (!clock->started || span > SPAN_MAX_US) {
        restart(clock, timestamp, now);
        return;
    }
    /* Frames out of display order step back; only a new highest timestamp ends a span. */
    if ((int32_t)(timestamp - clock->last_timestamp) <= 0)
        return;
    clock->last_timestamp = timestamp;
    if (span < SPAN_US)
        return;
    uint32_t rate = nearest(
        (double)(timestamp - clock->first_timestamp) * LIVETCP_USEC_SEC / (double)span, TOLERANCE);
    if (!rate)
        return; /* a longer span may suffice */
    conclude(clock, rate);
    restart(clock, timestamp, now);
}

void lt_clock_rate_on_report(lt_clock_rate *clock, uint64_t ntp, uint32_t timestamp)
{
    double seconds = (double)(int64_t)(ntp - clock->report_ntp) / 4294967296.0;

    if (clock->set_by_application || (clock->has_report && seconds < 1 && seconds >= 0))
        return; /* keep the first report, so that the span grows */
    if (clock->has_report && seconds < REPORT_SPAN_MAX && seconds > 0) {
        uint32_t rate =
            nearest((double)(timestamp - clock->report_timestamp) / seconds, REPORT_TOLERANCE);
        if (rate) {
            clock->rate = rate;
            clock->certain = true;
        }
    }
    clock->has_report = true;
    clock->report_ntp = ntp;
    clock->report_timestamp = timestamp;
}
