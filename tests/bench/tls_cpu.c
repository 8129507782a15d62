/* SPDX-License-Identifier: MIT */
/* What TLS costs: CPU time of both ends of a session on the loopback interface, with and without a
 * passphrase by turns, for each packet, and the ratio of the two. The handshakes are not in it. Run
 * it in a release build; a machine that is not quiet makes both sides of the ratio longer.
 * usage: bench-tls-cpu [SECONDS [ROUNDS]] */
#include "both_ends.h"

#define MODES 2

static const char *const modes[MODES] = {"", "correct horse battery"};

typedef struct media_load {
    unsigned rate, size; /* packets a second, bytes */
} media_load;

/* A voice is 50 packets a second; these are several, and video of 1 to 50 Mbit/s. */
static const media_load loads[] = {{500, 172}, {100, 1200}, {1000, 1200}, {5000, 1200}};

/* CPU seconds for `seconds` of media. */
static double measure(const char *passphrase, media_load load, unsigned seconds)
{
    static unsigned char packet[1200] = {0x80, 96};
    struct timespec next;
    both_ends ends = {.context = NULL};

    start(&ends, "passphrase", passphrase);
    double before = cpu();
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned i = 0; i < load.rate * seconds; i++) {
        packet[2] = (unsigned char)(i >> 8);
        packet[3] = (unsigned char)i;
        livetcp_session_send(ends.caller, packet, load.size);
        wait_ns(&next, SECOND_NS / load.rate);
    }
    double used = cpu() - before;
    end(&ends);
    return used;
}

static void compare(media_load load, unsigned seconds, unsigned rounds)
{
    double used[MODES][ROUNDS_MAX], ratios[ROUNDS_MAX], packets = load.rate * seconds;

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned mode = 0; mode < MODES; mode++)
            used[mode][round] = measure(modes[mode], load, seconds);
        ratios[round] = used[1][round] / used[0][round];
    }
    qsort(used[0], rounds, sizeof **used, ascending);
    qsort(used[1], rounds, sizeof **used, ascending);
    qsort(ratios, rounds, sizeof *ratios, ascending);
    printf("%5u packets/s of %4u bytes  %5.1f us a packet, with TLS %5.1f us  ratio %.2f (%.2f to "
           "%.2f)\n",
           load.rate, load.size, 1e6 * used[0][rounds / 2] / packets,
           1e6 * used[1][rounds / 2] / packets, ratios[rounds / 2], ratios[0], ratios[rounds - 1]);
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 5, rounds = argc > 2 ? atoi(argv[2]) : 5;

    if (seconds < 1 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench-tls-cpu [SECONDS [ROUNDS (1..%d)]]\n", ROUNDS_MAX);
        return 2;
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        compare(loads[i], (unsigned)seconds, (unsigned)rounds);
    return 0;
}
