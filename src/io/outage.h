/* SPDX-License-Identifier: MIT */
/* Outage probes: additional attempts to connect while a caller's connections deliver nothing. The
 * first success shows that the path works again. The engine decides when, see
 * livetcp_engine_next_outage_probe(). */
#ifndef LT_IO_OUTAGE_H
#define LT_IO_OUTAGE_H

#include "io/connector.h"

#include <livetcp/engine.h>

/* Called on the loop's thread, without the lock. */
typedef struct lt_io_outage_owner {
    /* Probe `number` is connected over `link`: the owner takes over socket and filter, as in
     * lt_io_connector_owner. */
    void (*on_answered)(void *owner, unsigned number, unsigned link, uv_os_sock_t socket,
                        lt_tls_filter *filter, const lt_address *peer);
    void (*on_failed)(void *owner, unsigned number, const livetcp_error *error);

    /* As in lt_io_connector_owner, for a connection over that link. */
    const lt_address *(*known_peer)(const void *owner, unsigned link);
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_outage_owner;

typedef struct lt_io_outage lt_io_outage;

typedef struct lt_io_outage_probe {
    lt_io_connector *connector; /* NULL = none in progress */
    unsigned number, link;
    lt_io_outage *outage;
} lt_io_outage_probe;

/* Embedded in its owner. */
struct lt_io_outage {
    const lt_io_outage_owner *functions;
    void *owner;
    lt_io_outage_probe probes[LIVETCP_MAX_OUTAGE_PROBES];
};

void lt_io_outage_init(lt_io_outage *outage, const lt_io_outage_owner *functions, void *owner);

/* Parameters of lt_io_connector_start(); `index` names the connection in messages. */
typedef struct lt_io_outage_way {
    livetcp_context *context;
    const livetcp_config *config;
    const lt_io_links *links;
    lt_io_proxy *proxy;
    unsigned index;
} lt_io_outage_way;

/* Starts probe `number` over a link, replacing an earlier one of that number. Makes no callback.
 * False if memory is out. */
bool lt_io_outage_begin(lt_io_outage *outage, const lt_io_outage_way *way, unsigned number,
                        unsigned link);

/* Ends all probes but these (bit i = probe i), without callbacks. */
void lt_io_outage_keep(lt_io_outage *outage, uint32_t probes);

#endif
