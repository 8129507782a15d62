/* SPDX-License-Identifier: MIT */
#include "io/outage.h"

static void on_connected(void *owner, unsigned index, uv_os_sock_t socket, lt_tls_filter *filter,
                         const lt_address *peer)
{
    lt_io_outage_probe *probe = owner;

    (void)index;
    probe->connector = NULL;
    probe->outage->functions->on_answered(probe->outage->owner, probe->number, probe->link, socket,
                                          filter, peer);
}

static void on_failed(void *owner, unsigned index, const livetcp_error *error)
{
    lt_io_outage_probe *probe = owner;

    (void)index;
    probe->connector = NULL;
    probe->outage->functions->on_failed(probe->outage->owner, probe->number, error);
}

static const lt_address *known_peer(const void *owner, unsigned index)
{
    const lt_io_outage_probe *probe = owner;

    (void)index;
    return probe->outage->functions->known_peer(probe->outage->owner, probe->link);
}

static void hold(void *owner)
{
    const lt_io_outage *outage = ((lt_io_outage_probe *)owner)->outage;

    outage->functions->hold(outage->owner);
}

static void release(void *owner)
{
    const lt_io_outage *outage = ((lt_io_outage_probe *)owner)->outage;

    outage->functions->release(outage->owner);
}

static const lt_io_connector_owner connector_functions = {.on_connected = on_connected,
                                                          .on_failed = on_failed,
                                                          .known_peer = known_peer,
                                                          .hold = hold,
                                                          .release = release};

void lt_io_outage_init(lt_io_outage *outage, const lt_io_outage_owner *functions, void *owner)
{
    *outage = (lt_io_outage){.functions = functions, .owner = owner};
    for (unsigned i = 0; i < LIVETCP_MAX_OUTAGE_PROBES; i++) {
        outage->probes[i].number = i;
        outage->probes[i].outage = outage;
    }
}

bool lt_io_outage_begin(lt_io_outage *outage, const lt_io_outage_way *way, unsigned number,
                        unsigned link)
{
    lt_io_outage_probe *probe = &outage->probes[number];

    lt_io_connector_cancel(&probe->connector);
    probe->link = link;
    probe->connector = lt_io_connector_start(way->context, way->config, &way->links->items[link],
                                             way->proxy, way->index, &connector_functions, probe);
    return probe->connector != NULL;
}

void lt_io_outage_keep(lt_io_outage *outage, uint32_t probes)
{
    for (unsigned i = 0; i < LIVETCP_MAX_OUTAGE_PROBES; i++)
        if (!(probes >> i & 1))
            lt_io_connector_cancel(&outage->probes[i].connector);
}
