/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <stdlib.h>

void measure_add(measure *m, int64_t us)
{
    if (!m->steps)
        m->steps = calloc(MEASURE_STEPS, sizeof *m->steps);
    if (!m->steps)
        return;
    int64_t step = us / MEASURE_STEP_US;
    step = step < 0 ? 0 : step >= MEASURE_STEPS ? MEASURE_STEPS - 1 : step;
    m->steps[step]++;
    m->min_us = m->count == 0 || us < m->min_us ? us : m->min_us;
    m->max_us = m->count == 0 || us > m->max_us ? us : m->max_us;
    m->sum_us += (double)us;
    m->count++;
}

void measure_free(measure *m)
{
    free(m->steps);
    *m = (measure){0};
}

double measure_ms(const measure *m, double share)
{
    const uint64_t wanted = (uint64_t)(share * (double)m->count);
    uint64_t sum = 0;

    if (m->count == 0)
        return -1;
    for (size_t i = 0; i < MEASURE_STEPS; i++) {
        sum += m->steps[i];
        if (sum > wanted || sum == m->count) {
            const double ms = ((double)i + 1) * MEASURE_STEP_US / 1000;
            return ms < (double)m->max_us / 1000 ? ms : (double)m->max_us / 1000;
        }
    }
    return (double)m->max_us / 1000;
}

void measure_print(const measure *m, FILE *out)
{
    fprintf(out, "{\"count\": %llu", (unsigned long long)m->count);
    if (m->count > 0)
        fprintf(out,
                ", \"min\": %.1f, \"mean\": %.1f, \"p50\": %.1f, \"p90\": %.1f, \"p95\": %.1f, "
                "\"p99\": %.1f, \"max\": %.1f",
                (double)m->min_us / 1000, m->sum_us / (double)m->count / 1000, measure_ms(m, 0.5),
                measure_ms(m, 0.9), measure_ms(m, 0.95), measure_ms(m, 0.99),
                (double)m->max_us / 1000);
    fprintf(out, "}");
}
