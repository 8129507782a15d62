/* SPDX-License-Identifier: MIT */
/* A peer of `livetcp bench`: carries RTP packets over SRT in live mode, one packet a message. SRT
 * tells its application no bit rate, so the encoder keeps the one that it begins with.
 * src/lab/bench/transport_program.c describes how the bench speaks with it.
 *
 *   srt LATENCY-MS receive ADDRESS
 *   srt LATENCY-MS send ADDRESS PORT RATE
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <srt/srt.h>

enum { PAYLOAD_MAX = 1456, MESSAGE_MAX = 1 << 16, BENCH = STDIN_FILENO };

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > 0 && send(BENCH, text, (size_t)length, MSG_NOSIGNAL) < 0)
        _exit(0); /* the bench has ended */
}

static int fail(const char *what)
{
    say("error %s: %s", what, srt_getlasterror_str());
    return 1;
}

static int set_up(SRTSOCKET socket, int latency)
{
    const int payload = PAYLOAD_MAX;
    const SRT_TRANSTYPE live = SRTT_LIVE;
    return srt_setsockflag(socket, SRTO_TRANSTYPE, &live, sizeof live) ||
           srt_setsockflag(socket, SRTO_PAYLOADSIZE, &payload, sizeof payload) ||
           srt_setsockflag(socket, SRTO_LATENCY, &latency, sizeof latency);
}

/* Ends the program with the bench, at the receiving end, which nothing is sent to. */
static void *watch(void *unused)
{
    char byte;
    (void)unused;
    while (recv(BENCH, &byte, 1, 0) > 0)
        ;
    _exit(0);
}

static int run_receiver(const char *host, int latency)
{
    static char packet[MESSAGE_MAX];
    struct sockaddr_in address = {.sin_family = AF_INET};
    int length = sizeof address, n;
    pthread_t thread;
    SRTSOCKET listener = srt_create_socket();
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1 || set_up(listener, latency) ||
        srt_bind(listener, (struct sockaddr *)&address, sizeof address) ||
        srt_listen(listener, 1) || srt_getsockname(listener, (struct sockaddr *)&address, &length))
        return fail("cannot listen");
    say("port %u", ntohs(address.sin_port));
    if (pthread_create(&thread, NULL, watch, NULL))
        return fail("cannot start a thread");
    SRTSOCKET peer = srt_accept(listener, NULL, NULL);
    if (peer == SRT_INVALID_SOCK)
        return fail("cannot accept");
    say("ready");
    while ((n = srt_recvmsg(peer, packet, sizeof packet)) >= 0)
        if (n && send(BENCH, packet, (size_t)n, MSG_NOSIGNAL) < 0)
            return 0;
    return fail("cannot receive");
}

static int run_sender(const char *host, const char *port, int latency)
{
    static char packet[MESSAGE_MAX];
    const int no = 0;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
    SRTSOCKET peer = srt_create_socket();
    ssize_t n;
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1 || set_up(peer, latency) ||
        srt_connect(peer, (struct sockaddr *)&address, sizeof address) ||
        srt_setsockflag(peer, SRTO_SNDSYN, &no, sizeof no))
        return fail("cannot connect");
    say("ready");
    while ((n = recv(BENCH, packet, sizeof packet, 0)) > 0) {
        if (srt_sendmsg2(peer, packet, (int)n, NULL) >= 0)
            continue;
        if (srt_getlasterror(NULL) != SRT_EASYNCSND)
            return fail("cannot send");
        say("dropped 1");
    }
    return 0;
}

int main(int argc, char **argv)
{
    const int latency = argc > 2 ? atoi(argv[1]) : 0;
    int code = 2;
    srt_startup();
    srt_setloglevel(LOG_CRIT);
    if (argc == 4 && !strcmp(argv[2], "receive"))
        code = run_receiver(argv[3], latency);
    else if (argc == 6 && !strcmp(argv[2], "send"))
        code = run_sender(argv[3], argv[4], latency);
    else
        fprintf(stderr, "usage: srt LATENCY-MS receive ADDRESS | send ADDRESS PORT RATE\n");
    srt_cleanup();
    return code;
}
