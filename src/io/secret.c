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

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static livetcp_result copy(const char *setting, const char *place, const char *text, char *secret,
                           size_t size, livetcp_error *error)
{
    size_t length = strcspn(text, "\r\n");

    if (length >= size)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s: the value of %.120s has more than %zu bytes", setting, place, size - 1);
    memcpy(secret, text, length);
    secret[length] = '\0';
    return LIVETCP_OK;
}

static livetcp_result read_file(const char *setting, const char *place, char *secret, size_t size,
                                livetcp_error *error)
{
    char line[4096];
    FILE *file = fopen(place + strlen(file_prefix), "r");
    bool done = file && fgets(line, sizeof line, file);
    int cause = errno;
    livetcp_result result;

    if (file)
        fclose(file);
    if (!file)
        return lt_fail_errno(error, LIVETCP_ERR_INVALID_ARGUMENT, cause, "%s: cannot read %.120s",
                             setting, place);
    if (!done)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: %.120s has no line of text",
                       setting, place);
    result = copy(setting, place, line, secret, size, error);
    OPENSSL_cleanse(line, sizeof line);
    return result;
}

livetcp_result lt_io_secret_read(const char *setting, const char *value, char *secret, size_t size,
                                 livetcp_error *error)
{
    const char *text;

    if (begins(value, file_prefix))
        return read_file(setting, value, secret, size, error);
    if (!begins(value, env_prefix))
        return copy(setting, "the setting", value, secret, size, error);
    text = getenv(value + strlen(env_prefix));
    if (!text)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s: there is no environment variable %.120s", setting,
                       value + strlen(env_prefix));
    return copy(setting, value, text, secret, size, error);
}
