/* SPDX-License-Identifier: MIT */
/* livetcp receive: writes the RTP packets of a session to a file, or counts them. */
#include "tool/command.h"
#include "tool/rtpdump.h"
#include "tool/transfer.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
    "\nReceives RTP packets from livetcp://HOST:PORT, or from a caller of\n"
    "livetcp://:PORT?mode=listener, until the session ends. Writes them to FILE, \"-\" for "
    "standard\n"
    "output; without FILE it counts them. LiveTCP's own RTCP is left out.\n"
    "The query of the URI has settings (docs/reference/settings.md): ?order=sequence.\n"
    "Ctrl-C ends the command with a summary, a second one at once.\n\n"
    "Exit code: 0 when the peer, --duration or Ctrl-C ended it; 1 when there was no session, it\n"
    "was lost, or the file cannot be written; 2 when the command line is wrong.\n\n"
    "Examples:\n"
    "  livetcp receive livetcp://:5004?mode=listener              counts packets\n"
    "  livetcp receive 'livetcp://:5004?mode=listener&order=sequence' call.rtpdump\n"
    "  livetcp receive --format=frames livetcp://far:5004 - |\n"
    "      gst-launch-1.0 fdsrc ! application/x-rtp-stream,media=audio,clock-rate=8000,\\\n"
    "          encoding-name=PCMU ! rtpstreamdepay ! rtppcmudepay ! mulawdec ! autoaudiosink\n";

typedef struct receiver {
    lt_transfer transfer;
    lt_dump_writer *writer; /* used on the loop's thread during a session */
    bool failed;            /* the file cannot be written (the transfer's lock) */
} receiver;

/* A slow file or pipe blocks the loop; the backlog then reaches the sender. */
static void on_packet(const livetcp_packet *packet, void *user)
{
    receiver *r = user;

    if (packet->report || !r->writer)
        return;
    if (lt_dump_write(r->writer, packet->data, packet->size, packet->rtcp, packet->arrival_us))
        return;
    uv_mutex_lock(&r->transfer.lock);
    r->failed = true;
    uv_cond_broadcast(&r->transfer.changed);
    uv_mutex_unlock(&r->transfer.lock);
}

static bool has_failed(receiver *r)
{
    uv_mutex_lock(&r->transfer.lock);
    bool failed = r->failed;
    uv_mutex_unlock(&r->transfer.lock);
    return failed;
}

static int serve(receiver *r)
{
    if (lt_transfer_wait_open(&r->transfer))
        while (!lt_transfer_is_over(&r->transfer) && !has_failed(r))
            (void)lt_transfer_wait_until(&r->transfer, lt_transfer_now() + 20 * LIVETCP_USEC_MSEC);
    return lt_transfer_finish(&r->transfer);
}

static int run_taken(receiver *r, const char *file, lt_dump_format format)
{
    livetcp_error error = {.message = ""};
    int code = LT_EXIT_OK;

    if ((file && lt_dump_create(file, format, &r->writer, &error) != LIVETCP_OK) ||
        lt_transfer_open(&r->transfer, &error) != LIVETCP_OK) {
        code = lt_command_failed("receive", &error);
    } else {
        do {
            code = serve(r);
        } while (lt_transfer_goes_on(&r->transfer) && !has_failed(r));
    }
    lt_transfer_close(&r->transfer);
    if (lt_dump_finish(&r->writer, &error) != LIVETCP_OK)
        code = lt_command_failed("receive", &error);
    return code;
}

static livetcp_result build_line(void *values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    lt_transfer_options *v = values;
    const struct poptOption table[] = {
        LT_OPTION_TEXT("format", &v->format,
                       "rtpdump, or frames: a two-byte length before each packet, RFC 4571 "
                       "(rtpdump)",
                       "FORMAT"),
        LT_TRANSFER_OPTIONS(v), POPT_TABLEEND};
    const lt_command_line line = {.command = "livetcp receive",
                                  .usage = "[OPTION...] URI [FILE]",
                                  .table = table,
                                  .json = &v->json,
                                  .json_alone = true};
    return use(&line, user, error);
}

static livetcp_result take(const lt_transfer_options *v, const char *const *words, receiver *r,
                           int *format, livetcp_error *error)
{
    static const char *const formats[] = {"rtpdump", "frames", NULL};
    livetcp_result result = lt_transfer_take(&r->transfer, v, words ? words[0] : NULL, error);

    if (result != LIVETCP_OK)
        return result;
    if (words[1] && words[2])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "'%.100s': one file, not two",
                       words[2]);
    if (words[1] && v->json && !strcmp(words[1], "-") && !strcmp(v->json, "-"))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "standard output takes the packets or the JSON: --json=FILE");
    return lt_option_choice("--format ", v->format, formats, format, error);
}

static int run_receive(int argc, const char **argv)
{
    lt_transfer_options v = {.size = 0};
    receiver r = {.transfer = {.command = "receive",
                               .role = LIVETCP_ROLE_SUBSCRIBE,
                               .on_packet = on_packet,
                               .user = &r}};
    livetcp_error error = {.message = ""};
    const char **words = NULL;
    int code = LT_EXIT_OK, format = LT_DUMP_RTPDUMP;
    livetcp_result result = lt_built_line_read(build_line, &v, argc, argv, &words, &error);

    if (result == LIVETCP_OK && !v.help)
        result = take(&v, words, &r, &format, &error);
    if (result != LIVETCP_OK)
        code = lt_command_refused("receive", &error);
    else if (!v.help)
        code = run_taken(&r, words[1], (lt_dump_format)format);
    else if (lt_built_line_help(build_line, &v, stdout, &error) == LIVETCP_OK)
        fputs(about, stdout);
    free(words);
    lt_built_line_clear(build_line, &v);
    return code;
}

const lt_command lt_command_receive = {
    .name = "receive",
    .summary = "receive RTP packets into a recording, or count them",
    .run = run_receive,
};
