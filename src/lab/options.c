/* SPDX-License-Identifier: MIT */
#include "lab/options.h"

#include "base/error.h"
#include "lab/suggest.h"
#include "lab/units.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static void clear_texts(char ***texts)
{
    for (size_t i = 0; *texts && (*texts)[i]; i++)
        free((*texts)[i]);
    free(*texts);
    *texts = NULL;
}

void lt_options_clear(const struct poptOption *table)
{
    for (const struct poptOption *o = table; o->longName || o->arg; o++) {
        const unsigned type = o->argInfo & POPT_ARG_MASK;
        if (type == POPT_ARG_INCLUDE_TABLE) {
            lt_options_clear(o->arg);
        } else if (type == POPT_ARG_ARGV) {
            clear_texts(o->arg);
        } else if (type == POPT_ARG_STRING && o->arg) {
            free(*(char **)o->arg);
            *(char **)o->arg = NULL;
        }
    }
}

/* ---- command lines ---- */

static livetcp_result no_memory(livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
}

static livetcp_result take_json(const lt_command_line *line, const char *value,
                                livetcp_error *error)
{
    char *file = strdup(value ? value : "-");
    if (!file)
        return no_memory(error);
    free(*line->json);
    *line->json = file;
    return LIVETCP_OK;
}

/* Reads options until an error, the end, or an option that ends the line; *code is popt's last
 * result. */
static livetcp_result take_options(const lt_command_line *line, poptContext context, int *code,
                                   livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    while (result == LIVETCP_OK && (*code = poptGetNextOpt(context)) >= 0 &&
           *code != LT_OPTION_CODE_LAST) {
        char *value = poptGetOptArg(context);
        if (*code == LT_OPTION_CODE_JSON)
            result = take_json(line, value, error);
        else if (*code > 0)
            result = line->take(line->user, *code, value, error);
        free(value);
    }
    return result;
}

static livetcp_result keep_arguments(poptContext context, const char ***out, livetcp_error *error)
{
    const char **found = poptGetArgs(context);
    int count = 0;
    *out = NULL;
    while (found && found[count])
        count++;
    if (count && poptDupArgv(count, found, NULL, out))
        return no_memory(error);
    return LIVETCP_OK;
}

static void offer_names(const struct poptOption *table, lt_suggestion *suggestion)
{
    for (const struct poptOption *o = table; o->longName || o->arg; o++) {
        if ((o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
            offer_names(o->arg, suggestion);
        else if (o->longName)
            lt_suggestion_offer(suggestion, o->longName);
    }
}

static livetcp_result refuse_option(const lt_command_line *line, const char *option, int code,
                                    livetcp_error *error)
{
    char word[48], text[80] = "";
    lt_suggestion suggestion;

    if (code == POPT_ERROR_BADOPT && !strncmp(option, "--", 2)) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(option + 2, "="), option + 2);
        lt_suggestion_start(&suggestion, word);
        offer_names(line->table, &suggestion);
        lt_suggestion_text(&suggestion, "--", text, sizeof text);
    }
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.100s: %s%s", option, poptStrerror(code),
                   text);
}

static livetcp_result read_context(const lt_command_line *line, poptContext context,
                                   const char ***arguments, livetcp_error *error)
{
    int code = 0;
    livetcp_result result = take_options(line, context, &code, error);

    if (result != LIVETCP_OK || code == LT_OPTION_CODE_LAST)
        return result;
    if (code < -1)
        return refuse_option(line, poptBadOption(context, 0), code, error);
    if (arguments)
        return keep_arguments(context, arguments, error);
    if (poptPeekArg(context))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "'%s' is not an option",
                       poptPeekArg(context));
    return LIVETCP_OK;
}

static bool needs_value(const struct poptOption *o)
{
    const unsigned type = o->argInfo & POPT_ARG_MASK;
    return type != POPT_ARG_NONE && type != POPT_ARG_VAL && !(o->argInfo & POPT_ARGFLAG_OPTIONAL);
}

