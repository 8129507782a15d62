/* SPDX-License-Identifier: MIT */
/* Play times: media time plus an offset, which changes where it is not perceived. */
#ifndef LT_PLAYOUT_SCHEDULE_H
#define LT_PLAYOUT_SCHEDULE_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stdint.h>

/* Position of the next packet in the stream. */
typedef enum lt_playout_schedule_place {
    LT_PLAYOUT_INSIDE, /* of a talkspurt, or video between key frames */
    LT_PLAYOUT_START   /* of a talkspurt, or of a key frame: the delay may change */
} lt_playout_schedule_place;

typedef struct lt_playout_schedule_input {
    uint64_t extended;
    livetcp_usec media_us;
    livetcp_usec duration_us;
    livetcp_usec base_us;   /* minimum transit time at media_us */
    livetcp_usec target_us; /* playout delay of the mode */
    livetcp_usec max_us;
    lt_playout_schedule_place place;
    bool young;     /* the stream has just begun */
    bool stretches; /* audio without pauses is stretched or compressed to follow the delay */
} lt_playout_schedule_input;

typedef struct lt_playout_schedule {
    bool video;
    bool started;
    livetcp_usec offset_us;   /* play time - media time */
    livetcp_usec delay_us;    /* of this talkspurt, beyond the minimum transit time */
    livetcp_usec previous_us; /* offset before the talkspurt */
    uint64_t first;           /* first packet of the talkspurt, and its media time */
    livetcp_usec first_us;
    livetcp_usec media_us;     /* of the latest packet */
    livetcp_usec end_us;       /* end of its play time */
    livetcp_usec base_us;      /* at the beginning, or at the last jump */
    livetcp_usec given_way_us; /* reduced towards the maximum, in this talkspurt */
} lt_playout_schedule;

typedef struct lt_playout_schedule_result {
    livetcp_usec play_us;
    bool changed; /* the delay changes at this packet */
    bool resync;  /* play times jump: earlier ones are too late now */
} lt_playout_schedule_result;

/* Places the next packet in sequence. */
lt_playout_schedule_result lt_playout_schedule_next(lt_playout_schedule *schedule,
                                                    const lt_playout_schedule_input *input);

/* Play time of a packet that arrives after later ones; `duration_us` is that of one packet. */
livetcp_usec lt_playout_schedule_earlier(lt_playout_schedule *schedule, uint64_t extended,
                                         livetcp_usec media_us, livetcp_usec duration_us);

/* The media clock restarts: the next packet starts a talkspurt, not before the last one placed. */
void lt_playout_schedule_restart(lt_playout_schedule *schedule);

#endif
