/* SPDX-License-Identifier: MIT */
/*
 * The opening of an accepted connection: from its first byte to plaintext of a known protocol. The
 * layers come in this order, and each of the first three may be missing:
 *
 *   PROXY header of a proxy in front  ->  TLS  ->  WebSocket  ->  RTP, or session messages
 *
 * Bytes in, steps out. Knows no socket, no loop and no session; the owner carries the steps out.
 */
#ifndef LT_IO_OPENING_H
#define LT_IO_OPENING_H

#include "base/ip.h"
#include "io/filter.h"
#include "io/held.h"
#include "io/tls.h"
#include "wire/client_hello.h"
#include "wire/first_bytes.h"

/* Maximum size that held() returns. */
#define LT_IO_OPENING_HELD_MAX LT_CLIENT_HELLO_MAX

typedef enum lt_io_opening_step {
    LT_IO_OPENING_MORE = 0, /* all input is consumed: wait for more */
    LT_IO_OPENING_PEER,     /* a proxy in front states the peer's address: peer(); continue with the
                               rest */
    LT_IO_OPENING_TURN,     /* TLS handshake wanted: call agree() when its turn comes */
    LT_IO_OPENING_FILTER,   /* the filter has a new layer, and the input */
    LT_IO_OPENING_PLAIN,    /* plain wire: RFC 4571 from here on */
    LT_IO_OPENING_SESSION,  /* session messages from here on */
    LT_IO_OPENING_FOREIGN,  /* for the server that shares the port: all bytes from the first one */
    LT_IO_OPENING_REFUSED,  /* wrong protocol: explain() */
    LT_IO_OPENING_FAILED    /* reason() */
} lt_io_opening_step;

/* The layer that the next input belongs to. */
typedef enum lt_io_opening_stage {
    LT_IO_OPENING_AT_HEADER = 0,  /* PROXY header of a proxy in front */
    LT_IO_OPENING_AT_FIRST_BYTES, /* first bytes of a protocol: from the socket or the filter */
    LT_IO_OPENING_AT_TURN,        /* no input: a ClientHello waits for its turn */
    LT_IO_OPENING_AT_TLS,         /* TLS handshake; everything after it is plaintext */
    LT_IO_OPENING_AT_UPGRADE,     /* head of an HTTP request that asks for a WebSocket */
    LT_IO_OPENING_AT_INSIDE,      /* plaintext of a filter that has just opened */
    LT_IO_OPENING_AT_END
} lt_io_opening_stage;

/* Reason of a refusal. */
typedef enum lt_io_opening_fault {
    LT_IO_OPENING_NO_HEADER = 0,
    LT_IO_OPENING_BAD_HEADER,
    LT_IO_OPENING_WRONG_END,
    LT_IO_OPENING_BROKEN_FILTER
} lt_io_opening_fault;

typedef struct lt_io_opening {
    const livetcp_config *config; /* the listener's */
    lt_io_tls *tls;               /* the listener's; NULL without TLS */
    lt_io_opening_stage stage;
    lt_ip ip;             /* of the peer: from the socket, or from a proxy in front */
    uint16_t port;        /* stated by a proxy in front */
    lt_io_held held;      /* input that is incomplete or waits for a turn */
    lt_io_filter *filter; /* TLS, WebSocket or both; NULL = none */
    lt_io_opening_fault fault;
    lt_peer_kind kind; /* detected protocol of a refused peer */
    livetcp_result reason;
} lt_io_opening;

/* `ip` is the address of the socket's peer. Config and TLS must outlive the opening. */
void lt_io_opening_init(lt_io_opening *opening, const livetcp_config *config, lt_io_tls *tls,
                        const lt_ip *ip);
void lt_io_opening_clear(lt_io_opening *opening);

/* Copies held input to the front of a buffer and returns its size. Append the next input and pass
 * both to receive(). */
size_t lt_io_opening_held(const lt_io_opening *opening, uint8_t *buffer);

/* Consumes input, of the socket or of the filter, up to the next step. Without input: the step that
 * needs none, if there is one. */
lt_io_opening_step lt_io_opening_receive(lt_io_opening *opening, const uint8_t **data,
                                         size_t *size);

/* Its turn has come: starts TLS. FILTER or FAILED. */
lt_io_opening_step lt_io_opening_agree(lt_io_opening *opening, const lt_io_log *log);

/* The filter has opened. True if receive() must be called to continue. */
bool lt_io_opening_opened(lt_io_opening *opening);

/* The filter has failed: FOREIGN, with its bytes, or REFUSED. */
lt_io_opening_step lt_io_opening_broken(lt_io_opening *opening, const uint8_t **data, size_t *size);

/* The peer was silent until the timeout: PLAIN, FOREIGN with its bytes, REFUSED or FAILED. */
lt_io_opening_step lt_io_opening_expire(lt_io_opening *opening, const uint8_t **data, size_t *size);

/* True while it waits for a turn: do not read. */
bool lt_io_opening_waits(const lt_io_opening *opening);

/* After PEER: the address stated by the proxy in front. */
const lt_ip *lt_io_opening_peer(const lt_io_opening *opening, uint16_t *port);

/* After REFUSED: an error text that begins with `who`, and the reason for a REJECT if the peer may
 * understand one, else LIVETCP_OK. */
livetcp_result lt_io_opening_explain(const lt_io_opening *opening, const char *who,
                                     livetcp_error *error);

/* After FAILED: the result. */
livetcp_result lt_io_opening_reason(const lt_io_opening *opening);

/* The filter or NULL; take_filter() transfers it to the caller. */
lt_io_filter *lt_io_opening_filter(const lt_io_opening *opening);
lt_io_filter *lt_io_opening_take_filter(lt_io_opening *opening);

#endif