/* True if the next word is the value of this one. */
static bool takes_next(const struct poptOption *table, const char *word)
{
    for (const struct poptOption *o = table; o->longName || o->arg; o++) {
        if ((o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE) {
            if (takes_next(o->arg, word))
                return true;
        } else if (!strncmp(word, "--", 2) ? o->longName && !strcmp(word + 2, o->longName)
                                           : o->shortName && o->shortName == word[1] && !word[2]) {
            return needs_value(o);
        }
    }
    return false;
}

/* Rewrites "--json -" as "--json=-", since popt takes a word that begins with '-' as the next
 * option, and "--json" alone as "--json=-" where the next word is an argument. */
static void join_json(const lt_command_line *line, const char **words, int *count)
{
    for (int i = 1; i + 1 < *count && strcmp(words[i], "--") != 0; i++) {
        if (words[i][0] != '-' && line->command_follows)
            return;
        if (!strcmp(words[i], "--json") && line->json_alone && strcmp(words[i + 1], "-") != 0)
            words[i] = "--json=-";
        else if (!strcmp(words[i], "--json") && !strcmp(words[i + 1], "-")) {
            words[i] = "--json=-";
            memmove(words + i + 1, words + i + 2, (size_t)(*count - i - 1) * sizeof *words);
            (*count)--;
        } else if (words[i][0] == '-' && takes_next(line->table, words[i])) {
            i++;
        }
    }
}

livetcp_result lt_command_line_read(const lt_command_line *line, int argc, const char **argv,
                                    const char ***arguments, livetcp_error *error)
{
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;
    const char **words = malloc(((size_t)argc + 1) * sizeof *words);
    poptContext context = NULL;

    if (arguments)
        *arguments = NULL;
    if (words) {
        memcpy(words, argv, (size_t)argc * sizeof *words);
        words[argc] = NULL;
        if (line->json)
            join_json(line, words, &argc);
        context = poptGetContext(line->command, argc, words, line->table,
                                 line->command_follows ? POPT_CONTEXT_POSIXMEHARDER : 0);
    }
    if (context)
        result = read_context(line, context, arguments, error);
    else
        result = no_memory(error);
    poptFreeContext(context);
    free(words);
    return result;
}

livetcp_result lt_command_line_help(const lt_command_line *line, FILE *out, livetcp_error *error)
{
    const char *argv[] = {line->command, NULL};
    poptContext context = poptGetContext(line->command, 1, argv, line->table, 0);

    if (!context)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the help");
    poptSetOtherOptionHelp(context, line->usage);
    poptPrintHelp(context, out, 0);
    poptFreeContext(context);
    return LIVETCP_OK;
}

/* ---- command lines of long tables ---- */

typedef struct words {
    int argc;
    const char **argv;
    const char ***arguments;
} words;

static livetcp_result read_built(const lt_command_line *line, void *user, livetcp_error *error)
{
    const words *w = user;
    return lt_command_line_read(line, w->argc, w->argv, w->arguments, error);
}

livetcp_result lt_built_line_read(lt_command_line_build *build, void *values, int argc,
                                  const char **argv, const char ***arguments, livetcp_error *error)
{
    return build(values, read_built, &(words){.argc = argc, .argv = argv, .arguments = arguments},
                 error);
}

static livetcp_result help_built(const lt_command_line *line, void *user, livetcp_error *error)
{
    return lt_command_line_help(line, user, error);
}

livetcp_result lt_built_line_help(lt_command_line_build *build, void *values, FILE *out,
                                  livetcp_error *error)
{
    return build(values, help_built, out, error);
}

static livetcp_result clear_built(const lt_command_line *line, void *user, livetcp_error *error)
{
    (void)user;
    (void)error;
    lt_options_clear(line->table);
    if (line->json) {
        free(*line->json);
        *line->json = NULL;
    }
    return LIVETCP_OK;
}

void lt_built_line_clear(lt_command_line_build *build, void *values)
{
    build(values, clear_built, NULL, NULL);
}

/* ---- values ---- */

livetcp_result lt_option_refuse(const char *option, const char *value, livetcp_error *error,
                                const char *expected, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, expected);
    vsnprintf(text, sizeof text, expected, arguments);
    va_end(arguments);
    const int max_text = *option ? 40 : 100; /* without a name, the value identifies the option */
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s%.*s: %s", option, max_text, value,
                   text);
}

livetcp_result lt_option_duration(const char *option, const char *text, livetcp_usec min,
                                  livetcp_usec *out, const char *expected, livetcp_error *error)
{
    livetcp_usec value;
    if (!text)
        return LIVETCP_OK;
    if (!lt_parse_duration(text, &value) || value < min)
        return lt_option_refuse(option, text, error, "%s", expected);
    *out = value;
    return LIVETCP_OK;
}

