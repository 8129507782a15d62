/* SPDX-License-Identifier: MIT */
#include "tool/rtpdump.h"

#include "base/bytes.h"
#include "base/error.h"
#include "lab/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define BAD LIVETCP_ERR_INVALID_ARGUMENT

static const char magic[] = "#!rtpplay1.0 ";

enum {
    MAGIC_SIZE = sizeof magic - 1,
    LINE_MAX_SIZE = 256, /* maximum size of the first line */
    FILE_HEADER = 16,
    PACKET_HEADER = 8,
    BUFFER = 1 << 17, /* a packet of maximum length with its header */
    WAIT_MS = 50,
};

/* ---- reading ---- */

struct lt_dump_reader {
    int fd;
    char name[200];
    lt_dump_format format;
    bool (*stopped)(void *user);
    void *user;
    uint64_t packets;
    bool ended; /* end of input */
    size_t start, end;
    uint8_t buffer[BUFFER];
};

static livetcp_result broken(const lt_dump_reader *r, livetcp_error *error, const char *what)
{
    return lt_fail(error, BAD, "%s: packet %llu %s", r->name, (unsigned long long)r->packets + 1,
                   what);
}

/* Reads until `size` bytes are buffered, or the end of input. */
static livetcp_result fill(lt_dump_reader *r, size_t size, livetcp_error *error)
{
    if (r->start && r->start + size > BUFFER) {
        memmove(r->buffer, r->buffer + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
    }
    while (!r->ended && r->end - r->start < size) {
        struct pollfd wait = {.fd = r->fd, .events = POLLIN};
        if (r->stopped(r->user)) {
            r->ended = true;
            r->start = r->end; /* an incomplete packet at the end is dropped */
            break;
        }
        if (poll(&wait, 1, WAIT_MS) <= 0)
            continue;
        ssize_t got = read(r->fd, r->buffer + r->end, BUFFER - r->end);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %s", r->name);
        if (got == 0)
            r->ended = true;
        if (got > 0)
            r->end += (size_t)got;
    }
    return LIVETCP_OK;
}

static size_t available(const lt_dump_reader *r)
{
    return r->end - r->start;
}

static livetcp_result read_header(lt_dump_reader *r, livetcp_error *error)
{
    const uint8_t *line;
    livetcp_result result = fill(r, MAGIC_SIZE, error);

    r->format = LT_DUMP_FRAMES;
    if (result != LIVETCP_OK || available(r) < MAGIC_SIZE ||
        memcmp(r->buffer + r->start, magic, MAGIC_SIZE) != 0)
        return result;
    r->format = LT_DUMP_RTPDUMP;
    for (size_t size = MAGIC_SIZE; size <= LINE_MAX_SIZE; size++) {
        if ((result = fill(r, size, error)) || available(r) < size)
            break;
        line = r->buffer + r->start;
        if (line[size - 1] != '\n')
            continue;
        if ((result = fill(r, size + FILE_HEADER, error)) || available(r) < size + FILE_HEADER)
            break;
        r->start += size + FILE_HEADER;
        return LIVETCP_OK;
    }
    return result ? result
                  : lt_fail(error, BAD, "%s: it begins as an rtpdump, and its header is cut short",
                            r->name);
}

livetcp_result lt_dump_open(const char *path, bool (*stopped)(void *user), void *user,
                            lt_dump_reader **out, livetcp_error *error)
{
    const bool standard = !strcmp(path, "-");
    lt_dump_reader *r = malloc(sizeof *r);
    livetcp_result result;

    *out = NULL;
    if (!r)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for %s", path);
    memset(r, 0, offsetof(lt_dump_reader, buffer));
    snprintf(r->name, sizeof r->name, "%s", standard ? "standard input" : path);
    r->stopped = stopped;
    r->user = user;
    r->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0)
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot read %.150s", path);
    else
        result = read_header(r, error);
    *out = r;
    if (result != LIVETCP_OK)
        lt_dump_close(out);
    return result;
}

lt_dump_format lt_dump_reader_format(const lt_dump_reader *reader)
{
    return reader->format;
}

/* `header` bytes were read; `size` bytes of the packet follow. */
static livetcp_result take(lt_dump_reader *r, size_t header, size_t size, lt_dump_packet *packet,
                           livetcp_error *error)
{
    livetcp_result result = fill(r, header + size, error);

    if (result != LIVETCP_OK)
        return result;
    if (available(r) < header + size)
        return available(r) ? broken(r, error, "is cut short by the end of the file") : LIVETCP_OK;
    packet->data = r->buffer + r->start + header;
    packet->size = size;
    r->start += header + size;
    r->packets++;
    return LIVETCP_OK;
}

