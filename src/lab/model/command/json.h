/* SPDX-License-Identifier: MIT */
/* Common parts of the JSON of all forms. */
#ifndef LT_LAB_MODEL_COMMAND_JSON_H
#define LT_LAB_MODEL_COMMAND_JSON_H

#include "lab/json.h"
#include "lab/model/command/arguments.h"

/* Microseconds as milliseconds, rounded to a tenth of a microsecond. */
json_t *lt_model_json_ms(double us);

/* The configuration, as an object. */
json_t *lt_model_json_config(const lt_model_arguments *arguments, bool *failed);

/* {"99.9": ms, ...}: delays in us by percentile. */
json_t *lt_model_json_percentiles(const double *percents, const double *us, size_t count,
                                  bool *failed);

#endif
