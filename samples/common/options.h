/* SPDX-License-Identifier: MIT */
/* Command line options from a table, which also gives the help. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct option_entry {
    const char *name, *value, *help;
    const char **text; /* exactly one of these three is set */
    int *number;
    bool *flag;
    int min, max;
} option_entry;

typedef struct option_table {
    const char *program;
    const option_entry *list;
    size_t count;
    const char *plain; /* name of arguments that are no options: "URI" */
} option_table;

void option_table_print(const option_table *table, FILE *out);

/* Stores other arguments in `plain`, at most `max`. Returns their number; -1 after a message. */
int option_table_read(const option_table *table, int argc, char **argv, const char **plain,
                      int max);

#endif
