/* SPDX-License-Identifier: MIT */
/* What the checks found, for people and for programs. */
#ifndef LT_LAB_DOCTOR_REPORT_H
#define LT_LAB_DOCTOR_REPORT_H

#include "lab/doctor/checks.h"

#include <livetcp/result.h>

#include <stdio.h>

enum { LT_DOCTOR_CHECKS_MAX = 64 };

typedef struct lt_diagnosis {
    const lt_facts *facts;
    size_t count; /* of checks, and of findings */
    lt_finding findings[LT_DOCTOR_CHECKS_MAX];
    unsigned verdicts[LT_VERDICT_UNKNOWN + 1]; /* how many of each */
} lt_diagnosis;

/* Judges by every check of the table. */
void lt_diagnose(lt_diagnosis *diagnosis, const lt_facts *facts);

/* For 80 columns: what costs delay first, the most frequent and expensive of it before the rest;
 * then what is unknown; then what is well, a line each. */
void lt_doctor_print(const lt_diagnosis *diagnosis, bool colour, FILE *out);

/* "livetcp/doctor/1"; docs/guide/doctor.md describes it. */
livetcp_result lt_doctor_json(const lt_diagnosis *diagnosis, FILE *out, livetcp_error *error);

#endif
