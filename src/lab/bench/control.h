/* SPDX-License-Identifier: MIT */
/* Synchronization of the coordinator and its processes: a message is one packet on a socket
 * pair. */
#ifndef LT_LAB_BENCH_CONTROL_H
#define LT_LAB_BENCH_CONTROL_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef enum lt_message_kind {
    LT_MESSAGE_LISTENING, /* far end: the ports are in shared memory */
    LT_MESSAGE_CONNECT,   /* to near ends: all far ends are listening */
    LT_MESSAGE_READY,     /* all connections are open */
    LT_MESSAGE_START,     /* to all: the run starts at `time` */
    LT_MESSAGE_SENT,      /* the last packet was sent, or there is none */
    LT_MESSAGE_REPORT,    /* to all: write your report */
    LT_MESSAGE_REPORTED,  /* it is written */
    LT_MESSAGE_END,       /* to all: exit */
    LT_MESSAGE_FAILED,    /* the reason is in the report */
} lt_message_kind;

typedef struct lt_message {
    lt_message_kind kind;
    livetcp_usec time;
} lt_message;

/* Both return false if the other process is gone. Receiving blocks. */
bool lt_control_send(int fd, lt_message_kind kind, livetcp_usec time);
bool lt_control_receive(int fd, lt_message *message);

/* Receives the next message; false if it is of another kind, or the sender is gone. */
bool lt_control_expect(int fd, lt_message_kind kind, livetcp_usec *time);

/* True if a message is pending, or the other process is gone. */
bool lt_control_pending(int fd);

#endif
