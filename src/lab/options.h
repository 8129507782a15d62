/* SPDX-License-Identifier: MIT */
/* Command lines, on top of popt: tables of options, the values that options take, and their error
 * messages. */
#ifndef LT_LAB_OPTIONS_H
#define LT_LAB_OPTIONS_H

#include <livetcp/base.h>

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- tables ---- */

/* Codes of options that lt_command_line_read() handles itself; those for take() are positive and
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

/* Its value goes to take(), with this code. */
#define LT_OPTION_TAKEN(name, letter, code, help, unit)                                            \
    LT_OPTION_ENTRY(name, letter, POPT_ARG_STRING, NULL, code, help, unit)

/* --json[=FILE]; "-", standard output, without FILE. Its value goes to lt_command_line.json, which
 * lt_command_line_read() fills with a text that is the caller's to free. */
#define LT_OPTION_JSON(help)                                                                       \
    LT_OPTION_ENTRY("json", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, LT_OPTION_CODE_JSON, \
                    help, "FILE")

/* A section with a title in the help. */
#define LT_OPTION_SECTION(table, title)                                                            \
    LT_OPTION_ENTRY(NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, title, NULL)

/* Frees the texts that a table points to. */
void lt_options_clear(const struct poptOption *table);

/* ---- command lines ---- */

typedef struct lt_command_line {
    const char *command;            /* "livetcp bench" */
    const char *usage;              /* arguments after it: "[OPTION...] FILE..." */
    const struct poptOption *table; /* texts that it points to are the caller's to free */
    bool command_follows;           /* options behind the first argument are not ours */

    char **json;     /* for LT_OPTION_JSON; NULL where there is none */
    bool json_alone; /* the word after --json is never its FILE, which takes a "=" */

    /* Takes the value of an option with a code of its own; NULL where there is none. */
    livetcp_result (*take)(void *user, int code, const char *value, livetcp_error *error);
    void *user;
} lt_command_line;

/* Reads argv, without argv[0]. *arguments are the words that are not options, NULL-terminated, to
 * be freed by the caller as one block, or NULL when there are none; with arguments == NULL that is
 * an error.
 */
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
 * an error: "--size=" or "--size ". A text that is NULL was not given: *out is unchanged. */

/* "--size=5: ", then the valid values. */
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

/* A time with its unit, "20ms", from `min` to `max`. A plain number is taken, too, as of
 * `unit` (LIVETCP_USEC_SEC or LIVETCP_USEC_MSEC): command lines were written so before. */
livetcp_result lt_option_time(const char *option, const char *text, livetcp_usec unit,
                              livetcp_usec min, livetcp_usec max, livetcp_usec *out,
                              livetcp_error *error);

/* The position of `text` in `names`, which ends with NULL and has two names at least. */
livetcp_result lt_option_choice(const char *option, const char *text, const char *const *names,
                                int *out, livetcp_error *error);

/* Copies a text that is not empty and fits; out is "" when it was not given. `expected` is for the
 * error; NULL: the error gives the maximum length. `option` without a separator. */
livetcp_result lt_option_copy(const char *option, const char *text, char *out, size_t size,
                              const char *expected, livetcp_error *error);

#endif
