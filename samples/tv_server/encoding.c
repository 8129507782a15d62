/* SPDX-License-Identifier: MIT */
#include "encoding.h"

#include "../tv_common/rtcp.h"

#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <x264.h>

enum { START_CODE = 4, FU_A = 28, FU_HEADER = 2, NAL_TYPE = 31 };

/* Rate buffer in pictures: a key frame is several times as large as other pictures. */
#define BUFFER_PICTURES 6

struct encoding {
    x264_t *encoder;
    x264_param_t param;
    int64_t pictures;
};

static void set_rate(x264_param_t *p, int kbits)
{
    p->rc.i_bitrate = p->rc.i_vbv_max_bitrate = kbits;
    p->rc.i_vbv_buffer_size = (int)((int64_t)kbits * BUFFER_PICTURES * p->i_fps_den / p->i_fps_num);
}

/* zerolatency: no picture waits for a later one. A slice fits a packet, so that a lost packet costs
 * a strip of the picture. Key frames are made on request. */
static bool set_params(x264_param_t *p, const encoding_settings *s)
{
    if (x264_param_default_preset(p, s->preset, "zerolatency") < 0)
        return false;
    p->i_threads = 1;
    p->b_sliced_threads = 0;
    p->i_log_level = X264_LOG_ERROR;
    p->i_csp = X264_CSP_I420;
    p->i_width = s->width;
    p->i_height = s->height;
    p->i_fps_num = (uint32_t)s->pictures;
    p->i_fps_den = (uint32_t)s->seconds;
    p->b_vfr_input = 0;
    p->i_keyint_max = s->intra_refresh ? s->key_frames : X264_KEYINT_MAX_INFINITE;
    p->i_scenecut_threshold = 0;
    p->b_intra_refresh = s->intra_refresh;
    p->b_annexb = 1;
    p->b_repeat_headers = 1;
    p->i_slice_max_size = UNIT_PAYLOAD;
    p->rc.i_rc_method = X264_RC_ABR;
    set_rate(p, s->kbits);
    return true;
}

encoding *encoding_open(const encoding_settings *s, char *message, size_t size)
{
    encoding *e = calloc(1, sizeof *e);

    if (e && !set_params(&e->param, s)) {
        snprintf(message, size,
                 "x264 has no preset '%s'; ultrafast, superfast, veryfast, faster, "
                 "fast, medium are some",
                 s->preset);
        free(e);
        return NULL;
    }
    if (e)
        e->encoder = x264_encoder_open(&e->param);
    if (e && e->encoder)
        return e;
    snprintf(message, size, "x264 cannot encode %d by %d pixels at %d kbit/s", s->width, s->height,
             s->kbits);
    free(e);
    return NULL;
}

void encoding_close(encoding **e)
{
    if (*e) {
        x264_encoder_close((*e)->encoder);
        free(*e);
    }
    *e = NULL;
}

/* Adds a NAL unit without start code. */
static void add_nal(unit *u, const uint8_t *nal, size_t size)
{
    const uint8_t header = nal[0];

    if (size <= UNIT_PAYLOAD) {
        unit_add(u, TV_VIDEO_PAYLOAD, NULL, 0, nal, size);
        return;
    }
    for (size_t at = 1; at < size;) {
        size_t part = size - at < UNIT_PAYLOAD - FU_HEADER ? size - at : UNIT_PAYLOAD - FU_HEADER;
        const uint8_t prefix[FU_HEADER] = {
            (uint8_t)((header & ~NAL_TYPE) | FU_A),
            (uint8_t)((header & NAL_TYPE) | (at == 1) << 7 | (at + part == size) << 6)};
        unit_add(u, TV_VIDEO_PAYLOAD, prefix, sizeof prefix, nal + at, part);
        at += part;
    }
}

unit *encoding_encode(encoding *e, const tv_picture *picture, int64_t pts_us, bool key)
{
    x264_picture_t in, out;
    x264_nal_t *nals = NULL;
    int count = 0;

    x264_picture_init(&in);
    in.i_type = key ? X264_TYPE_IDR : X264_TYPE_AUTO;
    in.i_pts = e->pictures++;
    in.img.i_csp = X264_CSP_I420;
    in.img.i_plane = 3;
    for (int i = 0; i < 3; i++) {
        in.img.plane[i] = picture->planes[i];
        in.img.i_stride[i] = picture->strides[i];
    }
    if (x264_encoder_encode(e->encoder, &nals, &count, &in, &out) < 0 || count <= 0)
        return NULL;
    unit *u = unit_create(pts_us, out.i_type == X264_TYPE_IDR);
    for (int i = 0; u && i < count; i++) {
        const size_t skip = nals[i].p_payload[2] == 1 ? START_CODE - 1 : START_CODE;
        add_nal(u, nals[i].p_payload + skip, (size_t)nals[i].i_payload - skip);
    }
    if (u && (u->failed || u->count == 0)) {
        unit_destroy(u);
        return NULL;
    }
    if (u)
        unit_mark_last(u);
    return u;
}

void encoding_set_rate(encoding *e, int kbits)
{
    if (kbits == e->param.rc.i_bitrate)
        return;
    set_rate(&e->param, kbits);
    x264_encoder_reconfig(e->encoder, &e->param);
}

int encoding_rate(const encoding *e)
{
    return e->param.rc.i_bitrate;
}
