/* SPDX-License-Identifier: MIT */
#include "tool/token_file.h"

#include "base/error.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define TOKENS_MAX (1024 * 1024)

/* Reads the whole file; NULL if it cannot be read or is too long. The caller wipes and frees it. */
static char *read_whole(const char *name, size_t *size, livetcp_error *error)
{
    FILE *file = fopen(name, "rb");
    char *text = file ? malloc(TOKENS_MAX) : NULL;

    *size = text ? fread(text, 1, TOKENS_MAX, file) : 0;
    if (!file || !text || ferror(file) || *size == TOKENS_MAX) {
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--tokens: cannot read %.120s: %s", name,
                *size == TOKENS_MAX ? "it has 1 MiB or more" : strerror(errno));
        if (text)
            OPENSSL_cleanse(text, *size);
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static livetcp_result read_tokens(const char *name, lt_tokens **tokens, livetcp_error *error)
{
    livetcp_result result;
    livetcp_error wrong;
    size_t size;
    char *text = read_whole(name, &size, error);

    if (!text)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    result = lt_tokens_read(text, size, tokens, &wrong);
    if (result != LIVETCP_OK)
        lt_fail(error, result, "--tokens %.100s: %s", name, wrong.message);
    OPENSSL_cleanse(text, size);
    free(text);
    return result;
}

/* Stores the file's identity and time; true if they have changed. */
static bool look(lt_token_file *file)
{
    lt_token_file now = *file;
    struct stat state;

    now.inode = 0;
    now.size = 0;
    now.changed = (struct timespec){0};
    if (stat(file->name, &state) == 0) {
        now.inode = state.st_ino;
        now.size = state.st_size;
        now.changed = state.st_mtim;
    }
    bool same = now.inode == file->inode && now.size == file->size &&
                now.changed.tv_sec == file->changed.tv_sec &&
                now.changed.tv_nsec == file->changed.tv_nsec;
    *file = now;
    return !same;
}

livetcp_result lt_token_file_open(lt_token_file *file, const char *name, livetcp_error *error)
{
    livetcp_result result;

    *file = (lt_token_file){.name = strdup(name)};
    if (!file->name)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for --tokens");
    look(file); /* before reading: a change during the read is seen next time */
    result = read_tokens(name, &file->tokens, error);
    if (result != LIVETCP_OK)
        lt_token_file_close(file);
    return result;
}

void lt_token_file_close(lt_token_file *file)
{
    lt_tokens_destroy(&file->tokens);
    free(file->name);
    *file = (lt_token_file){.name = NULL};
}

lt_token_file_news lt_token_file_look(lt_token_file *file, bool anyway, livetcp_error *error)
{
    lt_tokens *tokens = NULL;
    livetcp_error wrong;

    if (!file->name || (!look(file) && !anyway))
        return LT_TOKEN_FILE_SAME;
    if (read_tokens(file->name, &tokens, &wrong) != LIVETCP_OK) {
        lt_fail(error, wrong.code, "the tokens before stay in use: %.200s", wrong.message);
        return LT_TOKEN_FILE_WRONG;
    }
    lt_tokens_destroy(&file->tokens);
    file->tokens = tokens;
    return LT_TOKEN_FILE_CHANGED;
}

livetcp_result lt_token_file_check(const livetcp_config *listener, livetcp_error *error)
{
    if (listener->tls != LIVETCP_TLS_OFF || listener->passphrase[0])
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "--tokens: tokens come under TLS or a passphrase only: set tls-cert and "
                   "tls-key with tls=on, or passphrase");
}

unsigned lt_token_file_admit(const lt_token_file *file, const livetcp_caller *caller,
                             const char **why)
{
    const lt_tokens_claim claim = {caller->token, caller->stream_id, caller->role};

    return lt_tokens_check(file->tokens, &claim, (int64_t)time(NULL), why);
}
