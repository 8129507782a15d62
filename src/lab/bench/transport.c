/* SPDX-License-Identifier: MIT */
#include "lab/bench/transport.h"

livetcp_result lt_transport_create(lt_transport **out, const lt_scheme *scheme, unsigned flows,
                                   const lt_transport_user *user, livetcp_error *error)
{
    static livetcp_result (*const create[])(lt_transport **, unsigned, livetcp_error *) = {
        [LT_TRANSPORT_LIVETCP] = lt_livetcp_transport_create,
        [LT_TRANSPORT_SOCKET] = lt_socket_transport_create,
        [LT_TRANSPORT_PROGRAM] = lt_program_transport_create,
    };
    livetcp_result result = create[scheme->kind](out, flows, error);
    if (result == LIVETCP_OK) {
        (*out)->scheme = scheme;
        (*out)->flows = flows;
        (*out)->user = *user;
    }
    return result;
}

void lt_transport_destroy(lt_transport **transport)
{
    if (*transport)
        (*transport)->ops->destroy(*transport);
    *transport = NULL;
}

livetcp_result lt_transport_listen(lt_transport *transport, const char *address, uint16_t *ports,
                                   livetcp_error *error)
{
    return transport->ops->listen(transport, address, ports, error);
}

livetcp_result lt_transport_connect(lt_transport *transport, unsigned flow, const char *address,
                                    uint16_t port, livetcp_error *error)
{
    return transport->ops->connect(transport, flow, address, port, error);
}

bool lt_transport_ready(lt_transport *transport, unsigned flow, livetcp_error *error)
{
    *error = (livetcp_error){.code = LIVETCP_OK};
    return transport->ops->ready(transport, flow, error);
}

livetcp_result lt_transport_send(lt_transport *transport, unsigned flow, const uint8_t *packet,
                                 size_t size, const livetcp_packet_info *info)
{
    return transport->ops->send(transport, flow, packet, size, info);
}

bool lt_transport_writable(lt_transport *transport, unsigned flow)
{
    return transport->ops->writable(transport, flow);
}

void lt_transport_get_totals(lt_transport *transport, lt_transport_totals *out)
{
    *out = (lt_transport_totals){0};
    transport->ops->totals(transport, out);
}
