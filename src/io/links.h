/* SPDX-License-Identifier: MIT */
/* A caller's links: local interface and address, and remote host, of each connection. */
#ifndef LT_IO_LINKS_H
#define LT_IO_LINKS_H

#include "platform/address.h"
#include "settings/link_plan.h"

typedef struct lt_io_link {
    lt_planned_link planned;
    lt_address local;
    bool has_local;
    bool named;   /* bound to an interface or a local address, which may vanish */
    bool present; /* loop's thread: this host has the interface and address */
} lt_io_link;

typedef struct lt_io_links {
    unsigned count;
    lt_io_link items[LIVETCP_MAX_LINKS];
} lt_io_links;

/* Rejects a config with interfaces or addresses that this host lacks or may not use. Errors:
 * LIVETCP_ERR_ADDRESS_INVALID, LIVETCP_ERR_PERMISSION, LIVETCP_ERR_NOT_SUPPORTED, and those of
 * lt_link_plan_read(). */
livetcp_result lt_io_links_check(const livetcp_config *config, livetcp_error *error);

/* The links of a checked config; NULL if memory is out. Free with free(). */
lt_io_links *lt_io_links_create(const livetcp_config *config);

/* Index of a connection's link. */
static inline unsigned lt_io_links_of(const lt_io_links *links, unsigned connection)
{
    return connection % links->count;
}

/* Text of the link's network: "wlan0", "wlan0 (192.0.2.7)", "192.0.2.7", or "". */
void lt_io_link_network(const lt_io_link *link, char *text, size_t size);

/* True if this host has the link's interface and address now. */
bool lt_io_link_is_present(const lt_io_link *link);

#endif
