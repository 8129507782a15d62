/* SPDX-License-Identifier: MIT */
/*
 * Closing sockets so that the peer still reads what we wrote last. close() on a socket with unread
 * input makes the kernel send a reset, and a reset throws away what the peer has not read yet:
 * the tail of the media, the BYE, the REJECT that says why. So we end our direction, discard what
 * still comes, and close when the peer has ended its own, or after two seconds.
 */
#ifndef LT_IO_FAREWELL_H
#define LT_IO_FAREWELL_H

#include <livetcp/session.h>

#include <stdbool.h>
#include <sys/queue.h>
#include <uv.h>

typedef struct lt_farewell lt_farewell;

/* The sockets of a context that are on their way out. Loop's thread only. */
typedef struct lt_farewells {
    livetcp_context *context;
    TAILQ_HEAD(, lt_farewell) list; /* oldest first */
    unsigned count;
    bool ended;
} lt_farewells;

void lt_farewells_init(lt_farewells *farewells, livetcp_context *context);

/* Takes over the socket, which no handle of the loop may watch any more. */
void lt_farewell_start(lt_farewells *farewells, int socket);

/* Closes all of them at once, and those still to come. */
void lt_farewells_end(lt_farewells *farewells);

#endif
