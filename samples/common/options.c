/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdlib.h>
#include <string.h>

void option_table_print(const option_table *table, FILE *out)
{
    for (size_t i = 0; i < table->count; i++) {
        const option_entry *o = &table->list[i];
        fprintf(out, "  %s %-*s  %s\n", o->name, 20 - (int)strlen(o->name),
                o->value ? o->value : "", o->help);
    }
}

static bool take_value(const char *program, const option_entry *o, const char *value)
{
    char *end;

    if (!value) {
        fprintf(stderr, "%s: %s needs a value: %s\n", program, o->name, o->value);
        return false;
    }
    if (o->text) {
        *o->text = value;
        return true;
    }
    long number = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || number < o->min || number > o->max) {
        fprintf(stderr, "%s: %s is %d to %d, not '%s'\n", program, o->name, o->min, o->max, value);
        return false;
    }
    *o->number = (int)number;
    return true;
}

static const option_entry *find(const option_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->list[i].name, name) == 0)
            return &table->list[i];
    return NULL;
}

int option_table_read(const option_table *table, int argc, char **argv, const char **plain, int max)
{
    int count = 0;

    for (int i = 1; i < argc; i++) {
        const option_entry *o = find(table, argv[i]);
        if (o && o->flag) {
            *o->flag = true;
        } else if (o) {
            if (!take_value(table->program, o, i + 1 < argc ? argv[i + 1] : NULL))
                return -1;
            i++;
        } else if (argv[i][0] == '-' || count == max) {
            fprintf(stderr, "%s: '%s' is %s%s%s; --help lists the options\n", table->program,
                    argv[i], argv[i][0] == '-' ? "no option" : "one ",
                    argv[i][0] == '-' ? "" : table->plain, argv[i][0] == '-' ? "" : " too many");
            return -1;
        } else {
            plain[count++] = argv[i];
        }
    }
    return count;
}
