/* SPDX-License-Identifier: MIT */
/* An emulated network path: two network namespaces, joined by pairs of TUN devices and a forwarding
 * thread that holds each packet as long as the link models require. Linux only.
 *
 *   near 10.77.0.1 fd77::1  --- forward --->  far 10.77.0.2 fd77::2
 *                           <-- backward ---
 *
 * There may be further links between the two hosts, as a phone has Wi-Fi and LTE: link n, from 1,
 * has the interface livetcp(n-1) and the addresses 10.77.(n-1).1 and .2, fd77::(n-1):1 and :2, of
 * its own at both ends. The near end reaches every address of the far end over every link: a socket
 * that is bound to an address or an interface of the near end sends there (by policy routes, as a
 * network manager makes them), any other on link 1; answers come back on the link of the near
 * end's address.
 *
 * The namespaces are fresh: no saved TCP metrics, no other interface than a loopback. Rates and
 * sizes count IP packets. lt_path_enter(), lt_path_set(), the counters and the sysctl functions may
 * be called from any thread. */
#ifndef LT_LAB_EMULATE_PATH_H
#define LT_LAB_EMULATE_PATH_H

#include "lab/emulate/lateness.h"
#include "lab/emulate/link.h"

#define LT_PATH_NEAR_IPV4 "10.77.0.1"
#define LT_PATH_FAR_IPV4  "10.77.0.2"
#define LT_PATH_NEAR_IPV6 "fd77::1"
#define LT_PATH_FAR_IPV6  "fd77::2"

typedef struct lt_path lt_path;

typedef enum lt_end { LT_NEAR, LT_FAR } lt_end;

enum { LT_PATH_MAX_LINKS = 4, LT_PATH_LANES = 2 * LT_PATH_MAX_LINKS };

/* A direction is identified by the end at which its packets start; those of link n, from 0, are 2n
 * + LT_FORWARD and 2n + LT_BACKWARD. */
typedef enum lt_direction {
    LT_FORWARD = LT_NEAR,
    LT_BACKWARD = LT_FAR,
    LT_LAST_DIRECTION = LT_PATH_LANES - 1,
} lt_direction;

typedef struct lt_path_params {
    lt_link_params link[LT_PATH_LANES]; /* by lt_direction */
    uint64_t seed;                      /* of all directions, which use different sequences */
    int mtu;                            /* 576 to 9000 bytes */
    unsigned links;                     /* 1 to LT_PATH_MAX_LINKS */
} lt_path_params;

/* One link; links without impairment, seed 1, MTU 1500. */
void lt_path_params_init(lt_path_params *params);

/* Builds a path that carries nothing yet: sent packets wait at their sending end. It starts no
 * thread, so fork now: a child forked beside a thread may inherit a lock that is never released.
 * Without root this first moves the calling process into a user namespace of its own, which
 * requires a single thread. NULL on failure, with the remedy in *error (may be NULL). */
lt_path *lt_path_create(const lt_path_params *params, livetcp_error *error);

/* Starts the forwarding thread. Call once; on failure the path is unchanged. */
livetcp_result lt_path_start(lt_path *path, livetcp_error *error);

/* Stops forwarding, drops packets in flight and clears the caller's pointer. Processes inside lose
 * the network and continue. */
void lt_path_destroy(lt_path **path);

/* Moves the calling thread and its future children to one end. In a child forked beside threads
 * `error` must be NULL; errno has the reason then. */
livetcp_result lt_path_enter(const lt_path *path, lt_end end, livetcp_error *error);

/* Runs `function` at one end, on a thread of its own, and waits for it. A socket that it creates
 * stays at that end, whichever thread uses it. Returns the function's result. */
livetcp_result lt_path_call(const lt_path *path, lt_end end,
                            livetcp_result (*function)(void *context, livetcp_error *error),
                            void *context, livetcp_error *error);

unsigned lt_path_links(const lt_path *path);

/* Sets the origin of planned changes, outages and traces of all links to `at` (CLOCK_MONOTONIC). */
void lt_path_begin(lt_path *path, livetcp_usec at);

/* The address of a link, from 0, at an end; "" if there is none. */
typedef struct lt_path_address {
    char text[48];
} lt_path_address;
lt_path_address lt_path_ipv4(unsigned link, lt_end end);
lt_path_address lt_path_ipv6(unsigned link, lt_end end);

/* Sets parameters from now on; see lt_link_set() for packets under way. */
livetcp_result lt_path_set(lt_path *path, lt_direction direction, const lt_link_params *params,
                           livetcp_error *error);
void lt_path_get(lt_path *path, lt_direction direction, lt_link_params *out);

/* Parses "forward", "backward" or "both", of link 1 or of the link before a colon as in "2:both",
 * into a bit mask by lt_direction; 0: invalid, or not one of `links`. */
unsigned lt_directions_parse(const char *text, unsigned links);

/* Changes the parameters that `spec` names, in all directions of the mask, or in none on
 * failure. */
livetcp_result lt_path_apply(lt_path *path, unsigned directions, const char *spec,
                             livetcp_error *error);

/* A sysctl of the namespace at one end, key with slashes: "net/ipv4/tcp_ecn". */
livetcp_result lt_path_sysctl_set(const lt_path *path, lt_end end, const char *key,
                                  const char *value, livetcp_error *error);

/* A sysctl at both ends, in sysctl's notation: "net.ipv4.tcp_ecn=1". */
livetcp_result lt_path_apply_sysctl(const lt_path *path, const char *setting, livetcp_error *error);

/* Sets the default algorithm of new sockets at both ends. In a namespace the kernel allows only
 * those of net.ipv4.tcp_allowed_congestion_control as default; sockets can select any loaded one,
 * given the privilege. */
livetcp_result lt_path_set_congestion_control(const lt_path *path, const char *name,
                                              livetcp_error *error);

typedef struct lt_path_counters {
    lt_link_counters link;
    uint64_t read_dropped;   /* dropped by the kernel, since the forwarder did not read in time */
    uint64_t write_failed;   /* refused by the kernel at the receiving end */
    uint64_t lateness_count; /* departures measured; lateness is actual minus planned, in us */
    livetcp_usec lateness_p50, lateness_p99, lateness_p999, lateness_max;
} lt_path_counters;

void lt_path_get_counters(lt_path *path, lt_direction direction, lt_path_counters *out);

/* A stall of the machine or the process: the forwarder, which wakes up at least every 5 ms, got the
 * processor more than LT_PATH_STALL_USEC late. Results across a stall are unreliable. */
enum { LT_PATH_STALL_USEC = 5000 };

typedef struct lt_path_health {
    _Bool realtime; /* the forwarder runs under SCHED_FIFO */
    _Bool ipv6;     /* both ends have IPv6 */
    uint64_t stalls;
    livetcp_usec stalled; /* in total */
    livetcp_usec longest_stall;
    livetcp_usec last_stall; /* end of the last stall, CLOCK_MONOTONIC; 0: never */
} lt_path_health;

void lt_path_get_health(lt_path *path, lt_path_health *out);

#endif
