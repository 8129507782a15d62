/* SPDX-License-Identifier: MIT */
/* The E-model, ITU-T G.107 (06/2015), clause 7: R from what happens to a call on its way. */
#ifndef LT_PLAYOUT_EMODEL_H
#define LT_PLAYOUT_EMODEL_H

typedef struct lt_emodel_input {
    double absolute_delay_ms; /* Ta: one way, mouth to ear */
    double echo_delay_ms;     /* T: one way of the talker echo's path */
    double loop_delay_ms;     /* Tr: round trip of the listener echo's loop */
    double echo_loss_db;      /* TELR */
    double impairment;        /* Ie */
    double robustness;        /* Bpl */
    double loss_percent;      /* Ppl */
    double burst_ratio;       /* BurstR, at least 1 */
    double advantage;         /* A */
} lt_emodel_input;

typedef struct lt_emodel_result {
    double rating;           /* R */
    double delay_impairment; /* Id */
    double loss_impairment;  /* Ie,eff */
} lt_emodel_result;

/* The input is in range. Terminals, rooms and circuits are at the defaults of G.107, Table 2. */
lt_emodel_result lt_emodel_rate(const lt_emodel_input *input);

#endif
