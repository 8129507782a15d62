/* SPDX-License-Identifier: MIT */
/* Attempts to connect beside a caller's connections, while nothing gets through on those: the first
 * that succeeds shows that the path is back. The engine says when, see
 * livetcp_engine_next_outage_probe(). */
#ifndef LT_IO_OUTAGE_H
#define LT_IO_OUTAGE_H

#include "io/connector.h"

#include <livetcp/engine.h>

/* Called on the loop's thread, without the lock. */
typedef struct lt_io_outage_owner {
    /* Probe `number` is connected over `link`: socket and filter are the owner's now, as with
     * lt_io_connector_owner. */
    void (*on_answered)(void *owner, unsigned number, unsigned link, uv_os_sock_t socket,
                        lt_tls_filter *filter, const lt_address *peer);
    void (*on_failed)(void *owner, unsigned number, const livetcp_error *error);

    /* As of lt_io_connector_owner, for a connection over that link. */
    const lt_address *(*known_peer)(const void *owner, unsigned link);
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_outage_owner;

typedef struct lt_io_outage lt_io_outage;

typedef struct lt_io_outage_probe {
    lt_io_connector *connector; /* NULL = none is under way */
    unsigned number, link;
    lt_io_outage *outage;
} lt_io_outage_probe;

/* Part of its owner. */
struct lt_io_outage {
    const lt_io_outage_owner *functions;
    void *owner;
    lt_io_outage_probe probes[LIVETCP_MAX_OUTAGE_PROBES];
};

void lt_io_outage_init(lt_io_outage *outage, const lt_io_outage_owner *functions, void *owner);

/* For lt_io_connector_start(); `index` names the connection in messages. */
typedef struct lt_io_outage_way {
    livetcp_context *context;
    const livetcp_config *config;
    const lt_io_links *links;
    lt_io_proxy *proxy;
    unsigned index;
} lt_io_outage_way;

/* Begins probe `number` over a link, in place of an earlier one of that number. Calls nobody back.
 * False if memory is out. */
bool lt_io_outage_begin(lt_io_outage *outage, const lt_io_outage_way *way, unsigned number,
                        unsigned link);

/* Ends all but these (bit i = probe i), without calling back. */
void lt_io_outage_keep(lt_io_outage *outage, uint32_t probes);

#endif
