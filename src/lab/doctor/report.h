/* SPDX-License-Identifier: MIT */
/* What the checks found, for people and for programs. */
#ifndef LT_LAB_DOCTOR_REPORT_H
#define LT_LAB_DOCTOR_REPORT_H

#include "lab/doctor/checks.h"

#include <livetcp/result.h>

#include <stdio.h>

/* For 80 columns: what costs delay first, the most frequent and expensive of it before the rest;
 * then what is unknown; then what is well, a line each. */
void lt_doctor_print(const lt_diagnosis *diagnosis, bool colour, FILE *out);

/* "livetcp/doctor/1"; docs/guide/doctor.md describes it. */
livetcp_result lt_doctor_json(const lt_diagnosis *diagnosis, FILE *out, livetcp_error *error);

#endif
