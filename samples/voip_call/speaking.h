/* SPDX-License-Identifier: MIT */
/* From a frame of sound to an RTP packet of Opus (RFC 7587). */
#ifndef VOIP_CALL_SPEAKING_H
#define VOIP_CALL_SPEAKING_H

#include <livetcp/rtp.h>

#include <opus.h>

#define OPUS_PAYLOAD_TYPE 111
#define PACKET_MAX        1275 /* RFC 6716: the longest frame; ours are some 80 bytes */

typedef struct speaking {
    OpusEncoder *encoder;
    livetcp_rtp_header header; /* of the next packet */
    bool paused;               /* the frame before was silence: the next packet has the marker */
    int max_bitrate;
    int bitrate, complexity, loss_percent; /* as they are set now */
    int delay;                             /* samples that Opus looks ahead */
    uint64_t packets, silent;              /* frames sent, and not sent since nobody spoke */
} speaking;

/* False with a message for a person. `dtx`: silence is not sent. */
bool speaking_start(speaking *s, int max_bitrate, bool dtx, char *message, size_t size);
void speaking_end(speaking *s);

/* Follows the network: `bitrate` is what the session's on_bitrate() said, 0 = nothing yet, and
 * `loss` the share of our packets that the peer did not play in time. */
void speaking_adapt(speaking *s, uint32_t bitrate, double loss);

/* The packet of a frame of 20 ms, and its size; 0: nothing is to be sent. */
size_t speaking_encode(speaking *s, const int16_t *frame,
                       uint8_t packet[LIVETCP_RTP_HEADER_SIZE + PACKET_MAX]);

#endif
