/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdlib.h>
#include <string.h>

void tv_options_print(const tv_options *options, FILE *out)
{
    for (size_t i = 0; i < options->count; i++) {
        const tv_option *o = &options->list[i];
        fprintf(out, "  %s %-*s  %s\n", o->name, 20 - (int)strlen(o->name),
                o->value ? o->value : "", o->help);
    }
}

static bool take_value(const char *program, const tv_option *o, const char *value)
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

static const tv_option *find(const tv_options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->list[i].name, name) == 0)
            return &options->list[i];
    return NULL;
}

int tv_options_read(const tv_options *options, int argc, char **argv, const char **plain, int most)
{
    int count = 0;

    for (int i = 1; i < argc; i++) {
        const tv_option *o = find(options, argv[i]);
        if (o && o->flag) {
            *o->flag = true;
        } else if (o) {
            if (!take_value(options->program, o, i + 1 < argc ? argv[i + 1] : NULL))
                return -1;
            i++;
        } else if (argv[i][0] == '-' || count == most) {
            fprintf(stderr, "%s: '%s' is %s; --help lists the options\n", options->program, argv[i],
                    argv[i][0] == '-' ? "no option" : "one argument too many");
            return -1;
        } else {
            plain[count++] = argv[i];
        }
    }
    return count;
}
