/* SPDX-License-Identifier: MIT */
/* The remote control: sends requests one after another, and repeats each until it is answered. No
 * clock, no I/O. */
#ifndef TV_REMOTE_H
#define TV_REMOTE_H

#include "../tv_common/control.h"

#define REMOTE_REQUESTS 16

typedef struct remote {
    tv_request waiting[REMOTE_REQUESTS]; /* ring buffer; the first request is in progress */
    int64_t asked_us[REMOTE_REQUESTS];
    unsigned first, count;
    uint32_t number; /* of the newest request */
    int64_t sent_us; /* when the first request was last sent; 0 = not yet */
    uint64_t repeated;
} remote;

/* Returns the request's number; 0 if the queue is full. */
uint32_t remote_ask(remote *r, tv_command command, int32_t value, const char *text, int64_t now_us);

/* Writes the request that is due to `out`, TV_CONTROL_MAX bytes; 0 = none. */
size_t remote_due(remote *r, uint32_t ssrc, int64_t now_us, int64_t round_trip_us, uint8_t *out);

/* True for the answer to the request in progress; fills in `request` and its time. */
bool remote_take(remote *r, const tv_answer *answer, tv_request *request, int64_t *asked_us);

#endif
