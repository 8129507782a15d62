/* SPDX-License-Identifier: MIT */
/* Watches the interfaces and addresses of this host: by rtnetlink on Linux, else by polling every
 * second. */
#ifndef LT_IO_LINK_WATCH_H
#define LT_IO_LINK_WATCH_H

#include "io/context.h"

typedef struct lt_io_link_watch lt_io_link_watch;

typedef struct lt_io_link_watch_owner {
    /* Loop's thread: interfaces or addresses may have changed. */
    void (*on_change)(void *owner);

    /* Reference the owner, and release it. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_link_watch_owner;

/* Loop's thread. NULL if memory is out. */
lt_io_link_watch *lt_io_link_watch_start(livetcp_context *context,
                                         const lt_io_link_watch_owner *functions, void *owner);

/* Loop's thread. No more callbacks; clears *watch, which may already be NULL. */
void lt_io_link_watch_stop(lt_io_link_watch **watch);

#endif
