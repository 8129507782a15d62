/* SPDX-License-Identifier: MIT */
/* Files of RTP packets: rtpdump, which rtptools, Wireshark and others read and write, and RFC 4571
 * frames (a 16-bit length before each packet), as from GStreamer's rtpstreampay. "-" is standard
 * input or output. */
#ifndef LT_TOOL_RTPDUMP_H
#define LT_TOOL_RTPDUMP_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lt_dump_format { LT_DUMP_RTPDUMP, LT_DUMP_FRAMES } lt_dump_format;

typedef struct lt_dump_reader lt_dump_reader;

typedef struct lt_dump_packet {
    const uint8_t *data; /* valid until the next call */
    size_t size;         /* 0 at the end */
    livetcp_usec offset; /* rtpdump: arrival after the first packet; frames: 0 */
} lt_dump_packet;

/* Detects the format by the first bytes. stopped() is polled while no input is available; true ends
 * the input. */
livetcp_result lt_dump_open(const char *path, bool (*stopped)(void *user), void *user,
                            lt_dump_reader **reader, livetcp_error *error);
lt_dump_format lt_dump_reader_format(const lt_dump_reader *reader);

/* The next RTP or RTCP packet. Malformed or truncated data is an error that names the packet. */
livetcp_result lt_dump_next(lt_dump_reader *reader, lt_dump_packet *packet, livetcp_error *error);
void lt_dump_close(lt_dump_reader **reader);

typedef struct lt_dump_writer lt_dump_writer;

livetcp_result lt_dump_create(const char *path, lt_dump_format format, lt_dump_writer **writer,
                              livetcp_error *error);

/* `now` may be of any clock. False after a write error; lt_dump_finish() has the reason. */
bool lt_dump_write(lt_dump_writer *writer, const uint8_t *packet, size_t size, bool rtcp,
                   livetcp_usec now);
livetcp_result lt_dump_finish(lt_dump_writer **writer, livetcp_error *error);

#endif
