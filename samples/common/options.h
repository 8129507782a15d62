/* SPDX-License-Identifier: MIT */
/* Options of a program, from a table that is also its help. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct option_entry {
    const char *name, *value, *help;
    const char **text; /* one of these three */
    int *number;
    bool *flag;
    int min, max;
} option_entry;

typedef struct option_table {
    const char *program;
    const option_entry *list;
    size_t count;
    const char *plain; /* an argument that is no option: "URI" */
} option_table;

void option_table_print(const option_table *table, FILE *out);

/* Other arguments go to `plain`, at most `most`. Their number; -1 with a message. */
int option_table_read(const option_table *table, int argc, char **argv, const char **plain,
                      int most);

#endif
