/* SPDX-License-Identifier: MIT */
/* livetcp send: sends RTP packets from a file, standard input or a test signal over a session. */
#include "tool/command.h"
#include "tool/rtpdump.h"
#include "tool/test_signal.h"
#include "tool/transfer.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* RFC 4571 frames carry no times: after this many packets the sender waits until the queue is
 * empty. */
#define AHEAD 64

static const char about[] =
    "\nSends RTP packets to livetcp://HOST:PORT, or to a caller of livetcp://:PORT?mode=listener:\n"
    "the packets of FILE, \"-\" for standard input, or without FILE a test signal. An rtpdump is\n"
    "sent at its recorded times, frames as fast as the session takes them.\n"
    "The query of the URI has settings (docs/reference/settings.md): "
    "?policy=single&connections=2.\n"
    "Ctrl-C ends the command with a summary, a second one at once.\n\n"
    "Exit code: 0 when everything was sent, or Ctrl-C ended it; 1 when there was no session, or\n"
    "it was lost; 2 when the command line is wrong.\n\n"
    "Examples:\n"
    "  livetcp send livetcp://media.example:5004              a tone, G.711\n"
    "  livetcp send --signal=2mbit --duration=10s livetcp://media.example:5004\n"
    "  livetcp send livetcp://:5004?mode=listener call.rtpdump\n"
    "  gst-launch-1.0 -q ... ! rtph264pay ! rtpstreampay ! fdsink | livetcp send "
    "livetcp://far:5004 -\n";

typedef struct sender {
    lt_transfer transfer;
    const char *file; /* NULL: the test signal */
    lt_dump_reader *reader;
    lt_test_signal signal;
    uint64_t sent;
    bool complete; /* all packets were given to the session */
} sender;

static bool stopped(void *user)
{
    sender *s = user;
    return lt_transfer_is_over(&s->transfer);
}

/* Reads the next packet; size 0 at the end. */
static livetcp_result next_packet(sender *s, lt_dump_packet *packet, livetcp_error *error)
{
    if (s->reader)
        return lt_dump_next(s->reader, packet, error);
    packet->data = s->signal.packet;
    packet->size = lt_test_signal_next(&s->signal, &packet->offset);
    return LIVETCP_OK;
}

/* Waits until the packet is due. False: the transfer is over. */
static bool wait_for_turn(sender *s, livetcp_usec start, const lt_dump_packet *packet)
{
    if (s->reader && lt_dump_reader_format(s->reader) == LT_DUMP_FRAMES)
        return s->sent % AHEAD != AHEAD - 1 || lt_transfer_wait_sent(&s->transfer);
    return lt_transfer_wait_until(&s->transfer, start + packet->offset);
}

static livetcp_result send_packets(sender *s, livetcp_error *error)
{
    const livetcp_usec start = lt_transfer_now();
    lt_dump_packet packet;
    livetcp_result result = LIVETCP_OK;

    while (!stopped(s) && (result = next_packet(s, &packet, error)) == LIVETCP_OK && packet.size) {
        if (!wait_for_turn(s, start, &packet) || stopped(s))
            break;
        result = livetcp_session_send(s->transfer.session, packet.data, packet.size);
        if (result == LIVETCP_ERR_CLOSED) /* by the peer */
            return LIVETCP_OK;
        if (result != LIVETCP_OK)
            return lt_fail(error, result, "packet %llu of %zu bytes: %s",
                           (unsigned long long)s->sent + 1, packet.size,
                           livetcp_result_text(result));
        s->sent++;
    }
    s->complete = !lt_transfer_is_closed(&s->transfer);
    return result;
}

