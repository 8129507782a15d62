/* SPDX-License-Identifier: MIT */
/* The public side of the E-model: calls in, ratings and opinions out. */
#include <livetcp/quality.h>

#include "base/error.h"
#include "base/sized.h"
#include "playout/emodel.h"

#include <math.h>
#include <stdbool.h>

#define DEFAULT_TELR_DB 65.0 /* G.107, Table 2 */

/* What livetcp_call was in version 0.1, and what livetcp_call_init() cleared. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_call, advantage)

void livetcp_call_init_sized(livetcp_call *call, size_t size, const livetcp_speech_codec *codec)
{
    if (!codec)
        codec = livetcp_speech_codec_find("g711-plc");
    const livetcp_call whole = {.impairment = codec->impairment,
                                .robustness = codec->robustness,
                                .burst_ratio = 1,
                                .echo_loss_db = DEFAULT_TELR_DB};
    lt_sized_write(call, size, &whole, sizeof whole);
}

void(livetcp_call_init)(livetcp_call *call, const livetcp_speech_codec *codec)
{
    livetcp_call_init_sized(call, SIZE_0_1, codec);
}

/* Written so that NaN is out of every range. */
static bool within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static livetcp_result check(const livetcp_call *call, livetcp_error *error)
{
    const struct {
        const char *name;
        double value, least, most;
    } ranges[] = {
        {"impairment", call->impairment, 0, 95},
        {"loss", call->loss, 0, 1},
        {"echo_loss_db", call->echo_loss_db, 0, 200},
        {"advantage", call->advantage, 0, 20},
    };
    const struct {
        const char *name;
        double value;
    } positive[] = {{"robustness", call->robustness}, {"burst_ratio", call->burst_ratio}};

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!within(ranges[i].value, ranges[i].least, ranges[i].most))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %g: it is %g to %g",
                           ranges[i].name, ranges[i].value, ranges[i].least, ranges[i].most);
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!(positive[i].value > 0) || isinf(positive[i].value))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %g: it is a number above 0",
                           positive[i].name, positive[i].value);
    if (call->delay_us < 0)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "delay_us is %lld: a delay is not negative", (long long)call->delay_us);
    return LIVETCP_OK;
}

/* A whole call from one that may be older or newer: what is missing has its default. */
static livetcp_result read_call(const livetcp_call *call, livetcp_call *whole, livetcp_error *error)
{
    if (!lt_sized_valid(call, SIZE_0_1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_call has struct_size %zu, less than %zu: call "
                       "livetcp_call_init() first",
                       lt_sized_size(call), SIZE_0_1);
    livetcp_call_init(whole, NULL);
    lt_sized_read(whole, sizeof *whole, call);
    return check(whole, error);
}

livetcp_result livetcp_call_rate(const livetcp_call *call, livetcp_quality *quality,
                                 livetcp_error *error)
{
    livetcp_call whole;
    livetcp_result result = read_call(call, &whole, error);

    if (result != LIVETCP_OK)
        return result;
    if (!lt_sized_valid(quality, 0))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_quality has struct_size %zu: set it to "
                       "sizeof(livetcp_quality) before the call",
                       lt_sized_size(quality));
    double delay_ms = (double)whole.delay_us / LIVETCP_USEC_MSEC;
    lt_emodel_result r =
        lt_emodel_rate(&(lt_emodel_input){.absolute_delay_ms = delay_ms,
                                          .echo_delay_ms = delay_ms,
                                          .loop_delay_ms = 2 * delay_ms,
                                          .echo_loss_db = whole.echo_loss_db,
                                          .impairment = whole.impairment,
                                          .robustness = whole.robustness,
                                          .loss_percent = 100 * whole.loss,
                                          .burst_ratio = fmax(whole.burst_ratio, 1),
                                          .advantage = whole.advantage});
    livetcp_quality rated = {.rating = r.rating,
                             .mos = livetcp_mos(r.rating),
                             .delay_impairment = r.delay_impairment,
                             .loss_impairment = r.loss_impairment};
    lt_sized_fill(quality, &rated, sizeof rated);
    return LIVETCP_OK;
}

/* G.107, Annex B. */
double livetcp_mos(double rating)
{
    double r = rating;

    if (isnan(r))
        return r;
    if (r <= 0)
        return 1;
    if (r >= 100)
        return 4.5;
    return fmax(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6);
}

double livetcp_burst_ratio(uint64_t packets, uint64_t missing, uint64_t bursts)
{
    if (!missing || missing >= packets || !bursts || bursts > missing)
        return 1;
    /* Runs of packets missing at random have a mean length of 1 / (1 - p). */
    double p = (double)missing / (double)packets;
    return (double)missing / (double)bursts * (1 - p);
}
