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
#define LT_WIRE_MOST    16384 /* bytes of a message */
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
    uint32_t length; /* with the head */
    uint64_t a, b, c;
} lt_wire_message;

void lt_wire_encode(const lt_wire_message *message, uint8_t head[LT_WIRE_HEAD]);

/* LIVETCP_ERR_PROTOCOL: this is no prober; LIVETCP_ERR_VERSION: it is one of another version. The
 * message of the error goes on after "the peer ". */
livetcp_result lt_wire_decode(const uint8_t head[LT_WIRE_HEAD], lt_wire_message *message,
                              livetcp_error *error);

/* A stream of messages, as it is read. */
typedef struct lt_wire_reader {
    uint8_t head[LT_WIRE_HEAD];
    size_t have; /* bytes of the message */
    lt_wire_message message;
} lt_wire_reader;

/* Number of bytes to read next, at least 1 and never beyond the message: their arrival time is that
 * of the end of the message. They go to *where, or anywhere if that is NULL. */
size_t lt_wire_wants(lt_wire_reader *reader, uint8_t **where);

/* `size` bytes of those came. *message points to the message that is complete with them, or is
 * NULL; it is valid until the next call. */
livetcp_result lt_wire_got(lt_wire_reader *reader, size_t size, const lt_wire_message **message,
                           livetcp_error *error);

#endif
