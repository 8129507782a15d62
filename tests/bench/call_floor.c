/* SPDX-License-Identifier: MIT */
/*
 * The least CPU that a telephone can do with on this machine, to compare samples/voip_call with:
 * both ends of a call over one TCP connection on the loopback interface, without anything that
 * LiveTCP does. An end wakes up for each frame of 20 ms, encodes and sends it (one send(); silence
 * is not sent), and for what has come, which it receives (one recv()) and decodes. There is no
 * playout, no loudspeaker and no concealment.
 *
 * usage: bench-call-floor [SECONDS [BITRATE COMPLEXITY LOSS_PERCENT NEAR.wav FAR.wav]]
 *
 * The files are recordings of a call (voip_call --record): what was said there is said here.
 * Without them it is a tone that comes and goes. Each end prints its figures as a JSON object;
 * shares are of a core.
 */
#define _GNU_SOURCE /* ppoll() */

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <opus.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RATE       48000
#define FRAME      960
#define FRAME_NS   INT64_C(20000000)
#define SECOND_NS  INT64_C(1000000000)
#define LONGEST    (6 * FRAME)
#define PACKET_MAX 1275
#define HEADER     14 /* RFC 4571's length and an RTP header */
#define WAV_HEADER 44 /* of voip_call's recordings */

#define PI 3.14159265358979323846

typedef struct settings {
    int seconds, bitrate, complexity, loss_percent;
} settings;

typedef struct sound {
    int16_t *samples;
    size_t size;
} sound;

typedef struct end {
    int fd;
    OpusEncoder *encoder;
    OpusDecoder *decoder;
    uint8_t received[4096]; /* the frames that have begun to come */
    size_t size;
    unsigned sent, decoded, wakeups;
    int64_t opus_ns; /* CPU */
} end;

