/* SPDX-License-Identifier: MIT */
#include "lab/doctor/report.h"

#include <math.h>
#include <string.h>

void lt_diagnose(lt_diagnosis *diagnosis, const lt_facts *facts)
{
    memset(diagnosis, 0, sizeof *diagnosis);
    diagnosis->facts = facts;
    diagnosis->count =
        lt_check_count < LT_DOCTOR_CHECKS_MAX ? lt_check_count : LT_DOCTOR_CHECKS_MAX;
    for (size_t i = 0; i < diagnosis->count; i++) {
        lt_finding *finding = &diagnosis->findings[i];
        finding->cost_ms = NAN;
        lt_checks[i].judge(facts, finding);
        diagnosis->verdicts[finding->verdict]++;
    }
}
