/* SPDX-License-Identifier: MIT */
#include "decoder.h"

#include <libavcodec/avcodec.h>
#include <stdio.h>
#include <stdlib.h>

struct decoder {
    AVCodecContext *context;
    AVPacket *packet;
    AVFrame *frame;
    uint8_t *padded; /* libavcodec reads beyond the end of its input */
    size_t capacity;
};

decoder *decoder_open(char *message, size_t size)
{
    const AVCodec *codec = avcodec_find_decoder(AV_CODEC_ID_H264);
    decoder *d = codec ? calloc(1, sizeof *d) : NULL;

    if (!codec)
        snprintf(message, size, "this libavcodec has no decoder for H.264; install one that has");
    if (!d)
        return NULL;
    av_log_set_level(AV_LOG_FATAL); /* damaged pictures are counted, not printed */
    d->context = avcodec_alloc_context3(codec);
    d->packet = av_packet_alloc();
    d->frame = av_frame_alloc();
    if (d->context) {
        d->context->thread_count = 1;
        d->context->flags |= AV_CODEC_FLAG_LOW_DELAY;
    }
    if (d->context && d->packet && d->frame && avcodec_open2(d->context, codec, NULL) == 0)
        return d;
    snprintf(message, size, "libavcodec does not start its decoder for H.264");
    decoder_close(&d);
    return NULL;
}

void decoder_close(decoder **d)
{
    if (!*d)
        return;
    av_frame_free(&(*d)->frame);
    av_packet_free(&(*d)->packet);
    avcodec_free_context(&(*d)->context);
    free((*d)->padded);
    free(*d);
    *d = NULL;
}

static bool pad(decoder *d, const uint8_t *bytes, size_t size)
{
    const size_t whole = size + AV_INPUT_BUFFER_PADDING_SIZE;

    if (whole > d->capacity) {
        uint8_t *larger = realloc(d->padded, whole);
        if (!larger)
            return false;
        d->padded = larger;
        d->capacity = whole;
    }
    memcpy(d->padded, bytes, size);
    memset(d->padded + size, 0, whole - size);
    return true;
}

bool decoder_decode(decoder *d, const uint8_t *bytes, size_t size, tv_picture *picture)
{
    if (size == 0 || size > INT_MAX / 2 || !pad(d, bytes, size))
        return false;
    d->packet->data = d->padded;
    d->packet->size = (int)size;
    if (avcodec_send_packet(d->context, d->packet) != 0 ||
        avcodec_receive_frame(d->context, d->frame) != 0)
        return false;
    if (d->frame->format != AV_PIX_FMT_YUV420P && d->frame->format != AV_PIX_FMT_YUVJ420P)
        return false;
    *picture = (tv_picture){.width = d->frame->width, .height = d->frame->height};
    for (int i = 0; i < 3; i++) {
        picture->planes[i] = d->frame->data[i];
        picture->strides[i] = d->frame->linesize[i];
    }
    return true;
}
