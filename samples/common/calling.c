/* SPDX-License-Identifier: MIT */
#include "calling.h"

#include <stdio.h>
#include <string.h>

/* The other connections fail like the first, and all try again. */
void calling_failed(calling *c, const char *program, unsigned connection,
                    const livetcp_error *error)
{
    if (connection != 0 || !error || strcmp(c->said, error->message) == 0)
        return;
    snprintf(c->said, sizeof c->said, "%s", error->message);
    fprintf(stderr, "%s: %s; calling again\n", program, error->message);
}
