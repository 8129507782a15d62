/* SPDX-License-Identifier: MIT */
#include "speaking.h"

#include "sound.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

#define MIN_BITRATE 8000
/* Bit rate of the headers of 50 packets a second: RTP and RFC 4571's LENGTH. */
#define OVERHEAD_BITRATE (50 * 8 * (LIVETCP_RTP_HEADER_SIZE + 2))

/* Opus' complexity: high at low bit rates; lower at high ones, to save power. */
static int complexity_of(int bitrate)
{
    return bitrate < 14000 ? 10 : bitrate < 20000 ? 7 : 3;
}

void speaking_adapt(speaking *s, uint32_t bitrate, double loss)
{
    int wanted = s->max_bitrate;
    int percent = (int)(loss * 100 + 0.5);

    if (bitrate > 0 && bitrate < (uint32_t)(wanted + OVERHEAD_BITRATE))
        wanted = (int)bitrate - OVERHEAD_BITRATE;
    if (wanted < MIN_BITRATE)
        wanted = MIN_BITRATE;
    if (percent > 25)
        percent = 25;
    if (wanted == s->bitrate && percent == s->loss_percent)
        return;
    s->bitrate = wanted;
    s->complexity = complexity_of(wanted);
    s->loss_percent =
        percent; /* FEC takes bits from the sound: only as much as the loss requires */
    opus_encoder_ctl(s->encoder, OPUS_SET_BITRATE(wanted));
    opus_encoder_ctl(s->encoder, OPUS_SET_COMPLEXITY(s->complexity));
    opus_encoder_ctl(s->encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}

bool speaking_start(speaking *s, int max_bitrate, bool dtx, char *message, size_t size)
{
    int error = OPUS_OK;

    memset(s, 0, sizeof *s);
    s->encoder = opus_encoder_create(SAMPLE_RATE, 1, OPUS_APPLICATION_VOIP, &error);
    if (error != OPUS_OK) {
        snprintf(message, size, "Opus cannot encode here: %s", opus_strerror(error));
        return false;
    }
    opus_encoder_ctl(s->encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
    opus_encoder_ctl(s->encoder, OPUS_SET_INBAND_FEC(1));
    opus_encoder_ctl(s->encoder, OPUS_SET_DTX(dtx));
    opus_encoder_ctl(s->encoder, OPUS_GET_LOOKAHEAD(&s->delay));
    s->header.payload_type = OPUS_PAYLOAD_TYPE;
    s->paused = true; /* the first packet starts a talkspurt */
    s->max_bitrate = max_bitrate;
    uv_random(NULL, NULL, &s->header.ssrc, sizeof s->header.ssrc, 0, NULL);
    uv_random(NULL, NULL, &s->header.sequence, sizeof s->header.sequence, 0, NULL);
    uv_random(NULL, NULL, &s->header.timestamp, sizeof s->header.timestamp, 0, NULL);
    speaking_adapt(s, 0, 0);
    return true;
}

void speaking_end(speaking *s)
{
    if (s->encoder)
        opus_encoder_destroy(s->encoder);
    s->encoder = NULL;
}

size_t speaking_encode(speaking *s, const int16_t *frame,
                       uint8_t packet[LIVETCP_RTP_HEADER_SIZE + PACKET_MAX])
{
    int size = opus_encode(s->encoder, frame, FRAME, packet + LIVETCP_RTP_HEADER_SIZE, PACKET_MAX);

    s->header.timestamp += FRAME;
    if (size <= 2) { /* DTX: no gap in sequence numbers, but in timestamps */
        s->silent++;
        s->paused = true;
        return 0;
    }
    s->header.marker = s->paused;
    s->paused = false;
    livetcp_rtp_header_write(&s->header, packet, LIVETCP_RTP_HEADER_SIZE, NULL);
    s->header.sequence++;
    s->packets++;
    return s->header.header_size + (size_t)size;
}
