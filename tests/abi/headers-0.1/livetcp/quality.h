/* SPDX-License-Identifier: MIT */
/*
 * How good a voice call is to the people in it: the E-model of ITU-T G.107 (06/2015), from the
 * delay between mouth and ear, the packets that were not played, and the codec.
 *
 * The scale is that of narrowband telephony (300 to 3400 Hz): R from 0 to 93.2, where nothing but
 * the telephone itself is to blame, and MOS from 1 to 4.41. What the terminals do is at G.107's
 * defaults. It is a model for planning: it compares settings, it does not predict one listener.
 *
 * Functions of their arguments; any thread.
 */
#ifndef LIVETCP_QUALITY_H
#define LIVETCP_QUALITY_H

#include <livetcp/export.h>
#include <livetcp/result.h>
#include <livetcp/time.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the E-model knows about a codec. An application may fill in one of its own. */
typedef struct livetcp_speech_codec {
    const char *name;  /* "g711-plc" */
    double impairment; /* Ie: what the codec itself takes from R, 0..95 */
    double robustness; /* Bpl, packet-loss robustness factor, > 0: the larger, the better it
                          conceals */
} livetcp_speech_codec;

/*
 * The codec of that name, or NULL:
 *
 * - "g711": G.711 without concealment, Ie 0, Bpl 4.3 (G.113, Appendix I)
 * - "g711-plc": G.711 with the concealment of its Appendix I, 0 and 25.1 (G.113, Appendix I)
 * - "g729a": G.729 Annex A with voice activity detection, 11 and 19.0 (G.113, Appendix I)
 *   These are of the editions of Appendix I from 2001 to 2007, which all public implementations
 * that we know use; what G.113 publishes now has no Bpl.
 * - "opus": Opus in narrowband at 11 kbit/s, 2.03 and 15.95. G.113 has no value for Opus on this
 *   scale; these were derived by instrumental measurement, random loss (Alahmadi, Pocta and
 *   Melvin, ACM TOMM 17(4), 2021, article 133, in the table that its authors published). It is the
 *   best of their narrowband rates. Above that Opus uses more than 3400 Hz, and sounds better than
 *   any number of this scale says.
 */
LIVETCP_API const livetcp_speech_codec *livetcp_speech_codec_find(const char *name);

/* The known codecs in order, or NULL past the last. */
LIVETCP_API const livetcp_speech_codec *livetcp_speech_codec_at(size_t position);

/* A call as the listener has it. */
typedef struct livetcp_call {
    size_t struct_size;    /* sizeof(livetcp_call) */
    double impairment;     /* Ie of the codec, 0..95 */
    double robustness;     /* Bpl of the codec, > 0 */
    livetcp_usec delay_us; /* one way from mouth to ear, >= 0: coding, network and playout buffer.
                              Echo comes back over the same way: G.107's Ta = T = Tr / 2 */
    double loss;           /* share of packets not played, lost or late, 0..1; G.107 vouches for
                              what it says up to 0.2 */
    double burst_ratio;    /* BurstR, > 0: see livetcp_burst_ratio(); below 1 counts as 1, random */
    double echo_loss_db;   /* TELR, 0..200: how well the far end keeps our voice from coming back */
    double advantage;      /* A, 0..20: what users forgive for being reachable at all */
} livetcp_call;

typedef struct livetcp_quality {
    size_t struct_size;      /* set it to sizeof(livetcp_quality) before the call */
    double rating;           /* R; may be below 0 */
    double mos;              /* 1..4.5 */
    double delay_impairment; /* Id: what the delay and the echo took */
    double loss_impairment;  /* Ie,eff: what the codec and the packets not played took */
} livetcp_quality;

/* A call with this codec without delay and loss, TELR 65 dB, A 0. NULL: "g711-plc". */
LIVETCP_API void livetcp_call_init(livetcp_call *call, const livetcp_speech_codec *codec);

/* Rates the call. LIVETCP_ERR_INVALID_ARGUMENT, with a message that names the field, for what is
 * out of range or not a number; *quality is then left alone. */
LIVETCP_API livetcp_result livetcp_call_rate(const livetcp_call *call, livetcp_quality *quality,
                                             livetcp_error *error);

/* MOS of a rating (G.107, Annex B): 1 for R <= 0, 4.5 for R >= 100. Between 0 and 6.5, where the
 * formula falls below 1 and rises again, it is 1. NaN for NaN. */
LIVETCP_API double livetcp_mos(double rating);

/* BurstR (G.107, 7.5): the mean length of the `bursts` runs that `missing` of `packets` packets
 * came in, over what it would be if they were missing at random. 1 where nothing, or everything, is
 * missing, and for counts that contradict each other. */
LIVETCP_API double livetcp_burst_ratio(uint64_t packets, uint64_t missing, uint64_t bursts);

#ifdef __cplusplus
}
#endif

#endif
