/* SPDX-License-Identifier: MIT */
/* The checks by subject, in the order of the report. In their texts R is the round trip and T the
 * interval between packets of one connection; numbers are for R = 100 ms and T = 20 ms. */
#ifndef LT_LAB_DOCTOR_CHECK_GROUPS_H
#define LT_LAB_DOCTOR_CHECK_GROUPS_H

#include "lab/doctor/checks.h"

typedef struct lt_check_group {
    const lt_check *checks;
    size_t count;
} lt_check_group;

extern const lt_check_group lt_loss_checks;
extern const lt_check_group lt_congestion_checks;
extern const lt_check_group lt_connection_checks;
extern const lt_check_group lt_buffers_checks;
extern const lt_check_group lt_host_checks;

#endif
