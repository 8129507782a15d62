/* SPDX-License-Identifier: MIT */
/* What kernel timestamps cost: CPU time of both ends of a session on the loopback interface, with
 * timestamps=off, auto and on by turns. Not a test: run it in a release build on a quiet machine.
 * usage: bench-timestamps-cpu [SECONDS [ROUNDS]] */
#include "both_ends.h"

#define MODES       3
#define PACKET_SIZE 172

static const char *const modes[MODES] = {"off", "auto", "on"};
static const unsigned rates[] = {50, 500, 5000}; /* packets a second: voice, video, a lot */

#define RATES (sizeof rates / sizeof *rates)

/* CPU seconds for `seconds` of media; *stamped: of how many packets the kernel told. */
static double measure(const char *timestamps, unsigned rate, unsigned seconds, uint64_t *stamped)
{
    unsigned char packet[PACKET_SIZE] = {0x80, 96};
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    struct timespec next;
    both_ends ends = {.context = NULL};

    start(&ends, "timestamps", timestamps);
    double before = cpu();
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned i = 0; i < rate * seconds; i++) {
        packet[2] = (unsigned char)(i >> 8);
        packet[3] = (unsigned char)i;
        livetcp_session_send(ends.caller, packet, sizeof packet);
        wait_ns(&next, SECOND_NS / rate);
    }
    double used = cpu() - before;
    livetcp_session_get_stats(ends.caller, &stats);
    *stamped = stats.sent.timestamped;
    end(&ends);
    return used;
}

static void compare(unsigned rate, unsigned seconds, unsigned rounds)
{
    double used[MODES][ROUNDS_MAX];
    uint64_t stamped[MODES];

    for (unsigned round = 0; round < rounds; round++)
        for (unsigned mode = 0; mode < MODES; mode++)
            used[mode][round] = measure(modes[mode], rate, seconds, &stamped[mode]);
    for (unsigned mode = 0; mode < MODES; mode++) {
        qsort(used[mode], rounds, sizeof **used, ascending);
        double median = used[mode][rounds / 2], off = used[0][rounds / 2];
        printf("%5u packets/s  timestamps=%-4s  %6.2f %% of a core  %+5.2f %%  "
               "%5.1f us a packet  %5.1f %% of packets told\n",
               rate, modes[mode], 100 * median / seconds, 100 * (median - off) / seconds,
               1e6 * median / (rate * seconds), 100.0 * (double)stamped[mode] / (rate * seconds));
    }
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 5, rounds = argc > 2 ? atoi(argv[2]) : 5;

    if (seconds < 1 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench-timestamps-cpu [SECONDS [ROUNDS (1..%d)]]\n", ROUNDS_MAX);
        return 2;
    }
    for (size_t i = 0; i < RATES; i++)
        compare(rates[i], (unsigned)seconds, (unsigned)rounds);
    return 0;
}
