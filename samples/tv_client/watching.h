/* SPDX-License-Identifier: MIT */
/* From packets to pictures and sound at their times: assembly, playouts, decoders, lip-sync. Loop's
 * thread only. */
#ifndef TV_WATCHING_H
#define TV_WATCHING_H

#include "screen.h"

#include <livetcp/livetcp.h>

/* A picture being shown. */
typedef struct watched {
    const tv_picture *picture;
    bool first;      /* of its play; a key frame, shown as soon as it arrives */
    uint32_t play;   /* number of the request that began it */
    bool has_number; /* read from the picture: */
    uint32_t number;
    bool has_capture;
    int64_t capture_us; /* wall clock; in a time shift: when it was sent again */
    int64_t late_us;    /* how late it is shown */
} watched;

typedef struct watching_output {
    void (*on_picture)(const watched *w, void *user);
    /* `sound` has its time on uv_hrtime()'s clock. */
    void (*on_sound)(const screen_sound *sound, void *user);
    /* Delay from the loudspeaker's queue to the ear. NULL: no loudspeaker. */
    int64_t (*sound_delay)(void *user);
    void *user;
} watching_output;

typedef struct watching_stats {
    uint64_t shown, undecodable, skipped_packets, garbage, sounds, concealed;
    uint64_t restarts; /* of the stream of pictures: another session, or another server */
    int64_t delay_us;  /* playout delay of pictures over the least transit time */
} watching_stats;

typedef struct watching watching;

/* The session must outlive it. `max_us`: maximum playout delay. NULL, with a message for the
 * user. */
watching *watching_create(livetcp_session *session, const watching_output *output, int64_t max_us,
                          char *message, size_t size);
void watching_destroy(watching **w);

/* Takes an RTP or RTCP packet. False for one that a server does not send. */
bool watching_take(watching *w, const livetcp_packet *packet, int64_t now_us);

/* Shows and plays what is due. True: request a key frame from the server. */
bool watching_run(watching *w, int64_t now_us);

/* SSRC of the pictures; 0 = unknown. */
uint32_t watching_ssrc(const watching *w);

void watching_get_stats(const watching *w, watching_stats *stats);

#endif
