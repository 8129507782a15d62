/* SPDX-License-Identifier: MIT */
#include "lab/bench/playout.h"

#include "base/error.h"
#include "lab/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_COUNT (60 * (livetcp_usec)LIVETCP_USEC_SEC)

static livetcp_result parse_point(lt_playout_point *point, const char *text, size_t length,
                                  livetcp_usec rtt, livetcp_usec interval, livetcp_error *error)
{
    const bool fits = length < sizeof point->name;
    if (fits) {
        memcpy(point->name, text, length);
        point->name[length] = '\0';
    }
    if (fits && !strcmp(point->name, "static"))
        point->over = rtt + 3 * interval;
    else if (fits && !strcmp(point->name, "adaptive"))
        point->adaptive = true;
    else if (!fits || lt_option_time("--playout ", point->name, LIVETCP_USEC_MSEC, 0, MAX_COUNT,
                                     &point->over, NULL) != LIVETCP_OK)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--playout %.*s: it is a time over the delay of the path, 0 to 60s, such as "
                       "40ms, or static, or adaptive",
                       length < 40 ? (int)length : 40, text);
    return LIVETCP_OK;
}

static livetcp_result find_codec(lt_playout_list *list, const char *name, livetcp_error *error)
{
    char names[100] = "";
    const livetcp_speech_codec *codec;
    list->codec = livetcp_speech_codec_find(name ? name : "g711-plc");
    if (list->codec)
        return LIVETCP_OK;
    for (size_t i = 0; (codec = livetcp_speech_codec_at(i)); i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", codec->name);
    }
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--codec %.40s: there are %s", name, names);
}

livetcp_result lt_playout_parse(lt_playout_list *list, const char *text, const char *codec,
                                livetcp_usec rtt, livetcp_usec interval, livetcp_error *error)
{
    livetcp_result result = find_codec(list, codec, error);
    list->count = 0;
    while (result == LIVETCP_OK && text) {
        size_t length = strcspn(text, ",");
        if (list->count == LT_BENCH_MAX_PLAYOUTS)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--playout: more than %d delays",
                           LT_BENCH_MAX_PLAYOUTS);
        result = parse_point(&list->points[list->count++], text, length, rtt, interval, error);
        text = text[length] ? text + length + 1 : NULL;
    }
    return result;
}

double lt_playout_late_share(const lt_playout *playout)
{
    return playout->packets ? (double)playout->late / (double)playout->packets : NAN;
}

double lt_playout_saved_share(const lt_playout *playout)
{
    uint64_t missed = playout->late + playout->secondary;
    return missed ? (double)playout->secondary / (double)missed : NAN;
}

static livetcp_quality rate(const lt_playout *playout, const livetcp_speech_codec *codec,
                            double loss)
{
    livetcp_quality quality = {.struct_size = sizeof quality, .rating = NAN, .mos = NAN};
    livetcp_call call;
    livetcp_call_init(&call, codec);
    call.delay_us = playout->delay;
    call.loss = loss; /* NAN is rejected, and results in NAN */
    call.burst_ratio = playout->burst_ratio;
    livetcp_call_rate(&call, &quality, NULL);
    return quality;
}

void lt_playout_rate(lt_playout *playout, const livetcp_speech_codec *codec)
{
    playout->burst_ratio = livetcp_burst_ratio(playout->packets, playout->late, playout->bursts);
    livetcp_quality quality = rate(playout, codec, lt_playout_late_share(playout));
    playout->rating = quality.rating;
    playout->mos = quality.mos;
    playout->max_mos = rate(playout, codec, 0).mos;
}
