/* SPDX-License-Identifier: MIT */
/*
 * Audio by its RTP headers, for streams of which nobody says what they are: a gateway sees packets
 * only, and an element behind a muxer has no caps. Encryption (SRTP) leaves headers readable.
 *
 * The static payload types 0 and 3 to 18 are audio (RFC 3551, table 4). Any other stream is audio
 * while its packets are small, each has a timestamp of its own, and timestamps advance in steps as
 * audio has them: 5 to 60 ms at the clock rates in use. Pictures share a timestamp over several
 * packets, or at 90 kHz advance by 1500 and more (60 frames/s). Silence is a multiple of the step.
 */
#ifndef LT_RTP_IMPORTANCE_AUDIO_H
#define LT_RTP_IMPORTANCE_AUDIO_H

#include "rtp/rtp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins zeroed; there is nothing to free. */
typedef struct lt_audio_rhythm {
    uint32_t timestamp; /* of the last packet */
    uint32_t step;      /* of the timestamps; 0 = not known */
    uint32_t mean_size; /* of the payload, bytes */
    uint16_t sequence;
    uint8_t payload_type;
    uint8_t in_step; /* packets in a row, up to a limit */
    uint8_t others;  /* packets of other payload types in a row */
    bool begun;
} lt_audio_rhythm;

/* Counts a packet of the stream, in the order of sending. True if the stream is audio. Packets of
 * another payload type (telephone events, comfort noise) are what the stream is. */
bool lt_audio_rhythm_next(lt_audio_rhythm *rhythm, const lt_rtp_header *header, size_t payload);

#endif
