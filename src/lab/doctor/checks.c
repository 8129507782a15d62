/* SPDX-License-Identifier: MIT */
/* The table of all checks, put together from those of each subject. */
#include "lab/doctor/checks.h"

#include "lab/doctor/check_groups.h"

#include <math.h>
#include <string.h>

static const lt_check_group *const groups[] = {&lt_loss_checks, &lt_congestion_checks,
                                               &lt_connection_checks, &lt_buffers_checks,
                                               &lt_host_checks};

const lt_check *lt_check_at(size_t index)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (index < groups[i]->count)
            return &groups[i]->checks[index];
        index -= groups[i]->count;
    }
    return NULL;
}

void lt_diagnose(lt_diagnosis *diagnosis, const lt_facts *facts)
{
    const lt_check *check;

    memset(diagnosis, 0, sizeof *diagnosis);
    diagnosis->facts = facts;
    for (size_t i = 0; i < LT_DOCTOR_CHECKS_MAX && (check = lt_check_at(i)); i++) {
        lt_finding *finding = &diagnosis->findings[i];
        finding->cost_ms = NAN;
        check->classify(facts, finding);
        diagnosis->results[finding->result]++;
        diagnosis->count++;
    }
}
