/* SPDX-License-Identifier: MIT */
/* Results of the models as JSON, and what the tables and JSON have in common. */
#ifndef LT_LAB_MODEL_COMMAND_JSON_H
#define LT_LAB_MODEL_COMMAND_JSON_H

#include "lab/model/command/arguments.h"
#include "lab/output.h"

/* JSON's null for what is infinite or not a number. */
json_t *lt_model_json_number(double value);

/* Microseconds as milliseconds, to a tenth of a microsecond. */
json_t *lt_model_json_ms(double us);

/* The configuration, as an object. */
json_t *lt_model_json_config(const lt_model_arguments *arguments, bool *failed);

/* Writes the document to the file, "-" for standard output, and releases it. */
livetcp_result lt_model_json_write(json_t *document, bool failed, const char *path,
                                   livetcp_error *error);

#endif