static livetcp_result next_of_rtpdump(lt_dump_reader *r, lt_dump_packet *packet,
                                      livetcp_error *error)
{
    const uint8_t *header = r->buffer + r->start;
    const size_t length = lt_read_be16(header), whole = lt_read_be16(header + 2);

    if (length < PACKET_HEADER)
        return broken(r, error, "has an impossible length: this is no rtpdump, or damaged");
    if (whole > length - PACKET_HEADER)
        return broken(r, error, "was recorded without all of its payload: record whole packets");
    packet->offset = (livetcp_usec)lt_read_be32(header + 4) * LIVETCP_USEC_MSEC;
    return take(r, PACKET_HEADER, length - PACKET_HEADER, packet, error);
}

livetcp_result lt_dump_next(lt_dump_reader *r, lt_dump_packet *packet, livetcp_error *error)
{
    const size_t header = r->format == LT_DUMP_RTPDUMP ? PACKET_HEADER : 2;
    livetcp_result result = LIVETCP_OK;

    *packet = (lt_dump_packet){.size = 0};
    do {
        if ((result = fill(r, header, error)) || available(r) == 0)
            return result;
        if (available(r) < header)
            return broken(r, error, "is cut short by the end of the file");
        if (r->format == LT_DUMP_RTPDUMP)
            result = next_of_rtpdump(r, packet, error);
        else
            result = take(r, header, lt_read_be16(r->buffer + r->start), packet, error);
    } while (result == LIVETCP_OK && !packet->size && !r->ended);
    return result;
}

void lt_dump_close(lt_dump_reader **reader)
{
    if (*reader && (*reader)->fd > STDIN_FILENO)
        close((*reader)->fd);
    free(*reader);
    *reader = NULL;
}

/* ---- writing ---- */

struct lt_dump_writer {
    FILE *out;
    char *path;
    lt_dump_format format;
    bool begun; /* the first packet has set the time origin */
    livetcp_usec first, last;
    unsigned too_long; /* number of packets */
};

static bool write_header(FILE *out)
{
    uint8_t header[FILE_HEADER] = {0};
    struct timeval now;

    gettimeofday(&now, NULL);
    lt_write_be32(header, (uint32_t)now.tv_sec);
    lt_write_be32(header + 4, (uint32_t)now.tv_usec);
    return fprintf(out, "%s0.0.0.0/0\n", magic) > 0 && fwrite(header, sizeof header, 1, out) == 1;
}

livetcp_result lt_dump_create(const char *path, lt_dump_format format, lt_dump_writer **out,
                              livetcp_error *error)
{
    lt_dump_writer *w = calloc(1, sizeof *w);

    *out = w;
    if (!w || !(w->path = strdup(path))) {
        free(w);
        *out = NULL;
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for %.100s", path);
    }
    w->format = format;
    w->out = lt_output_open(path, error);
    if (!w->out) {
        free(w->path);
        free(w);
        *out = NULL;
        return LIVETCP_ERR_SYSTEM;
    }
    if (format == LT_DUMP_RTPDUMP)
        (void)write_header(w->out); /* a failure is reported at the end */
    return LIVETCP_OK;
}

bool lt_dump_write(lt_dump_writer *w, const uint8_t *packet, size_t size, bool rtcp,
                   livetcp_usec now)
{
    uint8_t header[PACKET_HEADER];
    size_t length = 2;

    if (!w->begun)
        w->first = w->last = now;
    w->begun = true;
    if (now < w->last) /* packets are delivered in order: one from the reorder buffer may have
                          arrived before its predecessor */
        now = w->last;
    w->last = now;
    if (w->format == LT_DUMP_RTPDUMP) {
        length = PACKET_HEADER;
        if (size + length > UINT16_MAX)
            return w->too_long++, true; /* exceeds the format's length field */
        lt_write_be16(header, (uint16_t)(size + length));
        lt_write_be16(header + 2, rtcp ? 0 : (uint16_t)size);
        lt_write_be32(header + 4, (uint32_t)((now - w->first) / LIVETCP_USEC_MSEC));
    } else {
        lt_write_be16(header, (uint16_t)size);
    }
    return fwrite(header, length, 1, w->out) == 1 && fwrite(packet, size, 1, w->out) == 1 &&
           !ferror(w->out);
}

livetcp_result lt_dump_finish(lt_dump_writer **writer, livetcp_error *error)
{
    lt_dump_writer *w = *writer;
    livetcp_result result = LIVETCP_OK;

    *writer = NULL;
    if (!w)
        return result;
    if (w->too_long)
        result = lt_fail(error, LIVETCP_ERR_PACKET_TOO_LARGE,
                         "%.100s: %u packets were longer than rtpdump can hold: --format=frames",
                         w->path, w->too_long);
    result = lt_output_close(w->out, w->path, result, error);
    free(w->path);
    free(w);
    return result;
}
