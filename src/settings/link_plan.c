/* SPDX-License-Identifier: MIT */
#include "settings/link_plan.h"

#include "base/error.h"
#include "base/text_list.h"

#include <stdlib.h>

#define WEIGHT_MAX 100

typedef struct counts {
    unsigned interfaces, addresses, networks, hosts, weights;
} counts;

/* Address family: 6 or 4 for an address, 0 for a name or an empty text. */
static int family_of(const char *host)
{
    if (strchr(host, ':'))
        return 6;
    return host[0] && !host[strspn(host, "0123456789.")] ? 4 : 0;
}

static livetcp_result fail_empty(const char *name, unsigned position, size_t size,
                                 livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "setting '%s': item %u of its list is empty or longer than %zu bytes", name,
                   position + 1, size - 1);
}

static livetcp_result count_items(const livetcp_config *config, counts *n, livetcp_error *error)
{
    n->interfaces = lt_text_list_count(config->interfaces);
    n->addresses = lt_text_list_count(config->local_address);
    n->networks = n->interfaces > n->addresses ? n->interfaces : n->addresses;
    n->networks = n->networks ? n->networks : 1;
    n->hosts = lt_text_list_count(config->host);
    n->hosts = n->hosts ? n->hosts : 1;
    n->weights = lt_text_list_count(config->link_weights);
    if (n->interfaces && n->addresses && n->interfaces != n->addresses)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "interface (%u items) and localaddress (%u) are both set, and not equally "
                       "long: give each interface its address, or set only one of them",
                       n->interfaces, n->addresses);
    return LIVETCP_OK;
}

static livetcp_result read_weights(const livetcp_config *config, const counts *n,
                                   unsigned weights[LIVETCP_MAX_LINKS], livetcp_error *error)
{
    bool by_network = n->networks > 1;
    unsigned wanted = by_network ? n->networks : n->hosts;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        weights[i] = 1;
    if (n->weights && n->weights != wanted)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "link-weight=%s has %u numbers, and there %s %u %s: it takes one for each",
                       config->link_weights, n->weights, wanted == 1 ? "is" : "are", wanted,
                       by_network    ? "networks"
                       : wanted == 1 ? "host"
                                     : "hosts");
    for (unsigned i = 0; i < n->weights && i < LIVETCP_MAX_LINKS; i++) {
        char text[8], *end = text;
        unsigned long weight = 0;
        if (lt_text_list_item(config->link_weights, i, text, sizeof text))
            weight = strtoul(text, &end, 10);
        if (*end || weight < 1 || weight > WEIGHT_MAX || text[0] < '0' || text[0] > '9')
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "link-weight=%s: item %u is not a number from 1 to %u",
                           config->link_weights, i + 1, WEIGHT_MAX);
        weights[i] = (unsigned)weight;
    }
    return LIVETCP_OK;
}

static livetcp_result read_link(const livetcp_config *config, const counts *n, unsigned network,
                                unsigned host, lt_planned_link *link, livetcp_error *error)
{
    if (n->interfaces &&
        !lt_text_list_item(config->interfaces, network, link->interface, sizeof link->interface))
        return fail_empty("interface", network, sizeof link->interface, error);
    if (n->addresses && !lt_text_list_item(config->local_address, network, link->local_address,
                                           sizeof link->local_address))
        return fail_empty("localaddress", network, sizeof link->local_address, error);
    if (config->host[0] && !lt_text_list_item(config->host, host, link->host, sizeof link->host))
        return fail_empty("host", host, sizeof link->host, error);
    return LIVETCP_OK;
}

/* A network that reaches no host, or a host that no network reaches, is an error. */
static livetcp_result check_reach(const livetcp_config *config, const counts *n, uint32_t networks,
                                  uint32_t hosts, livetcp_error *error)
{
    char item[256];

    for (unsigned i = 0; i < n->networks; i++)
        if (!(networks >> i & 1)) {
            (void)lt_text_list_item(config->local_address, i, item, sizeof item);
            return lt_fail(error, LIVETCP_ERR_ADDRESS_INVALID,
                           "localaddress=%s and %.120s are not both IPv4 or both IPv6", item,
                           config->host);
        }
    for (unsigned i = 0; i < n->hosts; i++)
        if (!(hosts >> i & 1)) {
            (void)lt_text_list_item(config->host, i, item, sizeof item);
            return lt_fail(error, LIVETCP_ERR_ADDRESS_INVALID,
                           "host %.120s is reached by no address of localaddress=%s: they are not "
                           "both IPv4 or both IPv6",
                           item, config->local_address);
        }
    return LIVETCP_OK;
}

livetcp_result lt_link_plan_read(lt_link_plan *plan, const livetcp_config *config,
                                 livetcp_error *error)
{
    unsigned weights[LIVETCP_MAX_LINKS];
    uint32_t networks = 0, hosts = 0;
    counts n;
    livetcp_result result = count_items(config, &n, error);

    plan->count = 0;
    if (result == LIVETCP_OK && n.networks * n.hosts > LIVETCP_MAX_LINKS)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                         "%u networks and %u hosts are more than %u links", n.networks, n.hosts,
                         LIVETCP_MAX_LINKS);
    if (result == LIVETCP_OK)
        result = read_weights(config, &n, weights, error);
    for (unsigned i = 0; result == LIVETCP_OK && i < n.networks * n.hosts; i++) {
        unsigned network = i % n.networks, host = i / n.networks;
        lt_planned_link link = {.weight = weights[n.networks > 1 ? network : host]};
        result = read_link(config, &n, network, host, &link, error);
        /* Through a proxy, the system connects to the proxy. */
        int local = family_of(link.local_address);
        int remote = config->proxy[0] ? 0 : family_of(link.host);
        if (result != LIVETCP_OK || (local && remote && local != remote))
            continue;
        networks |= UINT32_C(1) << network;
        hosts |= UINT32_C(1) << host;
        plan->links[plan->count++] = link;
    }
    return result == LIVETCP_OK ? check_reach(config, &n, networks, hosts, error) : result;
}
