/* SPDX-License-Identifier: MIT */
/*
 * The queue that the session's media makes without any extra byte: the packets of a frame, and the
 * frame behind a key frame, wait for those before them. Later than that is late.
 */
#ifndef LT_ENGINE_RATE_MEDIA_QUEUE_H
#define LT_ENGINE_RATE_MEDIA_QUEUE_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

#define LT_MEDIA_BURSTS 64

typedef struct lt_media_queue {
    double rate;          /* at which it drains, bytes per second; HUGE_VAL = at once */
    double bytes;         /* in it */
    livetcp_usec last_us; /*   at the last write */
    struct {
        livetcp_usec from_us, wait_us; /* first write; time that the last one waits */
    } bursts[LT_MEDIA_BURSTS];         /* of writes, a ring */
    unsigned newest;
} lt_media_queue;

void lt_media_queue_init(lt_media_queue *queue);

/* Of the link. */
void lt_media_queue_set_rate(lt_media_queue *queue, double rate);

/* `size` bytes of media, neither copies nor parity, are written. */
void lt_media_queue_on_written(lt_media_queue *queue, size_t size, livetcp_usec now);

/* Time that a packet of media written then waits behind others; NEVER = that is too long ago. */
livetcp_usec lt_media_queue_at(const lt_media_queue *queue, livetcp_usec written_us);

/* Time that `size` bytes more wait, which are not written yet. */
livetcp_usec lt_media_queue_of(const lt_media_queue *queue, size_t size, livetcp_usec now);

#endif
