/* SPDX-License-Identifier: MIT */
/* The file of --tokens: read at start, and again after each change. */
#ifndef LT_TOOL_TOKEN_FILE_H
#define LT_TOOL_TOKEN_FILE_H

#include "admission/tokens.h"

#include <livetcp/session.h>
#include <sys/types.h>
#include <time.h>

typedef struct lt_token_file {
    char *name; /* NULL = none */
    lt_tokens *tokens;
    ino_t inode; /* of the file at the last check */
    off_t size;
    struct timespec changed;
} lt_token_file;

/* Reads the file. On success it keeps a copy of the name until close. Errors, which show no
 * secrets: LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_token_file_open(lt_token_file *file, const char *name, livetcp_error *error);

/* No effect if it was never opened. */
void lt_token_file_close(lt_token_file *file);

typedef enum lt_token_file_news {
    LT_TOKEN_FILE_SAME,
    LT_TOKEN_FILE_CHANGED,
    LT_TOKEN_FILE_WRONG /* the previous tokens stay in use; *error is set once for each change */
} lt_token_file_news;

/* Reads the file again if it has changed, or if `anyway`. */
lt_token_file_news lt_token_file_look(lt_token_file *file, bool anyway, livetcp_error *error);

/* LIVETCP_OK if callers of this listener can send tokens safely: under TLS or a passphrase. */
livetcp_result lt_token_file_check(const livetcp_config *listener, livetcp_error *error);

/* As lt_tokens_check(), with the current time. */
unsigned lt_token_file_admit(const lt_token_file *file, const livetcp_caller *caller,
                             const char **why);

#endif
