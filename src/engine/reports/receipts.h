/* SPDX-License-Identifier: MIT */
/*
 * Receipts: the number of packets received on each connection, by its number. A device that
 * terminates TCP on the path, a proxy or tunnel, acknowledges data that it may then lose; the
 * sender learns that from receipts only. The last receipt of a connection that has ended is
 * repeated until the peer answers.
 */
#ifndef LT_ENGINE_REPORTS_RECEIPTS_H
#define LT_ENGINE_REPORTS_RECEIPTS_H

#include "wire/control.h"

#include <livetcp/engine.h>

/* Maximum number of transmissions of a last receipt, and the time between them. */
#define LT_RECEIPT_TRIES    5
#define LT_RECEIPT_AGAIN_US (300 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Last receipts without an answer; beyond the limit the oldest is dropped. */
#define LT_RECEIPT_ENDED LIVETCP_MAX_CONNECTIONS

typedef struct lt_receipts_ended {
    lt_receipt receipt;
    bool waiting;   /* for the answer; false = the entry is free */
    unsigned tries; /* that remain */
    livetcp_usec due_us;
} lt_receipts_ended;

typedef struct lt_receipts {
    uint32_t numbers[LIVETCP_MAX_CONNECTIONS];  /* by slot; 0 = no receipts */
    uint64_t packets[LIVETCP_MAX_CONNECTIONS];  /* received, */
    uint64_t reported[LIVETCP_MAX_CONNECTIONS]; /* and reported in the last receipt */
    bool stopped;
    unsigned from; /* slot of the next receipt */
    lt_receipts_ended ended[LT_RECEIPT_ENDED];
    unsigned next;        /* next entry of `ended` */
    uint64_t lost, again; /* packets lost and sent again, according to the peer */
} lt_receipts;

void lt_receipts_init(lt_receipts *receipts);

/* The peer is another one. */
void lt_receipts_forget_peer(lt_receipts *receipts);

/* The session is closing: no more receipts are sent. */
void lt_receipts_stop(lt_receipts *receipts);

/* The slot's connection has this number. May be repeated. */
void lt_receipts_on_number(lt_receipts *receipts, unsigned slot, uint32_t number);

/* `packets` packets were received on the slot's connection. */
void lt_receipts_on_packets(lt_receipts *receipts, unsigned slot, uint64_t packets);

/* The slot's connection has ended after `packets` packets. */
void lt_receipts_on_ended(lt_receipts *receipts, unsigned slot, uint64_t packets, livetcp_usec now);

/* The peer has answered a last receipt. Unexpected answers are ignored. */
void lt_receipts_on_answer(lt_receipts *receipts, const lt_resent *answer);

livetcp_usec lt_receipts_deadline(const lt_receipts *receipts);

/* Fills in receipts of open connections with packets since the last receipt, in turn. Returns their
 * number. */
uint8_t lt_receipts_fill(lt_receipts *receipts, lt_receipt out[LT_RECEPTION_RECEIPTS]);

/* The next last receipt that is due; false if there is none. */
bool lt_receipts_next(lt_receipts *receipts, lt_receipt *receipt, livetcp_usec now);

#endif
