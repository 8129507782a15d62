/* SPDX-License-Identifier: MIT */
/* Measures the accuracy of an emulated path on this machine. */
#ifndef LT_LAB_EMULATE_SELFTEST_H
#define LT_LAB_EMULATE_SELFTEST_H

#include "lab/emulate/path.h"

typedef struct lt_self_test {
    lt_path_params path;
    double rate; /* packets/s */
    double seconds;
    unsigned size;    /* bytes of IP packet */
    const char *json; /* file for the result, "-" is stdout, or NULL */
} lt_self_test;

/* Sends UDP through a path and reports the delay beyond the configured one. Returns LT_EXIT_FAILED
 * if the accuracy target is missed. */
int lt_emulate_self_test(const lt_self_test *test);

#endif
