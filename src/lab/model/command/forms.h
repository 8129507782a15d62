/* SPDX-License-Identifier: MIT */
/* Forms of `livetcp model`. Each parses its own command line, argv[0] being its name, and returns
 * the exit code. */
#ifndef LT_LAB_MODEL_COMMAND_FORMS_H
#define LT_LAB_MODEL_COMMAND_FORMS_H

#include "lab/model/command/arguments.h"

int lt_model_delay(int argc, const char **argv);
int lt_model_region(int argc, const char **argv);
int lt_model_startup(int argc, const char **argv);

/* Reads the command line, prints the help or calls `answer`, and reports errors. */
int lt_model_run(const lt_model_form *form, int argc, const char **argv,
                 livetcp_result (*answer)(const lt_model_arguments *arguments,
                                          livetcp_error *error));

/* Prints the path, and the stream on it, a line each. */
void lt_model_print_path(const lt_model_arguments *arguments);
void lt_model_print_stream(const lt_model_arguments *arguments);

/* The TCP's name: "Linux today". */
const char *lt_model_stack_text(const lt_model_arguments *arguments);

/* True if the JSON is written to standard output, in place of the table. */
bool lt_model_json_only(const lt_model_arguments *arguments);

/* Milliseconds since `start`, a value of lt_clock_nsec(CLOCK_MONOTONIC). */
double lt_model_ms_since(int64_t start);

#endif