static void fail(const char *what)
{
    fprintf(stderr, "bench-call-floor: %s: %s\n", what, errno ? strerror(errno) : "failed");
    exit(1);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* ---- speech ---- */

static sound make_tone(void)
{
    sound s = {malloc(RATE * sizeof *s.samples), RATE};

    if (!s.samples)
        fail("no memory");
    for (size_t i = 0; i < s.size; i++) /* four syllables a second */
        s.samples[i] =
            i % (RATE / 4) < RATE / 6 ? (int16_t)(8000 * sin(2 * PI * 600 * (double)i / RATE)) : 0;
    return s;
}

static unsigned number(const uint8_t *at, unsigned bytes)
{
    unsigned value = 0;

    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

/* Left is what was said. */
static sound read_recording(const char *path)
{
    uint8_t header[WAV_HEADER], both[4];
    FILE *in = fopen(path, "rb");
    sound s = {NULL, 0};

    if (!in || fread(header, sizeof header, 1, in) != 1)
        fail(path);
    errno = 0;
    if (memcmp(header, "RIFF", 4) != 0 || number(header + 22, 2) != 2 ||
        number(header + 24, 4) != RATE || number(header + 34, 2) != 16)
        fail("the recording is none of voip_call's");
    s.samples = malloc(number(header + 40, 4) / 2 + 1);
    if (!s.samples)
        fail("no memory");
    for (size_t room = number(header + 40, 4) / 4; s.size < room && fread(both, 4, 1, in) == 1;)
        s.samples[s.size++] = (int16_t)number(both, 2);
    fclose(in);
    if (s.size < FRAME)
        fail("the recording is empty");
    return s;
}

/* ---- Opus ---- */

/* As samples/voip_call/speaking.c and hearing.c. */
static void start_opus(end *e, const settings *with)
{
    int error = OPUS_OK;

    e->encoder = opus_encoder_create(RATE, 1, OPUS_APPLICATION_VOIP, &error);
    if (error == OPUS_OK)
        e->decoder = opus_decoder_create(RATE, 1, &error);
    if (error != OPUS_OK)
        fail("Opus");
    opus_encoder_ctl(e->encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
    opus_encoder_ctl(e->encoder, OPUS_SET_INBAND_FEC(1));
    opus_encoder_ctl(e->encoder, OPUS_SET_DTX(1));
    opus_encoder_ctl(e->encoder, OPUS_SET_BITRATE(with->bitrate));
    opus_encoder_ctl(e->encoder, OPUS_SET_COMPLEXITY(with->complexity));
    opus_encoder_ctl(e->encoder, OPUS_SET_PACKET_LOSS_PERC(with->loss_percent));
}

/* ---- the call ---- */

static void say(end *e, const sound *s, size_t at)
{
    uint8_t packet[HEADER + PACKET_MAX] = {0};
    int16_t frame[FRAME];

    for (size_t i = 0; i < FRAME; i++)
        frame[i] = s->samples[(at + i) % s->size];
    int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    int size = opus_encode(e->encoder, frame, FRAME, packet + HEADER, PACKET_MAX);
    e->opus_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    if (size <= 2)
        return;
    packet[0] = (uint8_t)((HEADER - 2 + size) >> 8);
    packet[1] = (uint8_t)(HEADER - 2 + size);
    packet[2] = 0x80;
    packet[3] = 111;
    if (send(e->fd, packet, (size_t)(HEADER + size), MSG_NOSIGNAL) == HEADER + size)
        e->sent++;
}

static void decode(end *e, const uint8_t *packet, size_t size)
{
    int16_t samples[LONGEST];
    int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);

    if (opus_decode(e->decoder, packet, (opus_int32)size, samples, LONGEST, 0) > 0)
        e->decoded++;
    e->opus_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* False: the peer has hung up. */
static bool hear(end *e)
{
    ssize_t got = recv(e->fd, e->received + e->size, sizeof e->received - e->size, MSG_DONTWAIT);
    size_t taken = 0;

    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    for (e->size += (size_t)got; e->size - taken >= HEADER;) {
        const uint8_t *at = e->received + taken;
        size_t size = 2 + ((size_t)at[0] << 8 | at[1]);
        if (size < HEADER || e->size - taken < size)
            break;
        decode(e, at + HEADER, size - HEADER);
        taken += size;
    }
    memmove(e->received, e->received + taken, e->size - taken);
    e->size -= taken;
    return true;
}

/* Hears what comes until the next frame is there. */
static void hear_until(end *e, int64_t due, bool *connected)
{
    for (int64_t left; (left = due - clock_ns(CLOCK_MONOTONIC)) > 0; e->wakeups++) {
        struct pollfd wait = {.fd = *connected ? e->fd : -1, .events = POLLIN};
        struct timespec timeout = {left / SECOND_NS, left % SECOND_NS};
        if (ppoll(&wait, 1, &timeout, NULL) > 0)
            *connected = hear(e);
    }
}

static int64_t cpu_ns(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SECOND_NS +
           (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* The far end's frames come half-way between the near end's, so that they do not wake it once for
 * both. */
static void call(const char *name, int fd, const sound *s, const settings *with)
{
    bool connected = true;
    end e = {.fd = fd};

    start_opus(&e, with);
    int64_t used = cpu_ns(), began = clock_ns(CLOCK_MONOTONIC);
    int64_t next = began + (strcmp(name, "far") == 0 ? FRAME_NS / 2 : 0);
    size_t frames = (size_t)with->seconds * SECOND_NS / FRAME_NS;
    for (size_t i = 0; i < frames; i++, next += FRAME_NS) {
        hear_until(&e, next, &connected);
        say(&e, s, i * FRAME);
    }
    double took = (double)(clock_ns(CLOCK_MONOTONIC) - began);
    used = cpu_ns() - used;
    printf("{\"end\": \"%s\", \"cpu_percent\": %.3f, \"opus_percent\": %.3f, \"frames\": %zu, "
           "\"sent\": %u, \"decoded\": %u, \"wakeups\": %u, \"seconds\": %.3f}\n",
           name, 100 * (double)used / took, 100 * (double)e.opus_ns / took, frames, e.sent,
           e.decoded, e.wakeups, took / SECOND_NS);
    fflush(stdout);
    opus_encoder_destroy(e.encoder);
    opus_decoder_destroy(e.decoder);
    close(fd);
}

static int without_delay(int fd)
{
    int one = 1;

    if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0)
        fail("a socket");
    return fd;
}

static void connect_both(int ends[2])
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    int listener = socket(AF_INET, SOCK_STREAM, 0), caller = socket(AF_INET, SOCK_STREAM, 0);

    if (listener < 0 || caller < 0 || bind(listener, (struct sockaddr *)&own, sizeof own) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&own, &size) != 0 ||
        connect(caller, (struct sockaddr *)&own, sizeof own) != 0)
        fail("the loopback interface");
    ends[0] = without_delay(caller);
    ends[1] = without_delay(accept(listener, NULL, NULL));
    close(listener);
}

int main(int argc, char **argv)
{
    settings with = {10, 32000, 3, 5};
    int ends[2], status = 0;

    if (argc > 1)
        with.seconds = atoi(argv[1]);
    if (with.seconds < 1 || (argc > 2 && argc != 7)) {
        fprintf(stderr, "usage: bench-call-floor [SECONDS [BITRATE COMPLEXITY LOSS_PERCENT "
                        "NEAR.wav FAR.wav]]\n");
        return 2;
    }
    if (argc == 7) {
        with.bitrate = atoi(argv[2]);
        with.complexity = atoi(argv[3]);
        with.loss_percent = atoi(argv[4]);
    }
    sound near = argc == 7 ? read_recording(argv[5]) : make_tone();
    sound far = argc == 7 ? read_recording(argv[6]) : make_tone();
    connect_both(ends);
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    close(ends[child == 0 ? 0 : 1]);
    call(child == 0 ? "far" : "near", child == 0 ? ends[1] : ends[0], child == 0 ? &far : &near,
         &with);
    free(near.samples);
    free(far.samples);
    if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
        return 1;
    return 0;
}
