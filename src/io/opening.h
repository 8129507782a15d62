/* SPDX-License-Identifier: MIT */
/*
 * The opening of a connection that a listener has accepted: from its first byte to plaintext of a
 * known protocol. In this order, each of the first three may be missing:
 *
 *   PROXY header of a server in front  ->  TLS  ->  WebSocket  ->  RTP, or a session's messages
 *
 * Bytes in, steps out. Knows no socket, no loop and no session: what a step costs, its owner does.
 */
#ifndef LT_IO_OPENING_H
#define LT_IO_OPENING_H

#include "base/ip.h"
#include "io/filter.h"
#include "io/held.h"
#include "io/tls.h"
#include "wire/client_hello.h"
#include "wire/first_bytes.h"

/* Bytes that held() may return. */
#define LT_IO_OPENING_HELD_MAX LT_CLIENT_HELLO_MAX

typedef enum lt_io_opening_step {
    LT_IO_OPENING_MORE = 0, /* all is consumed: wait for more */
    LT_IO_OPENING_PEER,     /* a server in front says whose it is: peer(); go on with the rest */
    LT_IO_OPENING_TURN,     /* TLS with us is asked for: agree(), once that is its turn */
    LT_IO_OPENING_FILTER,   /* there is another layer in the filter, which has the input */
    LT_IO_OPENING_PLAIN,    /* from here on RFC 4571 and nothing else */
    LT_IO_OPENING_SESSION,  /* from here on messages of a session */
    LT_IO_OPENING_FOREIGN,  /* this is for the server that shares the port, all from its first byte
                             */
    LT_IO_OPENING_REFUSED,  /* it has no business here: explain() */
    LT_IO_OPENING_FAILED    /* reason() */
} lt_io_opening_step;

/* Its next input. */
typedef enum lt_io_opening_stage {
    LT_IO_OPENING_AT_HEADER = 0,  /* the PROXY header of a proxy in front */
    LT_IO_OPENING_AT_FIRST_BYTES, /* of a protocol: of the socket, or of what the filter gives */
    LT_IO_OPENING_AT_TURN,        /* none: a ClientHello for us waits for its turn */
    LT_IO_OPENING_AT_TLS,         /* agreement on keys; all that follows is plaintext */
    LT_IO_OPENING_AT_UPGRADE,     /* the head of an HTTP request, which asks for a WebSocket */
    LT_IO_OPENING_AT_INSIDE,      /* what the filter gives, which has just opened */
    LT_IO_OPENING_AT_END
} lt_io_opening_stage;

/* Why it was refused. */
typedef enum lt_io_opening_fault {
    LT_IO_OPENING_NO_HEADER = 0,
    LT_IO_OPENING_BAD_HEADER,
    LT_IO_OPENING_WRONG_END,
    LT_IO_OPENING_BROKEN_FILTER
} lt_io_opening_fault;

typedef struct lt_io_opening {
    const livetcp_config *config; /* the listener's */
    lt_io_tls *tls;               /* the same; NULL without TLS */
    lt_io_opening_stage stage;
    lt_ip ip;             /* of the socket's peer, or of who a server in front says it is */
    uint16_t port;        /* of the latter */
    lt_io_held held;      /* input that does not tell yet, or waits for its turn */
    lt_io_filter *filter; /* TLS, a WebSocket, or both; NULL without */
    lt_io_opening_fault fault;
    lt_peer_kind kind; /* the protocol of a wrong end */
    livetcp_result reason;
} lt_io_opening;

/* `ip` is the socket's peer. Config and TLS live as long as the opening. */
void lt_io_opening_init(lt_io_opening *opening, const livetcp_config *config, lt_io_tls *tls,
                        const lt_ip *ip);
void lt_io_opening_clear(lt_io_opening *opening);

/* Copies what came before, and did not tell, to the front of a buffer: its size. What comes next is
 * to be put behind it, and given to receive() with it. */
size_t lt_io_opening_held(const lt_io_opening *opening, uint8_t *buffer);

/* Takes input, of the socket or of what the filter gives, up to the next step. Without input: what
 * follows from that there is nothing to wait for. */
lt_io_opening_step lt_io_opening_receive(lt_io_opening *opening, const uint8_t **data,
                                         size_t *size);

/* Its turn has come: FILTER, or FAILED. */
lt_io_opening_step lt_io_opening_agree(lt_io_opening *opening, const lt_io_log *log);

/* The filter has opened: true if that leads on, by receive(). */
bool lt_io_opening_opened(lt_io_opening *opening);

/* The filter has failed: FOREIGN, with its bytes, or REFUSED. */
lt_io_opening_step lt_io_opening_broken(lt_io_opening *opening, const uint8_t **data, size_t *size);

/* The peer was silent for too long: PLAIN, FOREIGN with its bytes, REFUSED or FAILED. */
lt_io_opening_step lt_io_opening_expire(lt_io_opening *opening, const uint8_t **data, size_t *size);

/* The opening waits for its turn: nothing is to be read. */
bool lt_io_opening_waits(const lt_io_opening *opening);

/* After PEER. */
const lt_ip *lt_io_opening_peer(const lt_io_opening *opening, uint16_t *port);

/* After REFUSED: an error text that begins with `who`, and what a REJECT says to a peer that may
 * understand one, else LIVETCP_OK. */
livetcp_result lt_io_opening_explain(const lt_io_opening *opening, const char *who,
                                     livetcp_error *error);

/* After FAILED. */
livetcp_result lt_io_opening_reason(const lt_io_opening *opening);

/* The opening's, or NULL; after take_filter() the caller's. */
lt_io_filter *lt_io_opening_filter(const lt_io_opening *opening);
lt_io_filter *lt_io_opening_take_filter(lt_io_opening *opening);

#endif
