/* SPDX-License-Identifier: MIT */
/*
 * Receipts: how many packets have come on each connection, by its number. What ends TCP on the way,
 * a proxy or a tunnel, acknowledges what it then may lose, and the peer learns that from receipts
 * only. The last one of a connection that has ended is repeated until the peer answers it.
 */
#ifndef LT_ENGINE_REPORTS_RECEIPTS_H
#define LT_ENGINE_REPORTS_RECEIPTS_H

#include "wire/control.h"

#include <livetcp/engine.h>

/* A last receipt is sent so often at most, and so long after the one before. */
#define LT_RECEIPT_TRIES    5
#define LT_RECEIPT_AGAIN_US (300 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Last receipts without an answer; over this, the oldest is forgotten. */
#define LT_RECEIPT_ENDED LIVETCP_MAX_CONNECTIONS

typedef struct lt_receipts_ended {
    lt_receipt receipt;
    bool waiting;   /* for the answer; false = the place is free */
    unsigned tries; /* left */
    livetcp_usec due_us;
} lt_receipts_ended;

typedef struct lt_receipts {
    uint32_t numbers[LIVETCP_MAX_CONNECTIONS]; /* by slot; 0 = none */
    uint64_t packets[LIVETCP_MAX_CONNECTIONS]; /* that came, */
    uint64_t told[LIVETCP_MAX_CONNECTIONS];    /*   and those in the last receipt */
    bool stopped;
    unsigned from; /* slot whose receipt is the next */
    lt_receipts_ended ended[LT_RECEIPT_ENDED];
    unsigned next;        /* place in `ended` */
    uint64_t lost, again; /* packets, as the peer has answered */
} lt_receipts;

void lt_receipts_init(lt_receipts *receipts);

/* Another peer from here on. */
void lt_receipts_forget_peer(lt_receipts *receipts);

/* The session is closing: no more receipts. */
void lt_receipts_stop(lt_receipts *receipts);

/* The slot's connection has that number; again is fine. */
void lt_receipts_on_number(lt_receipts *receipts, unsigned slot, uint32_t number);

/* So many packets have come on it. */
void lt_receipts_on_packets(lt_receipts *receipts, unsigned slot, uint64_t packets);

/* The slot's connection has ended, after so many packets. */
void lt_receipts_on_ended(lt_receipts *receipts, unsigned slot, uint64_t packets, livetcp_usec now);

/* The peer has answered a last receipt. Answers that nobody waits for are ignored. */
void lt_receipts_on_answer(lt_receipts *receipts, const lt_resent *answer);

livetcp_usec lt_receipts_deadline(const lt_receipts *receipts);

/* Receipts of open connections where packets have come since the last one, in turn: how many. */
uint8_t lt_receipts_fill(lt_receipts *receipts, lt_receipt out[LT_RECEPTION_RECEIPTS]);

/* The next last receipt that is due; false if there is none. */
bool lt_receipts_next(lt_receipts *receipts, lt_receipt *receipt, livetcp_usec now);

#endif