livetcp_result lt_option_share(const char *option, const char *text, lt_share_range range,
                               double *out, const char *expected, livetcp_error *error)
{
    double value;
    if (!text)
        return LIVETCP_OK;
    if (!lt_parse_share(text, &value) || value >= 1 || (range == LT_SHARE_INSIDE && value <= 0))
        return lt_option_refuse(option, text, error, "%s", expected);
    *out = value;
    return LIVETCP_OK;
}

livetcp_result lt_option_rate(const char *option, const char *text, size_t packet_bytes,
                              double *out, livetcp_error *error)
{
    char *end;
    uint64_t bits;
    if (!text)
        return LIVETCP_OK;
    double packets = strtod(text, &end);
    if (!strcmp(end, "pps") && packets > 0 && packets < 1e9)
        *out = packets * 8 * (double)packet_bytes;
    else if (lt_parse_rate(text, &bits) && bits)
        *out = (double)bits;
    else
        return lt_option_refuse(option, text, error,
                                "it is a rate such as 500kbit, 2mbit or 100pps");
    return LIVETCP_OK;
}

livetcp_result lt_option_number(const char *option, const char *text, double *out,
                                livetcp_error *error)
{
    if (text && !lt_parse_number(text, out))
        return lt_option_refuse(option, text, error, "a number is expected");
    return LIVETCP_OK;
}

livetcp_result lt_option_size(const char *option, const char *text, unsigned max, unsigned *out,
                              livetcp_error *error)
{
    double value;
    if (!text)
        return LIVETCP_OK;
    if (!lt_parse_number(text, &value) || value < 1 || value > max || value != floor(value))
        return lt_option_refuse(option, text, error, "1 to %u bytes", max);
    *out = (unsigned)value;
    return LIVETCP_OK;
}

livetcp_result lt_option_count(const char *option, int value, int min, int max, unsigned *out,
                               livetcp_error *error)
{
    if (value < min && max == INT_MAX)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s%d: at least %d", option, value,
                       min);
    if (value < min || value > max)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s%d: %d to %d are possible", option,
                       value, min, max);
    *out = (unsigned)value;
    return LIVETCP_OK;
}

static void time_text(livetcp_usec time, char *text, size_t size)
{
    if (time % LIVETCP_USEC_SEC)
        snprintf(text, size, "%gms", (double)time / LIVETCP_USEC_MSEC);
    else
        snprintf(text, size, "%gs", (double)time / LIVETCP_USEC_SEC);
}

livetcp_result lt_option_time(const char *option, const char *text, livetcp_usec unit,
                              livetcp_usec min, livetcp_usec max, livetcp_usec *out,
                              livetcp_error *error)
{
    livetcp_usec value = -1;
    double number;
    char min_text[32], max_text[32];

    if (!text)
        return LIVETCP_OK;
    if (lt_parse_number(text, &number) && number <= (double)max / (double)unit)
        value = llround(number * (double)unit);
    else if (!lt_parse_time(text, max, &value))
        value = -1;
    if (value < min) {
        time_text(min, min_text, sizeof min_text);
        time_text(max, max_text, sizeof max_text);
        return lt_option_refuse(option, text, error, "it is a time such as 20ms or 5s, %s to %s",
                                min_text, max_text);
    }
    *out = value;
    return LIVETCP_OK;
}

livetcp_result lt_option_choice(const char *option, const char *text, const char *const *names,
                                int *out, livetcp_error *error)
{
    char list[160];
    size_t used = 0;
    if (!text)
        return LIVETCP_OK;
    for (int i = 0; names[i]; i++) {
        if (!strcmp(text, names[i])) {
            *out = i;
            return LIVETCP_OK;
        }
        const char *separator = !i ? "" : names[i + 1] ? ", " : " or ";
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", separator, names[i]);
    }
    return lt_option_refuse(option, text, error, "it is %s", list);
}

livetcp_result lt_option_copy(const char *option, const char *text, char *out, size_t size,
                              const char *expected, livetcp_error *error)
{
    snprintf(out, size, "%s", text ? text : "");
    if (!text || (*text && strlen(text) < size))
        return LIVETCP_OK;
    if (expected)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: %s", option, expected);
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: 1 to %zu characters are possible",
                   option, size - 1);
}
