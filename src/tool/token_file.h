/* SPDX-License-Identifier: MIT */
/* The file of --tokens: whom listeners of the commands let in. */
#ifndef LT_TOOL_TOKEN_FILE_H
#define LT_TOOL_TOKEN_FILE_H

#include "admission/tokens.h"

#include <livetcp/session.h>

/* On success the caller owns *tokens. Messages name --tokens and the file. */
livetcp_result lt_token_file_read(const char *name, lt_tokens **tokens, livetcp_error *error);

/* Tokens come to this listener: LIVETCP_OK if its callers can send theirs under TLS or a
 * passphrase. */
livetcp_result lt_token_file_check(const livetcp_config *listener, livetcp_error *error);

/* As lt_tokens_judge(), now. */
unsigned lt_token_file_judge(const lt_tokens *tokens, const livetcp_caller *caller,
                             const char **why);

#endif
