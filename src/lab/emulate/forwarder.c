/* SPDX-License-Identifier: MIT */
/* One loop: reads packets that have arrived, writes packets that are due, and sleeps until the next
 * departure. It waits with ppoll(), which has nanosecond resolution; the thread uses SCHED_FIFO if
 * permitted, which also has no timer slack, and otherwise the smallest slack. It never busy-waits:
 * the kernel would stop a real-time thread that does for 50 ms of each second. */
#define _GNU_SOURCE
#include "lab/emulate/forwarder.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/emulate/flow.h"
#include "lab/emulate/pool.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    READ_BATCH = 16,        /* packets read from one end per turn */
    WRITE_BATCH = 64,       /* packets written to one end per turn */
    HEARTBEAT_USEC = 5000,  /* longest sleep, so that stalls of an idle path are noticed as well */
    REALTIME_PRIORITY = 20, /* above ordinary work, below the kernel's own threads */
};

typedef struct lane {
    lt_link *link;
    int in, out;        /* TUN descriptors */
    uint64_t hash_seed; /* of flows */
    lt_lateness lateness;
    uint64_t write_failed;
} lane; /* one direction */

struct lt_forwarder {
    pthread_t thread;
    _Bool started;
    pthread_mutex_t lock; /* of all following members, while the thread runs */
    lane lanes[LT_PATH_LANES];
    unsigned lane_count;
    lt_pool pool;
    size_t mtu;
    int wake; /* eventfd: check `stopping` and the departures again */
    _Bool stopping;
    lt_path_health health;
};

static void read_batch(lt_forwarder *forwarder, lane *from)
{
    for (int i = 0; i < READ_BATCH; i++) {
        uint8_t *packet = lt_pool_take(&forwarder->pool);
        if (!packet)
            return;
        ssize_t size = read(from->in, packet, forwarder->mtu);
        if (size <= 0) {
            lt_pool_give(&forwarder->pool, packet);
            return;
        }
        const lt_link_packet offered = {.packet = packet,
                                        .size = (size_t)size,
                                        .ecn = lt_ecn_read(packet, (size_t)size),
                                        .flow =
                                            lt_flow_hash(packet, (size_t)size, from->hash_seed)};
        if (lt_link_offer(from->link, lt_clock_now(), &offered) != LT_LINK_TAKEN)
            lt_pool_give(&forwarder->pool, packet);
    }
}

static void write_due(lt_forwarder *forwarder, lane *to)
{
    lt_link_delivery due;
    livetcp_usec now = lt_clock_now();
    for (int i = 0; i < WRITE_BATCH && lt_link_pop(to->link, now, &due); i++) {
        if (due.marked)
            lt_ecn_mark(due.packet, due.size);
        lt_lateness_add(&to->lateness, lt_clock_now() - due.departure);
        if (write(to->out, due.packet, due.size) < 0)
            to->write_failed++;
        lt_pool_give(&forwarder->pool, due.packet);
    }
    for (void *packet; lt_link_drop(to->link, &packet);)
        lt_pool_give(&forwarder->pool, packet);
}

