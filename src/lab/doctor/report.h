/* SPDX-License-Identifier: MIT */
/* Reports of the findings, for people and for programs. */
#ifndef LT_LAB_DOCTOR_REPORT_H
#define LT_LAB_DOCTOR_REPORT_H

#include "lab/doctor/checks.h"

#include <livetcp/base.h>

#include <stdio.h>

/* For 80 columns: findings that cost delay first, the most frequent and expensive before the rest;
 * then the unknown ones; then the good ones, a line each. */
void lt_doctor_print(const lt_diagnosis *diagnosis, bool colour, FILE *out);

/* "livetcp/doctor/1"; docs/guide/doctor.md describes it. */
livetcp_result lt_doctor_json(const lt_diagnosis *diagnosis, FILE *out, livetcp_error *error);

#endif
