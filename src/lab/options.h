/* SPDX-License-Identifier: MIT */
/* Command lines, by popt: tables of options, values of options, and error messages. */
#ifndef LT_LAB_OPTIONS_H
#define LT_LAB_OPTIONS_H

#include <livetcp/base.h>

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- tables ---- */

/* Option codes that lt_command_line_read() handles itself; those for take() are positive and
 * smaller. */
enum {
    LT_OPTION_CODE_JSON = 10000, /* --json[=FILE] */
    LT_OPTION_CODE_LAST,         /* later arguments are ignored, as after --help */
};

#define LT_OPTION_ENTRY(name, letter, type, where, code, help, unit)                               \
    {                                                                                              \
        name, letter, type, where, code, help, unit                                                \
    }
#define LT_OPTION_TEXT(name, where, help, unit)                                                    \
    LT_OPTION_ENTRY(name, 0, POPT_ARG_STRING, where, 0, help, unit)
#define LT_OPTION_TEXTS(name, where, help, unit)                                                   \
    LT_OPTION_ENTRY(name, 0, POPT_ARG_ARGV, where, 0, help, unit)
#define LT_OPTION_INTEGER(name, where, help, unit)                                                 \
    LT_OPTION_ENTRY(name, 0, POPT_ARG_INT, where, 0, help, unit)
#define LT_OPTION_LARGE_INTEGER(name, where, help, unit)                                           \
    LT_OPTION_ENTRY(name, 0, POPT_ARG_LONGLONG, where, 0, help, unit)
#define LT_OPTION_REAL(name, where, help, unit)                                                    \
    LT_OPTION_ENTRY(name, 0, POPT_ARG_DOUBLE, where, 0, help, unit)
#define LT_OPTION_FLAG(name, where, help)                                                          \
    LT_OPTION_ENTRY(name, 0, POPT_ARG_NONE, where, 0, help, NULL)

/* The value is passed to take(), with this code. */
#define LT_OPTION_TAKEN(name, letter, code, help, unit)                                            \
    LT_OPTION_ENTRY(name, letter, POPT_ARG_STRING, NULL, code, help, unit)

/* --json[=FILE]; without FILE "-", standard output. The value is stored in lt_command_line.json, a
 * text that the caller frees. */
#define LT_OPTION_JSON(help)                                                                       \
    LT_OPTION_ENTRY("json", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, LT_OPTION_CODE_JSON, \
                    help, "FILE")

/* A section with a title in the help. */
#define LT_OPTION_SECTION(table, title)                                                            \
    LT_OPTION_ENTRY(NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, title, NULL)

/* Frees the texts in a table's variables. */
void lt_options_clear(const struct poptOption *table);

/* ---- command lines ---- */

typedef struct lt_command_line {
    const char *command;            /* "livetcp bench" */
    const char *usage;              /* arguments after it: "[OPTION...] FILE..." */
    const struct poptOption *table; /* the caller frees texts that it points to */
    bool command_follows;           /* options after the first argument belong to a command */

    char **json;     /* of LT_OPTION_JSON; NULL = none */
    bool json_alone; /* --json takes a FILE only after "=" */

    /* Handles options with a code of their own; NULL = none. */
    livetcp_result (*take)(void *user, int code, const char *value, livetcp_error *error);
    void *user;
} lt_command_line;

/* Reads argv, without argv[0]. *arguments are the words that are no options, NULL-terminated, in
 * one block that the caller frees; NULL if there are none. With arguments == NULL such words are an
 * error. */
livetcp_result lt_command_line_read(const lt_command_line *line, int argc, const char **argv,
                                    const char ***arguments, livetcp_error *error);

/* Prints the usage and the options. */
livetcp_result lt_command_line_help(const lt_command_line *line, FILE *out, livetcp_error *error);

/* ---- command lines of long tables ----
 *
 * Their table points into a struct of the command's own, `values`, and is made in place: build()
 * makes the line, and calls use() with it. */

typedef livetcp_result lt_command_line_use(const lt_command_line *line, void *user,
                                           livetcp_error *error);
typedef livetcp_result lt_command_line_build(void *values, lt_command_line_use *use, void *user,
                                             livetcp_error *error);

/* lt_command_line_read(), lt_command_line_help() and lt_options_clear() of such a line. */
livetcp_result lt_built_line_read(lt_command_line_build *build, void *values, int argc,
                                  const char **argv, const char ***arguments, livetcp_error *error);
livetcp_result lt_built_line_help(lt_command_line_build *build, void *values, FILE *out,
                                  livetcp_error *error);
void lt_built_line_clear(lt_command_line_build *build, void *values);

/* ---- values ---- */

/* These check a value and store it in *out. `option` is its name as it stands before the value in
 * an error: "--size=" or "--size ". A NULL text means not given: *out is unchanged. */

/* Error: "--size=5: " and the valid values. */
livetcp_result lt_option_refuse(const char *option, const char *value, livetcp_error *error,
                                const char *expected, ...) __attribute__((format(printf, 4, 5)));

/* `expected` is for the error. */
livetcp_result lt_option_duration(const char *option, const char *text, livetcp_usec min,
                                  livetcp_usec *out, const char *expected, livetcp_error *error);

typedef enum lt_share_range {
    LT_SHARE_BELOW_1, /* 0 to less than 1 */
    LT_SHARE_INSIDE,  /* neither 0 nor 1 */
} lt_share_range;

livetcp_result lt_option_share(const char *option, const char *text, lt_share_range range,
                               double *out, const char *expected, livetcp_error *error);

/* Bit/s; "100pps" is packets of `packet_bytes`. */
livetcp_result lt_option_rate(const char *option, const char *text, size_t packet_bytes,
                              double *out, livetcp_error *error);

/* A plain number, 0 or more. */
livetcp_result lt_option_number(const char *option, const char *text, double *out,
                                livetcp_error *error);

/* A whole number of bytes, at least 1. */
livetcp_result lt_option_size(const char *option, const char *text, unsigned max, unsigned *out,
                              livetcp_error *error);

/* INT_MAX is no maximum. */
livetcp_result lt_option_count(const char *option, int value, int min, int max, unsigned *out,
                               livetcp_error *error);

/* A time with unit, "20ms", from `min` to `max`. A number without unit is in `unit`
 * (LIVETCP_USEC_SEC or LIVETCP_USEC_MSEC), for compatibility. */
livetcp_result lt_option_time(const char *option, const char *text, livetcp_usec unit,
                              livetcp_usec min, livetcp_usec max, livetcp_usec *out,
                              livetcp_error *error);

/* The index of `text` in `names`, which ends with NULL and has at least two names. */
livetcp_result lt_option_choice(const char *option, const char *text, const char *const *names,
                                int *out, livetcp_error *error);

/* Copies a non-empty text that fits; out is "" if it was not given. `expected` is for the error;
 * NULL: the error gives the maximum length. `option` is without a separator. */
livetcp_result lt_option_copy(const char *option, const char *text, char *out, size_t size,
                              const char *expected, livetcp_error *error);

#endif