static void wake(const lt_forwarder *forwarder)
{
    const uint64_t one = 1;
    while (write(forwarder->wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

static livetcp_usec next_departure(const lt_forwarder *forwarder)
{
    livetcp_usec next = LIVETCP_NEVER;
    for (unsigned i = 0; i < forwarder->lane_count; i++) {
        const livetcp_usec departure = lt_link_next(forwarder->lanes[i].link);
        if (departure < next)
            next = departure;
    }
    return next;
}

static void note_stall(lt_path_health *health, livetcp_usec expected, livetcp_usec now)
{
    livetcp_usec late = now - expected;
    if (late <= LT_PATH_STALL_USEC)
        return;
    health->stalls++;
    health->stalled += late;
    health->last_stall = now;
    if (late > health->longest_stall)
        health->longest_stall = late;
}

/* Sleeps until the next departure, a packet, or the heartbeat. Returns the latest time at which it
 * should have woken up. */
static livetcp_usec wait_for_work(struct pollfd *fds, nfds_t count, livetcp_usec departure)
{
    livetcp_usec now = lt_clock_now();
    livetcp_usec until = now + HEARTBEAT_USEC;
    if (departure < until)
        until = departure > now ? departure : now;
    const struct timespec sleep = lt_clock_timespec(until - now);
    if (ppoll(fds, count, &sleep, NULL) < 0)
        for (nfds_t i = 0; i < count; i++)
            fds[i].revents = POLLIN; /* interrupted: tries to read anyway */
    return until;
}

static void drain(int event)
{
    uint64_t count;
    if (read(event, &count, sizeof count) < 0 && errno != EAGAIN)
        abort(); /* an own eventfd cannot fail in another way */
}

static void forward(lt_forwarder *forwarder)
{
    lane *lanes = forwarder->lanes;
    const unsigned count = forwarder->lane_count;
    struct pollfd fds[LT_PATH_LANES + 1];
    for (unsigned i = 0; i < count; i++)
        fds[i] = (struct pollfd){.fd = lanes[i].in, .events = POLLIN};
    fds[count] = (struct pollfd){.fd = forwarder->wake, .events = POLLIN};
    livetcp_usec expected = LIVETCP_NEVER;
    for (;;) {
        if (fds[count].revents)
            drain(forwarder->wake); /* before reading the signalled state */
        pthread_mutex_lock(&forwarder->lock);
        _Bool stopping = forwarder->stopping;
        livetcp_usec woken = lt_clock_now();
        note_stall(&forwarder->health, expected, woken);
        for (unsigned i = 0; i < count; i++) {
            write_due(forwarder, &lanes[i]);
            if (fds[i].revents)
                read_batch(forwarder, &lanes[i]);
        }
        note_stall(&forwarder->health, woken, lt_clock_now()); /* a turn is much shorter */
        livetcp_usec departure = next_departure(forwarder);
        pthread_mutex_unlock(&forwarder->lock);
        if (stopping)
            return;
        expected = wait_for_work(fds, count + 1, departure);
    }
}

static void *forwarder_main(void *argument)
{
    lt_forwarder *forwarder = argument;
    const struct sched_param priority = {.sched_priority = REALTIME_PRIORITY};
    pthread_setname_np(pthread_self(), "livetcp-path");
    _Bool realtime = !pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
    prctl(PR_SET_TIMERSLACK, 1UL);
    pthread_mutex_lock(&forwarder->lock);
    forwarder->health.realtime = realtime;
    pthread_mutex_unlock(&forwarder->lock);
    forward(forwarder);
    return NULL;
}

/* Signals belong to the application: the thread blocks all of them. */
static int start_thread(lt_forwarder *forwarder)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&forwarder->thread, NULL, forwarder_main, forwarder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* With priority inheritance: a thread of ordinary priority that changes parameters on a busy
 * machine must not delay the forwarder. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void release(lt_forwarder *forwarder)
{
    for (unsigned i = 0; i < forwarder->lane_count; i++)
        lt_link_destroy(&forwarder->lanes[i].link);
    lt_pool_clear(&forwarder->pool);
    if (forwarder->wake >= 0)
        close(forwarder->wake);
    pthread_mutex_destroy(&forwarder->lock);
    free(forwarder);
}

static livetcp_result fill_in(lt_forwarder *forwarder, const lt_path_params *params,
                              const lt_tun *tuns, livetcp_error *error)
{
    lt_rng seeds;
    lt_rng_seed(&seeds, params->seed);
    forwarder->lane_count = 2 * params->links;
    for (unsigned i = 0; i < forwarder->lane_count; i++) {
        lane *each = &forwarder->lanes[i];
        livetcp_result result = lt_link_params_check(&params->link[i], error);
        if (result)
            return result;
        each->link = lt_link_create(&params->link[i], lt_rng_next(&seeds));
        if (!each->link)
            return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for a link");
        each->in = tuns[i].fd;
        each->out = tuns[i ^ 1].fd;
    }
    for (unsigned i = 0; i < forwarder->lane_count; i++)
        forwarder->lanes[i].hash_seed = lt_rng_next(&seeds);
    forwarder->health.ipv6 = tuns[LT_NEAR].ipv6 && tuns[LT_FAR].ipv6;
    forwarder->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (forwarder->wake < 0)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot create an eventfd");
    return LIVETCP_OK;
}

lt_forwarder *lt_forwarder_create(const lt_path_params *params, const lt_tun *tuns,
                                  livetcp_error *error)
{
    lt_forwarder *forwarder = calloc(1, sizeof *forwarder);
    if (!forwarder) {
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for a path");
        return NULL;
    }
    forwarder->wake = -1;
    forwarder->mtu = (size_t)params->mtu;
    init_lock(&forwarder->lock);
    lt_pool_init(&forwarder->pool, forwarder->mtu);
    if (fill_in(forwarder, params, tuns, error)) {
        release(forwarder);
        return NULL;
    }
    return forwarder;
}

livetcp_result lt_forwarder_start(lt_forwarder *forwarder, livetcp_error *error)
{
    int failed = start_thread(forwarder);
    if (failed)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, failed, "cannot start a thread");
    forwarder->started = 1;
    return LIVETCP_OK;
}

void lt_forwarder_destroy(lt_forwarder **forwarder)
{
    if (!*forwarder)
        return;
    if ((*forwarder)->started) {
        pthread_mutex_lock(&(*forwarder)->lock);
        (*forwarder)->stopping = 1;
        pthread_mutex_unlock(&(*forwarder)->lock);
        wake(*forwarder);
        pthread_join((*forwarder)->thread, NULL);
    }
    release(*forwarder);
    *forwarder = NULL;
}

livetcp_result lt_forwarder_set(lt_forwarder *forwarder, lt_direction direction,
                                const lt_link_params *params, livetcp_error *error)
{
    pthread_mutex_lock(&forwarder->lock);
    livetcp_result result =
        lt_link_set(forwarder->lanes[direction].link, lt_clock_now(), params, error);
    pthread_mutex_unlock(&forwarder->lock);
    if (!result)
        wake(forwarder); /* departures may be earlier now */
    return result;
}

void lt_forwarder_begin(lt_forwarder *forwarder, livetcp_usec at)
{
    pthread_mutex_lock(&forwarder->lock);
    for (unsigned i = 0; i < forwarder->lane_count; i++)
        lt_link_begin(forwarder->lanes[i].link, at);
    pthread_mutex_unlock(&forwarder->lock);
    wake(forwarder);
}

void lt_forwarder_get(lt_forwarder *forwarder, lt_direction direction, lt_link_params *out)
{
    pthread_mutex_lock(&forwarder->lock);
    lt_link_get_params(forwarder->lanes[direction].link, out);
    pthread_mutex_unlock(&forwarder->lock);
}

void lt_forwarder_get_counters(lt_forwarder *forwarder, lt_direction direction,
                               lt_path_counters *out)
{
    pthread_mutex_lock(&forwarder->lock);
    lt_link_get_counters(forwarder->lanes[direction].link, &out->link);
    const lt_lateness lateness = forwarder->lanes[direction].lateness;
    out->write_failed = forwarder->lanes[direction].write_failed;
    pthread_mutex_unlock(&forwarder->lock);
    out->lateness_count = lateness.count;
    out->lateness_p50 = lt_lateness_quantile(&lateness, 0.5);
    out->lateness_p99 = lt_lateness_quantile(&lateness, 0.99);
    out->lateness_p999 = lt_lateness_quantile(&lateness, 0.999);
    out->lateness_max = lateness.max;
}

void lt_forwarder_get_health(lt_forwarder *forwarder, lt_path_health *out)
{
    pthread_mutex_lock(&forwarder->lock);
    *out = forwarder->health;
    pthread_mutex_unlock(&forwarder->lock);
}
