/* SPDX-License-Identifier: MIT */
/*
 * ITU-T G.107 (06/2015), clause 7, whose symbols are in the comments. Its corrections for a
 * sidetone masking rating outside 9 to 20 dB are left out, since STMR is at its default. Compared
 * with public implementations, one of them (flent) checked by its authors against the ITU-T's
 * calculator: the same formulas, No = -61.179, Is = 1.414 and R = 93.2 with all defaults.
 */
#include "playout/emodel.h"

#include <math.h>

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

/* 7.2: No, the power of everything that is noise. */
static double noise(void)
{
    double send_room = PS - SLR - DS - 100 + 0.004 * square(PS - OLR - DS - 14);
    double pre = PR + 10 * log10(1 + power_of(10 - LSTR));
    double receive_room = RLR - 121 + pre + 0.008 * square(pre - 35);
    double floor_noise = NFOR + RLR;

    return 10 * log10(power_of(NC) + power_of(send_room) + power_of(receive_room) +
                      power_of(floor_noise));
}

/* 7.3: Is, what disturbs while one speaks: too loud, sidetone, quantizing. */
static double simultaneous(const lt_emodel_input *in, double ro, double no)
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

/* 7.4: Idte, one's own voice coming back. Below 1 ms it counts as sidetone. */
static double talker_echo(const lt_emodel_input *in, double no)
{
    double t = in->echo_delay_ms;
    double terv =
        in->echo_loss_db - 40 * log10((1 + t / 10) / (1 + t / 150)) + 6 * exp(-0.3 * square(t));
    double half = (-1.5 * (no - RLR) - (80 + 2.5 * (terv - 14))) / 2; /* (Roe - Re) / 2 */

    if (t < 1)
        return 0;
    return (half + sqrt(square(half) + 100) - 1) * (1 - exp(-t));
}

/* 7.4: Idle, the other's voice coming twice. */
static double listener_echo(const lt_emodel_input *in, double ro)
{
    double rle = 10.5 * (WEPL + 7) * pow(in->loop_delay_ms + 1, -0.25);
    double half = (ro - rle) / 2;

    return half + sqrt(square(half) + 169);
}

/* 7.4: Idd, waiting for the answer, with the default sensitivity to it (sT 1, mT 100 ms). */
static double late_answer(const lt_emodel_input *in)
{
    if (in->absolute_delay_ms <= 100)
        return 0;
    double x = log2(in->absolute_delay_ms / 100);
    return 25 * (knee(x, 6) - 3 * knee(x / 3, 6) + 2);
}

/* 7.5: Ie,eff. Nothing arriving is the worst there can be; long bursts would pass it. */
static double equipment(const lt_emodel_input *in)
{
    double lost = in->loss_percent / (in->loss_percent / in->burst_ratio + in->robustness);

    return in->impairment + (95 - in->impairment) * (lost < 1 ? lost : 1);
}

lt_emodel_result lt_emodel_rate(const lt_emodel_input *input)
{
    double no = noise();
    double ro = 15 - 1.5 * (SLR + no); /* 7.2 */
    lt_emodel_result result = {.delay_impairment = talker_echo(input, no) +
                                                   listener_echo(input, ro) + late_answer(input),
                               .loss_impairment = equipment(input)};

    result.rating = ro - simultaneous(input, ro, no) - result.delay_impairment -
                    result.loss_impairment + input->advantage; /* 7.1 */
    return result;
}
