/* SPDX-License-Identifier: MIT */
/* From packets to pictures and sound, each at its time: assembly, playouts, decoders, lip-sync.
 * One thread, the loop's. */
#ifndef TV_WATCHING_H
#define TV_WATCHING_H

#include "screen.h"

#include <livetcp/livetcp.h>

/* A picture that is shown now. */
typedef struct watched {
    const tv_picture *picture;
    bool first;      /* of its play; a key frame is then shown as soon as it is there */
    uint32_t play;   /* the request that began it */
    bool has_number; /* read from the picture: */
    uint32_t number;
    bool has_capture;
    int64_t capture_us; /* time of day; of a time shift, when it was sent again */
    int64_t late_us;    /* it should have been shown so much earlier */
} watched;

typedef struct watching_output {
    void (*on_picture)(const watched *w, void *user);
    /* To be heard at its time of uv_hrtime(). */
    void (*on_sound)(const screen_sound *sound, void *user);
    /* From the loudspeaker's queue to the ear. NULL: nobody listens. */
    int64_t (*sound_delay)(void *user);
    void *user;
} watching_output;

typedef struct watching_stats {
    uint64_t shown, undecodable, skipped_packets, garbage, sounds, concealed;
    uint64_t restarts; /* of the stream of pictures: another session, or another server */
    int64_t delay_us;  /* playout delay of pictures over the least transit time */
} watching_stats;

typedef struct watching watching;

/* The session must outlive it. `most_us`: what is late is waited for so long. NULL with a message
 * for a person. */
watching *watching_create(livetcp_session *session, const watching_output *output, int64_t most_us,
                          char *message, size_t size);
void watching_destroy(watching **w);

/* An RTP packet, or RTCP. False for what a server does not send. */
bool watching_take(watching *w, const livetcp_packet *packet, int64_t now_us);

/* Shows and plays what is due. True: a key frame is wanted, tell the server. */
bool watching_run(watching *w, int64_t now_us);

/* The SSRC of the pictures; 0 = not known yet. */
uint32_t watching_ssrc(const watching *w);

void watching_get_stats(const watching *w, watching_stats *stats);

#endif
