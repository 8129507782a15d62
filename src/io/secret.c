/* SPDX-License-Identifier: MIT */
#include "io/secret.h"

#include "base/error.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file_prefix[] = "file:";
static const char env_prefix[] = "env:";

typedef struct secret_of {
    const char *setting;
    bool all; /* all lines, not only the first */
} secret_of;

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Copies the first line of a text, or all non-empty lines. False if they do not fit. */
static bool copy_lines(const char *text, bool all, char *secret, size_t size)
{
    size_t used = 0;

    do {
        size_t length = strcspn(text, "\r\n");
        if (used + length + 1 >= size + (used == 0))
            return false;
        if (length && used)
            secret[used++] = '\n';
        memcpy(secret + used, text, length);
        used += length;
        text += length + (text[length] != '\0');
    } while (all && *text);
    secret[used] = '\0';
    return true;
}

static livetcp_result copy(const secret_of *what, const char *place, const char *text, char *secret,
                           size_t size, livetcp_error *error)
{
    if (!copy_lines(text, what->all, secret, size))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s: the value of %.120s has more than %zu bytes", what->setting, place,
                       size - 1);
    return LIVETCP_OK;
}

static livetcp_result read_file(const secret_of *what, const char *place, char *secret, size_t size,
                                livetcp_error *error)
{
    char text[4096];
    FILE *file = fopen(place + strlen(file_prefix), "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    bool failed = !file || ferror(file);
    int cause = errno;
    livetcp_result result;

    if (file)
        fclose(file);
    if (failed)
        return lt_fail_errno(error, LIVETCP_ERR_INVALID_ARGUMENT, cause, "%s: cannot read %.120s",
                             what->setting, place);
    if (!length)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: %.120s has no line of text",
                       what->setting, place);
    text[length] = '\0';
    result = copy(what, place, text, secret, size, error);
    OPENSSL_cleanse(text, sizeof text);
    return result;
}

static livetcp_result read_value(const secret_of *what, const char *value, char *secret,
                                 size_t size, livetcp_error *error)
{
    const char *text;

    if (begins(value, file_prefix))
        return read_file(what, value, secret, size, error);
    if (!begins(value, env_prefix))
        return copy(what, "the setting", value, secret, size, error);
    text = getenv(value + strlen(env_prefix));
    if (!text)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s: there is no environment variable %.120s", what->setting,
                       value + strlen(env_prefix));
    return copy(what, value, text, secret, size, error);
}

livetcp_result lt_io_secret_read(const char *setting, const char *value, char *secret, size_t size,
                                 livetcp_error *error)
{
    return read_value(&(secret_of){setting, false}, value, secret, size, error);
}

livetcp_result lt_io_secret_read_lines(const char *setting, const char *value, char *lines,
                                       size_t size, livetcp_error *error)
{
    return read_value(&(secret_of){setting, true}, value, lines, size, error);
}
