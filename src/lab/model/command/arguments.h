/* SPDX-License-Identifier: MIT */
/* Options of all forms of `livetcp model`: path, stream and transport. */
#ifndef LT_LAB_MODEL_COMMAND_ARGUMENTS_H
#define LT_LAB_MODEL_COMMAND_ARGUMENTS_H

#include <livetcp/model.h>

#include <popt.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct lt_model_arguments {
    livetcp_delay_model_config config;
    const char *constants; /* as given, or by default */
    bool paper;            /* the papers' constants */
    const char *json;      /* output file, "-" = standard output, NULL = none */
    bool backlog_states_given;
    bool help;
} lt_model_arguments;

/* A form and its own options: a popt table whose strings it parses itself. */
typedef struct lt_model_form {
    const char *name;               /* "delay" */
    const char *summary;            /* one line */
    const char *text;               /* after the options in the help; ends with a newline */
    const struct poptOption *extra; /* or NULL */
    bool path_wanted;               /* false: without --rtt and --loss */
} lt_model_form;

/* Strings that options point to; clear after the last use of the arguments. */
typedef struct lt_model_texts {
    char *rtt, *loss, *one_way, *packet, *interval, *mss, *loss_model, *queue, *constants;
    char *window_states, *backlog_states, *json;
    int connections, split, limited_transmit, help;
} lt_model_texts;

/* Parses the command line; on failure the error names the option. Prints the help on request. */
livetcp_result lt_model_arguments_read(lt_model_arguments *arguments, lt_model_texts *texts,
                                       const lt_model_form *form, int argc, const char **argv,
                                       livetcp_error *error);

/* Also frees the texts of the form's own options. */
void lt_model_texts_clear(lt_model_texts *texts, const lt_model_form *form);

/* As lt_option_share() and lt_option_duration(): "99.9%" or "0.999", strictly between 0 and 1. */
livetcp_result lt_model_take_share(const char *option, const char *text, double *out,
                                   livetcp_error *error);

/* "100ms" */
livetcp_result lt_model_take_duration(const char *option, const char *text, livetcp_usec *out,
                                      livetcp_error *error);

#endif
