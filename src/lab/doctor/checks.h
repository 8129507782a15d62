/* SPDX-License-Identifier: MIT */
/* The checks: host information in, one finding each out. Pure functions. */
#ifndef LT_LAB_DOCTOR_CHECKS_H
#define LT_LAB_DOCTOR_CHECKS_H

#include "lab/doctor/finding.h"

#include <stddef.h>

typedef struct lt_check {
    const char *name;   /* "slow-start-after-idle" */
    const char *title;  /* "Idle restart" */
    const char *source; /* origin of the guideline, and measurement of its cost */
    void (*classify)(const lt_facts *facts, lt_finding *finding);
} lt_check;

/* The check at an index, in the order of a table of contents; NULL after the last one. */
const lt_check *lt_check_at(size_t index);

enum { LT_DOCTOR_CHECKS_MAX = 64 };

typedef struct lt_diagnosis {
    const lt_facts *facts;
    size_t count; /* of checks, and of findings */
    lt_finding findings[LT_DOCTOR_CHECKS_MAX];
    unsigned results[LT_CHECK_UNKNOWN + 1]; /* number of findings by result */
} lt_diagnosis;

/* Runs all checks. */
void lt_diagnose(lt_diagnosis *diagnosis, const lt_facts *facts);

#endif
