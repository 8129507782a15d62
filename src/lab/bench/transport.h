/* SPDX-License-Identifier: MIT */
/* A transport carries the flows of one scheme, seen from one end: n bidirectional packet channels.
 * The far end listens, the near end connects, and either may send. */
#ifndef LT_LAB_BENCH_TRANSPORT_H
#define LT_LAB_BENCH_TRANSPORT_H

#include "lab/bench/scheme.h"

/* Callbacks of a transport, on its thread, never two at a time. */
typedef struct lt_transport_user {
    void (*receive)(void *user, const uint8_t *packet, size_t size); /* a packet has come */
    void (*drained)(void *user, unsigned flow); /* the send queue is empty again */
    void (*bitrate)(void *user, unsigned flow, uint32_t bitrate); /* a new estimate, in bit/s */
    void (*key_wanted)(void *user, unsigned flow); /* the receiver lacks a reference picture */
    void *user;
} lt_transport_user;

typedef struct lt_transport_totals {
    uint64_t packets_sent;     /* accepted from the bench */
    uint64_t media_bytes;      /* of these, without framing and redundancy */
    uint64_t bytes_sent;       /* written to the kernel, everything included */
    uint64_t dropped;          /* accepted, and dropped at this end */
    uint64_t refused;          /* not accepted */
    uint64_t duplicates;       /* copies that the transport discarded on reception */
    uint64_t segments;         /* with data, retransmissions included; 0 = unknown to the library */
    uint64_t retransmitted;    /* of these, by TCP */
    uint64_t reconnects;       /* connections that were lost and replaced */
    livetcp_usec max_queue_us; /* longest wait of a packet in user space */
    char congestion_control[16]; /* in use on the first connection, or "" */
} lt_transport_totals;

typedef struct lt_transport lt_transport;

typedef struct lt_transport_ops {
    void (*destroy)(lt_transport *transport);
    livetcp_result (*listen)(lt_transport *transport, const char *address, uint16_t *ports,
                             livetcp_error *error);
    livetcp_result (*connect)(lt_transport *transport, unsigned flow, const char *address,
                              uint16_t port, livetcp_error *error);
    bool (*ready)(lt_transport *transport, unsigned flow, livetcp_error *error);
    livetcp_result (*send)(lt_transport *transport, unsigned flow, const uint8_t *packet,
                           size_t size, const livetcp_packet_info *info);
    bool (*writable)(lt_transport *transport, unsigned flow);
    void (*totals)(lt_transport *transport, lt_transport_totals *out);
} lt_transport_ops;

/* First member of every transport. */
struct lt_transport {
    const lt_transport_ops *ops;
    const lt_scheme *scheme;
    unsigned flows;
    lt_transport_user user;
};

/* `scheme` must outlive the transport; `user` is copied. On failure *transport is NULL. */
livetcp_result lt_transport_create(lt_transport **transport, const lt_scheme *scheme,
                                   unsigned flows, const lt_transport_user *user,
                                   livetcp_error *error);

/* Closes everything without waiting; clears *transport, which may already be NULL. */
void lt_transport_destroy(lt_transport **transport);

/* Far end: listens for one peer per flow, on ports[flow]. */
livetcp_result lt_transport_listen(lt_transport *transport, const char *address, uint16_t *ports,
                                   livetcp_error *error);

/* Near end: starts to connect a flow, once. */
livetcp_result lt_transport_connect(lt_transport *transport, unsigned flow, const char *address,
                                    uint16_t port, livetcp_error *error);

/* True when all connections of the flow are open. False with error->code set: one has failed for
 * good; with error->code 0: in progress. */
bool lt_transport_ready(lt_transport *transport, unsigned flow, livetcp_error *error);

/* Never blocks. */
livetcp_result lt_transport_send(lt_transport *transport, unsigned flow, const uint8_t *packet,
                                 size_t size, const livetcp_packet_info *info);

/* True if a greedy source should send another packet: none is queued in user space. This
 * corresponds to an application that writes until the socket blocks (Goel et al. 2.3). */
bool lt_transport_writable(lt_transport *transport, unsigned flow);

void lt_transport_get_totals(lt_transport *transport, lt_transport_totals *out);

/* One function per kind. */
livetcp_result lt_livetcp_transport_create(lt_transport **transport, unsigned flows,
                                           livetcp_error *error);
livetcp_result lt_socket_transport_create(lt_transport **transport, unsigned flows,
                                          livetcp_error *error);
livetcp_result lt_program_transport_create(lt_transport **transport, unsigned flows,
                                           livetcp_error *error);

#endif
