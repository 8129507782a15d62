/* SPDX-License-Identifier: MIT */
/*
 * Time until a session's connections are open and the first bytes have arrived: the
 * short-connection model of Zhang, Wang and Keshav, "The Implication of Network Performance on
 * Service Quality" (1999), section 3.5, and Cardwell's, their model C (3.4.1).
 *
 * Part of liblivetcp-model. Pure functions; any thread.
 */
#ifndef LIVETCP_STARTUP_MODEL_H
#define LIVETCP_STARTUP_MODEL_H

#include <livetcp/base.h>
#include <livetcp/tcp_stack.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Path, bytes and connections. */
typedef struct livetcp_startup_config {
    size_t struct_size;   /* set by livetcp_startup_config_init() */
    livetcp_usec rtt_us;  /* 1 us to 100 s */
    double loss;          /* of segments, 0 <= loss < 1 */
    double loss_back;     /* of acknowledgements; -1 = the same */
    double bytes;         /* delivered by the session, 0 to 10000 segments per connection */
    unsigned mss_bytes;   /* 1..65535 */
    unsigned connections; /* opened at the same time, sharing the bytes equally, 1..64 */
    livetcp_tcp_constants constants;
    const livetcp_tcp_stack *stack; /* NULL = that of `constants`. Read during the call only */
} livetcp_startup_config;

/* 3000 bytes on one connection, RTT 100 ms, 1 % loss each way, MSS 1448. The macro passes the
 * caller's size; the function of that name is for programs built with 0.1. */
LIVETCP_API void livetcp_startup_config_init(livetcp_startup_config *config,
                                             livetcp_tcp_constants constants);
LIVETCP_API void livetcp_startup_config_init_sized(livetcp_startup_config *config, size_t size,
                                                   livetcp_tcp_constants constants);
#define livetcp_startup_config_init(config, constants)                                             \
    livetcp_startup_config_init_sized((config), sizeof *(config), (constants))

/* Expected times in microseconds. */
typedef struct livetcp_startup_parts {
    double handshake_us; /* until both ends may send */
    double timeout_us;   /* retransmission timeouts during the transfer */
    double transfer_us;  /* transfer in slow start */
    double total_us;
} livetcp_startup_parts;

/* A solved model. */
typedef struct livetcp_startup_model livetcp_startup_model;

/* On success the caller owns *model; on failure it is NULL. LIVETCP_ERR_INVALID_ARGUMENT names the
 * field that is out of range. */
LIVETCP_API livetcp_result livetcp_startup_model_solve(const livetcp_startup_config *config,
                                                       livetcp_startup_model **model,
                                                       livetcp_error *error);

/* Frees the model and clears *model, which may be NULL. */
LIVETCP_API void livetcp_startup_model_destroy(livetcp_startup_model **model);

/* One connection with its share of the bytes, by the model of Zhang et al. */
LIVETCP_API livetcp_startup_parts livetcp_startup_zhang(const livetcp_startup_model *model);

/* The same by Cardwell's model, with the timeout of a steady path in place of the measured one. */
LIVETCP_API livetcp_startup_parts livetcp_startup_cardwell(const livetcp_startup_model *model);

/* Event of a session's start. */
typedef enum livetcp_startup_event {
    LIVETCP_STARTUP_FIRST_READY = 0, /* the first connection may send: SYN-ACK received */
    LIVETCP_STARTUP_ALL_READY = 1,   /* every connection may send */
    LIVETCP_STARTUP_DELIVERED = 2,   /* all bytes on all connections have arrived */
    LIVETCP_STARTUP_ALL_OPEN = 3 /* LiveTCP's handshake is complete, too: every connection of the
                                    session is LIVETCP_CONNECTION_OPEN at the caller */
} livetcp_startup_event;

/* Expected time from the first SYN to the event, of the whole session; NaN for an unknown event. */
LIVETCP_API double livetcp_startup_mean_us(const livetcp_startup_model *model,
                                           livetcp_startup_event event);

/* The time that a share of `quantile` of the sessions does not exceed, 0 < quantile < 1. Infinite
 * beyond the ten minutes that the model covers; NaN for other quantiles and events. */
LIVETCP_API double livetcp_startup_quantile_us(const livetcp_startup_model *model,
                                               livetcp_startup_event event, double quantile);

#ifdef __cplusplus
}
#endif

#endif
