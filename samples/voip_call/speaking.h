/* SPDX-License-Identifier: MIT */
/* From frames of sound to RTP packets of Opus (RFC 7587). */
#ifndef VOIP_CALL_SPEAKING_H
#define VOIP_CALL_SPEAKING_H

#include <livetcp/rtp.h>

#include <opus.h>

#define OPUS_PAYLOAD_TYPE 111
#define PACKET_MAX        1275 /* maximum of an Opus frame (RFC 6716); ours have about 80 bytes */

typedef struct speaking {
    OpusEncoder *encoder;
    livetcp_rtp_header header; /* of the next packet */
    bool paused; /* the previous frame was silence: the next packet has the marker bit */
    int max_bitrate;
    int bitrate, complexity, loss_percent; /* current settings */
    int delay;                             /* Opus' look-ahead in samples */
    uint64_t packets, silent;              /* frames sent, and not sent because of silence */
} speaking;

/* `dtx`: silence is not sent. False, with a message for the user. */
bool speaking_start(speaking *s, int max_bitrate, bool dtx, char *message, size_t size);
void speaking_end(speaking *s);

/* Adapts to the network: `bitrate` from the session's on_bitrate(), 0 = unknown; `loss` is the
 * share of our packets that the peer did not play in time. */
void speaking_adapt(speaking *s, uint32_t bitrate, double loss);

/* Encodes a 20 ms frame; returns the packet's size, 0: nothing to send. */
size_t speaking_encode(speaking *s, const int16_t *frame,
                       uint8_t packet[LIVETCP_RTP_HEADER_SIZE + PACKET_MAX]);

#endif
