/* SPDX-License-Identifier: MIT */
/* The forms of `livetcp model`. Each takes its own command line, argv[0] is its name, and returns
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

/* A line each: the path, and the stream on it. */
void lt_model_print_path(const lt_model_arguments *arguments);
void lt_model_print_stream(const lt_model_arguments *arguments);

/* The TCP's name: "Linux today". */
const char *lt_model_stack_text(const lt_model_arguments *arguments);

/* Standard output takes the JSON, and no table. */
bool lt_model_json_only(const lt_model_arguments *arguments);

/* Milliseconds since lt_clock_nsec(CLOCK_MONOTONIC) was `start`. */
double lt_model_ms_since(int64_t start);

#endif
