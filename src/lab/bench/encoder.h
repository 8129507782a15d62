/* SPDX-License-Identifier: MIT */
/* A video encoder, as the network sees it: the sizes of its frames, which follow a bit rate. */
#ifndef LT_LAB_BENCH_ENCODER_H
#define LT_LAB_BENCH_ENCODER_H

#include <livetcp/service_curve.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LT_ENCODER_MAX_FRAMES = 5000 }; /* of a trace: 200 s at 25 frames/s */

/* Minimum interval of requested key frames, as encoders of calls have it. */
#define LT_ENCODER_KEY_GAP_US (500 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Frame sizes relative to the mean size of a delta frame. */
typedef struct lt_frame_sizes {
    double key;
    unsigned count; /* at least 1 */
    float delta[LT_ENCODER_MAX_FRAMES];
} lt_frame_sizes;

/* The ideal encoder: all frames have one size. */
void lt_frame_sizes_ideal(lt_frame_sizes *sizes);

/* x264 with settings for a call, encoding a film. */
void lt_frame_sizes_x264(lt_frame_sizes *sizes);

/* x264 with settings for a call, encoding a screen share: text that is typed and scrolled, and
 * pages that are turned. */
void lt_frame_sizes_screen(lt_frame_sizes *sizes);

/* From a trace: its first frame is the key frame, the others are delta frames. */
livetcp_result lt_frame_sizes_take(lt_frame_sizes *sizes, const livetcp_trace_frame *frames,
                                   size_t count, livetcp_error *error);

/* Bit rates are those of RTP packets, with their headers. */
typedef struct lt_encoder_config {
    livetcp_usec interval; /* between frames */
    uint32_t key_interval; /* frames from a key frame to the next; 0 = no key frames */
    double start_rate;     /* initial bit rate, 1 to max_rate */
    double max_rate;
    double overshoot; /* the rate is so many times what was set; 1 = an exact encoder */
    lt_frame_sizes sizes;
} lt_encoder_config;

typedef struct lt_encoder {
    const lt_encoder_config *config;
    double rate;        /* bit/s */
    uint32_t frame;     /* number of the next frame */
    uint32_t delta;     /* of its deltas */
    uint32_t since_key; /* frames since the last key frame, itself included; 0 = none yet */
    bool key_wanted;
} lt_encoder;

typedef struct lt_encoded_frame {
    size_t bytes;
    bool key;
} lt_encoded_frame;

/* `config` must outlive the encoder. */
void lt_encoder_init(lt_encoder *encoder, const lt_encoder_config *config);

/* Sets the bit rate from the next frame on: times the overshoot, limited to max_rate; 0 changes
 * nothing. */
void lt_encoder_set_rate(lt_encoder *encoder, double rate);

/* The next frame. Sizes are such that the frames from one key frame to the next have the bit rate
 * on average. */
lt_encoded_frame lt_encoder_next(lt_encoder *encoder);

/* A key frame was requested: the next frame is one, unless the last is less than
 * LT_ENCODER_KEY_GAP_US ago; then the first frame after that time. The key interval restarts with
 * it. No effect on the ideal encoder, whose frames are all equal. */
void lt_encoder_want_key(lt_encoder *encoder);

/* Skips a frame that is not needed; its number is not used again. */
void lt_encoder_skip(lt_encoder *encoder);

/* Number of packets of up to `size` bytes that hold a frame; at least 1. */
uint32_t lt_frame_packets(size_t bytes, size_t size);

/* Bytes of packet `index` of `count`: they differ by no more than 1. */
size_t lt_frame_packet_size(size_t bytes, uint32_t count, uint32_t index);

/* Upper bound of the packets of this number of frames, at any rate. */
uint64_t lt_encoder_max_packets(const lt_encoder_config *config, uint32_t frames, size_t size);

#endif
