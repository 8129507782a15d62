/* SPDX-License-Identifier: MIT */
/*
 * Messages between a prober and its listener over one TCP connection. Every message begins with a
 * head of 40 bytes, in network byte order:
 *
 *     magic "LTPR" (4)  version (1)  type (1)  flags (2)  length of the message (4)  zero (4)
 *     a (8)  b (8)  c (8)
 *
 * and goes on with as many bytes without a meaning as its length says.
 *
 *     PING    prober: a = its clock                    the first message, and between trains
 *     PONG    listener: a = the ping's, b = its clock when that came, c = when this went
 *     PACKET  prober: a = number, b = its clock        flag SAMPLE: answer with a report
 *     REPORT  listener: a = the packet's number, b = its clock when the kernel had the packet's
 *             last byte, 0 if unknown, c = when the application had it
 *
 * Clocks are monotonic, in µs.
 */
#ifndef LT_LAB_PROBE_WIRE_H
#define LT_LAB_PROBE_WIRE_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

#define LT_WIRE_HEAD    40
#define LT_WIRE_MAX     16384 /* maximum size of a message */
#define LT_WIRE_VERSION 1
#define LT_WIRE_SAMPLE  1

typedef enum lt_wire_type {
    LT_WIRE_PING = 1,
    LT_WIRE_PONG = 2,
    LT_WIRE_PACKET = 3,
    LT_WIRE_REPORT = 4,
} lt_wire_type;

typedef struct lt_wire_message {
    lt_wire_type type;
    uint16_t flags;
    uint32_t length; /* including the head */
    uint64_t a, b, c;
} lt_wire_message;

void lt_wire_encode(const lt_wire_message *message, uint8_t head[LT_WIRE_HEAD]);

/* LIVETCP_ERR_PROTOCOL: not a prober; LIVETCP_ERR_VERSION: another version. The error's message
 * continues after "the peer ". */
livetcp_result lt_wire_decode(const uint8_t head[LT_WIRE_HEAD], lt_wire_message *message,
                              livetcp_error *error);

/* Splits the received bytes into messages. */
typedef struct lt_wire_reader {
    uint8_t head[LT_WIRE_HEAD];
    size_t have; /* bytes of the message so far */
    lt_wire_message message;
} lt_wire_reader;

/* Number of bytes to read next: at least 1, never beyond the message, so that their arrival time is
 * that of the message's end. They go to *where, or are discarded if that is NULL. */
size_t lt_wire_wants(lt_wire_reader *reader, uint8_t **where);

/* Adds `size` received bytes. *message is the message that they complete, or NULL; valid until the
 * next call. */
livetcp_result lt_wire_got(lt_wire_reader *reader, size_t size, const lt_wire_message **message,
                           livetcp_error *error);

#endif
