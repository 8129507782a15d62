/* SPDX-License-Identifier: MIT */
/* Statistics of a session, for the statistics socket. */
#ifndef LT_IO_SESSION_STATS_H
#define LT_IO_SESSION_STATS_H

#include "io/context.h"

/* The session's lt_io_member.describe. */
void lt_io_session_describe(lt_io_member *member, struct json_t *document);

#endif