/* Runs one session. */
static int serve(sender *s)
{
    livetcp_error error = {.message = ""};
    livetcp_result result = LIVETCP_OK;
    int code;

    s->sent = 0;
    s->complete = false;
    if (lt_transfer_wait_open(&s->transfer)) {
        if (s->file)
            result = lt_dump_open(s->file, stopped, s, &s->reader, &error);
        if (result == LIVETCP_OK)
            result = send_packets(s, &error);
        if (!lt_transfer_interrupted() && result == LIVETCP_OK)
            (void)lt_transfer_wait_sent(&s->transfer);
        lt_dump_close(&s->reader);
    }
    code = lt_transfer_finish(&s->transfer);
    if (result == LIVETCP_OK && code == LT_EXIT_OK && !s->complete && !lt_transfer_interrupted())
        result = lt_fail(&error, LIVETCP_ERR_CLOSED,
                         "the peer ended the session before everything was sent");
    return result == LIVETCP_OK ? code : lt_command_failed("send", &error);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

/* Reports an invalid file before connecting. */
static livetcp_result check_file(sender *s, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    if (s->file && strcmp(s->file, "-") != 0)
        result = lt_dump_open(s->file, never, NULL, &s->reader, error);
    lt_dump_close(&s->reader);
    return result;
}

static int run_taken(sender *s)
{
    livetcp_error error = {.message = ""};
    int code;

    if (check_file(s, &error) != LIVETCP_OK ||
        lt_transfer_open(&s->transfer, &error) != LIVETCP_OK) {
        code = lt_command_failed("send", &error);
    } else {
        do {
            code = serve(s);
        } while (lt_transfer_goes_on(&s->transfer));
    }
    lt_transfer_close(&s->transfer);
    return code;
}

static livetcp_result build_line(void *values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    lt_transfer_options *v = values;
    const struct poptOption table[] = {
        LT_OPTION_TEXT("signal", &v->signal,
                       "test signal: tone (G.711, 440 Hz), or a bit rate such as 2mbit (tone)",
                       "SIGNAL"),
        LT_OPTION_INTEGER("size", &v->size, "packet size with a bit rate (1200)", "BYTES"),
        LT_TRANSFER_OPTIONS(v), POPT_TABLEEND};
    const lt_command_line line = {.command = "livetcp send",
                                  .usage = "[OPTION...] URI [FILE]",
                                  .table = table,
                                  .json = &v->json,
                                  .json_alone = true};
    return use(&line, user, error);
}

static livetcp_result take(const lt_transfer_options *v, const char *const *words, sender *s,
                           livetcp_error *error)
{
    unsigned size = 0;
    livetcp_result result = lt_transfer_take(&s->transfer, v, words ? words[0] : NULL, error);

    if (result != LIVETCP_OK)
        return result;
    s->file = words[1];
    if (s->file && words[2])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "'%.100s': one file, not two",
                       words[2]);
    if (s->file && v->signal)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--signal and a file: one of them is sent");
    if ((result = lt_option_count("--size ", v->size, 12, LT_TEST_SIGNAL_MAX, &size, error)))
        return result;
    return lt_test_signal_init(&s->signal, v->signal, size, error);
}

static int run_send(int argc, const char **argv)
{
    lt_transfer_options v = {.size = 1200};
    sender *s = calloc(1, sizeof *s);
    livetcp_error error = {.message = ""};
    const char **words = NULL;
    int code = LT_EXIT_OK;

    if (!s) {
        fputs("livetcp send: out of memory\n", stderr);
        return LT_EXIT_FAILED;
    }
    s->transfer.command = "send";
    s->transfer.role = LIVETCP_ROLE_PUBLISH;
    livetcp_result result = lt_built_line_read(build_line, &v, argc, argv, &words, &error);
    if (result == LIVETCP_OK && !v.help)
        result = take(&v, words, s, &error);
    if (result != LIVETCP_OK)
        code = lt_command_refused("send", &error);
    else if (!v.help)
        code = run_taken(s);
    else if (lt_built_line_help(build_line, &v, stdout, &error) == LIVETCP_OK)
        fputs(about, stdout);
    free(words);
    free(s);
    lt_built_line_clear(build_line, &v);
    return code;
}

const lt_command lt_command_send = {
    .name = "send",
    .summary = "send RTP packets: a recording, standard input, or a test signal",
    .run = run_send,
};
