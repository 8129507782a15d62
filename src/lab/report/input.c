/* SPDX-License-Identifier: MIT */
#include "lab/report/input.h"

#include "base/error.h"
#include "lab/report/raw.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Schemas that the page can display; page/report/main.js has the same list. */
static const char *const schemas[] = {
    "livetcp/bench/1",        "livetcp/doctor/1",        "livetcp/model-delay/1",
    "livetcp/model-region/1", "livetcp/model-startup/1", "livetcp/papers/1",
    "livetcp/probe/1",
};

static bool is_known(const char *schema)
{
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        if (!strcmp(schema, schemas[i]))
            return true;
    return false;
}

static json_t *read_json(FILE *in, const char *path, livetcp_error *error)
{
    json_error_t why;
    json_t *document = json_loadf(in, 0, &why);
    if (!document) {
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.150s:%d: %.80s", path, why.line, why.text);
        return NULL;
    }
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (schema && is_known(schema))
        return document;
    if (schema)
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                "%.120s: its schema is '%.60s', which this version does not know", path, schema);
    else
        lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "%.120s: JSON without a \"schema\" of livetcp; bench, probe, model and doctor write "
            "one with --json",
            path);
    json_decref(document);
    return NULL;
}

/* Peeks at the first character that is not a space; EOF if there is none. */
static int first_of(FILE *in)
{
    int c;
    do
        c = getc(in);
    while (c != EOF && isspace(c));
    if (c != EOF)
        ungetc(c, in);
    return c;
}

json_t *lt_report_read(const char *path, livetcp_error *error)
{
    json_t *document = NULL;
    FILE *in = fopen(path, "re");
    if (!in) {
        lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %.150s", path);
        return NULL;
    }
    errno = 0;
    const int first = first_of(in);
    if (first == EOF && ferror(in))
        lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %.150s", path);
    else if (first == EOF)
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.150s: the file is empty", path);
    else if (first == '{' || first == '[')
        document = read_json(in, path, error);
    else
        document = lt_raw_read(in, path, error);
    fclose(in);
    return document;
}
