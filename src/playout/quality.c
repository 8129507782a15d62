/* SPDX-License-Identifier: MIT */
/*
 * Quality of calls by the E-model, ITU-T G.107 (06/2015), clause 7, whose symbols are in the
 * comments. The corrections for a sidetone masking rating outside 9 to 20 dB are omitted, since
 * STMR has its default. Compared with public implementations, one of which (flent) was checked by
 * its authors against the ITU-T's calculator: the same formulas, No = -61.179, Is = 1.414, and R =
 * 93.2 with all defaults. Terminals, rooms and circuits have the defaults of Table 2.
 */
#include <livetcp/playout.h>

#include "base/error.h"
#include "base/sized.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- codecs ---- */

/* Ie and Bpl on the narrowband scale; livetcp/playout.h names the sources. */
static const livetcp_speech_codec codecs[] = {
    {"g711", 0, 4.3},
    {"g711-plc", 0, 25.1},
    {"g729a", 11, 19.0},
    {"opus", 2.03, 15.95},
};

const livetcp_speech_codec *livetcp_speech_codec_at(size_t position)
{
    return position < sizeof codecs / sizeof *codecs ? &codecs[position] : NULL;
}

const livetcp_speech_codec *livetcp_speech_codec_find(const char *name)
{
    const livetcp_speech_codec *codec;

    for (size_t i = 0; name && (codec = livetcp_speech_codec_at(i)); i++)
        if (!strcmp(codec->name, name))
            return codec;
    return NULL;
}

/* ---- the model ---- */

typedef struct model_input {
    double absolute_delay_ms; /* Ta: one way, mouth to ear */
    double echo_delay_ms;     /* T: one way of the talker echo's path */
    double loop_delay_ms;     /* Tr: round trip of the listener echo's loop */
    double echo_loss_db;      /* TELR */
    double impairment;        /* Ie */
    double robustness;        /* Bpl */
    double loss_percent;      /* Ppl */
    double burst_ratio;       /* BurstR, at least 1 */
    double advantage;         /* A */
} model_input;

typedef struct model_result {
    double rating;           /* R */
    double delay_impairment; /* Id */
    double loss_impairment;  /* Ie,eff */
} model_result;

/* G.107, Table 2: default values. dB, dBm. */
#define SLR  8.0   /* send loudness rating */
#define RLR  2.0   /* receive loudness rating */
#define STMR 15.0  /* sidetone masking rating */
#define LSTR 18.0  /* listener sidetone rating */
#define DS   3.0   /* D-value of the telephone, send side */
#define WEPL 110.0 /* weighted echo path loss */
#define QDU  1.0   /* quantizing distortion units */
#define NC   -70.0 /* circuit noise at the 0 dBr point */
#define NFOR -64.0 /* noise floor at the receive side */
#define PS   35.0  /* room noise, send side */
#define PR   35.0  /* room noise, receive side */
#define OLR  (SLR + RLR)

static double square(double x)
{
    return x * x;
}

static double power_of(double db)
{
    return pow(10, db / 10);
}

/* (1 + x^n)^(1/n), the shape of most of the model's curves. */
static double knee(double x, double n)
{
    return pow(1 + pow(x, n), 1 / n);
}

/* 7.2: No, power sum of all noise sources. */
static double noise(void)
{
    double send_room = PS - SLR - DS - 100 + 0.004 * square(PS - OLR - DS - 14);
    double pre = PR + 10 * log10(1 + power_of(10 - LSTR));
    double receive_room = RLR - 121 + pre + 0.008 * square(pre - 35);
    double floor_noise = NFOR + RLR;

    return 10 * log10(power_of(NC) + power_of(send_room) + power_of(receive_room) +
                      power_of(floor_noise));
}

/* 7.3: Is, impairments simultaneous with speech: loudness, sidetone, quantizing. */
static double simultaneous(const model_input *in, double ro, double no)
{
    double xolr = OLR + 0.2 * (64 + no - RLR);
    double too_loud = 20 * (knee(xolr / 8, 8) - xolr / 8);
    double stmro =
        -10 * log10(power_of(-STMR) + exp(-in->echo_delay_ms / 4) * power_of(-in->echo_loss_db));
    double sidetone = 12 * knee((stmro - 13) / 6, 8) - 28 * knee((stmro + 1) / 19.4, 35) -
                      13 * knee((stmro - 3) / 33, 13) + 29;
    double q = 37 - 15 * log10(QDU);
    double g = 1.07 + 0.258 * q + 0.0602 * square(q);
    double quantizing =
        15 * log10(1 + pow(10, (ro - 100) / 15 + 46 / 8.4 - g / 9) + pow(10, 46.0 / 30 - g / 40));

    return too_loud + sidetone + quantizing;
}

