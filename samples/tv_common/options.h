/* SPDX-License-Identifier: MIT */
/* Options of a program, from a table that is also its help. */
#ifndef TV_OPTIONS_H
#define TV_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct tv_option {
    const char *name, *value, *help;
    const char **text; /* one of these three */
    int *number;
    bool *flag;
    int min, max;
} tv_option;

typedef struct tv_options {
    const char *program;
    const tv_option *list;
    size_t count;
} tv_options;

void tv_options_print(const tv_options *options, FILE *out);

/* Other arguments go to `plain`, at most `most`. Their number; -1 with a message. */
int tv_options_read(const tv_options *options, int argc, char **argv, const char **plain, int most);

#endif
