/* SPDX-License-Identifier: MIT */
/* The counters of a path as a table, a line, and JSON. */
#ifndef LT_LAB_EMULATE_REPORT_H
#define LT_LAB_EMULATE_REPORT_H

#include "lab/emulate/path.h"

#include <jansson.h>
#include <stdbool.h>

/* Current parameters, counters and health of a path; a new reference. */
json_t *lt_emulate_report(lt_path *path, bool *failed);
void lt_emulate_print_table(lt_path *path);
void lt_emulate_print_line(lt_path *path, livetcp_usec elapsed);

/* Writes `report` to a file, "-" for standard output, and releases it. On failure prints an error
 * and returns false. */
bool lt_emulate_write_json(json_t *report, bool failed, const char *file);

#endif