/* 7.4: Idte, talker echo. Below 1 ms it counts as sidetone. */
static double talker_echo(const model_input *in, double no)
{
    double t = in->echo_delay_ms;
    double terv =
        in->echo_loss_db - 40 * log10((1 + t / 10) / (1 + t / 150)) + 6 * exp(-0.3 * square(t));
    double half = (-1.5 * (no - RLR) - (80 + 2.5 * (terv - 14))) / 2; /* (Roe - Re) / 2 */

    if (t < 1)
        return 0;
    return (half + sqrt(square(half) + 100) - 1) * (1 - exp(-t));
}

/* 7.4: Idle, listener echo. */
static double listener_echo(const model_input *in, double ro)
{
    double rle = 10.5 * (WEPL + 7) * pow(in->loop_delay_ms + 1, -0.25);
    double half = (ro - rle) / 2;

    return half + sqrt(square(half) + 169);
}

/* 7.4: Idd, absolute delay, with the default sensitivity (sT = 1, mT = 100 ms). */
static double absolute_delay(const model_input *in)
{
    if (in->absolute_delay_ms <= 100)
        return 0;
    double x = log2(in->absolute_delay_ms / 100);
    return 25 * (knee(x, 6) - 3 * knee(x / 3, 6) + 2);
}

/* 7.5: Ie,eff. Capped at total loss, which long bursts would exceed. */
static double equipment(const model_input *in)
{
    double lost = in->loss_percent / (in->loss_percent / in->burst_ratio + in->robustness);

    return in->impairment + (95 - in->impairment) * (lost < 1 ? lost : 1);
}

/* The model for valid input. */
static model_result rate(const model_input *input)
{
    double no = noise();
    double ro = 15 - 1.5 * (SLR + no); /* 7.2 */
    model_result result = {.delay_impairment = talker_echo(input, no) + listener_echo(input, ro) +
                                               absolute_delay(input),
                           .loss_impairment = equipment(input)};

    result.rating = ro - simultaneous(input, ro, no) - result.delay_impairment -
                    result.loss_impairment + input->advantage; /* 7.1 */
    return result;
}

/* ---- public functions ---- */

#define DEFAULT_TELR_DB 65.0 /* G.107, Table 2 */

/* Size of livetcp_call in version 0.1, whose initializer cleared this many bytes. */
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

/* NaN is outside of every range. */
static bool in_range(double value, double min, double max)
{
    return value >= min && value <= max;
}

static livetcp_result check(const livetcp_call *call, livetcp_error *error)
{
    const struct {
        const char *name;
        double value, min, max;
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
        if (!in_range(ranges[i].value, ranges[i].min, ranges[i].max))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %g: it is %g to %g",
                           ranges[i].name, ranges[i].value, ranges[i].min, ranges[i].max);
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!(positive[i].value > 0) || isinf(positive[i].value))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s is %g: it is a number above 0",
                           positive[i].name, positive[i].value);
    if (call->delay_us < 0)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "delay_us is %lld: a delay is not negative", (long long)call->delay_us);
    return LIVETCP_OK;
}

/* Completes a call of an older or newer version; missing fields get their defaults. */
static livetcp_result read_call(const livetcp_call *call, livetcp_call *whole, livetcp_error *error)
{
    livetcp_result result = LT_CHECK_INITIALIZED(call, livetcp_call, SIZE_0_1, error);

    if (result != LIVETCP_OK)
        return result;
    livetcp_call_init(whole, NULL);
    lt_sized_read(whole, sizeof *whole, call);
    return check(whole, error);
}

livetcp_result livetcp_call_rate(const livetcp_call *call, livetcp_quality *quality,
                                 livetcp_error *error)
{
    livetcp_call whole;
    livetcp_result result = read_call(call, &whole, error);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(quality, livetcp_quality, error);
    if (result != LIVETCP_OK)
        return result;
    double delay_ms = (double)whole.delay_us / LIVETCP_USEC_MSEC;
    model_result r = rate(&(model_input){.absolute_delay_ms = delay_ms,
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
    /* Runs of independent losses with probability p have a mean length of 1 / (1 - p). */
    double p = (double)missing / (double)packets;
    return (double)missing / (double)bursts * (1 - p);
}
