/* SPDX-License-Identifier: MIT */
/* Frames of a WebSocket (RFC 6455 section 5), by wslay: payload of binary messages in and out, and
 * what the peer must not do, named. */
#ifndef LT_WEBSOCKET_FRAMES_H
#define LT_WEBSOCKET_FRAMES_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer message ends the connection with 1009. */
#define LT_WS_MESSAGE_MAX ((size_t)1 << 20)

/* Answers to pings beyond so much that the peer has not taken are left out. */
#define LT_WS_BACKLOG_MAX ((size_t)1 << 16)

typedef enum lt_ws_state {
    LT_WS_UPGRADE = 0, /* no payload is taken or given yet */
    LT_WS_OPEN,
    LT_WS_ENDED, /* the peer ended it in order: nothing more comes */
    LT_WS_FAILED /* see the error */
} lt_ws_state;

/* Bytes that wait, in and out. */
typedef struct lt_ws_buffer {
    uint8_t *data;
    size_t begin, end, size;
} lt_ws_buffer;

bool lt_ws_buffer_add(lt_ws_buffer *buffer, const void *data, size_t size);
void lt_ws_buffer_take(lt_ws_buffer *buffer, size_t size);
void lt_ws_buffer_clear(lt_ws_buffer *buffer);

typedef livetcp_result (*lt_ws_random)(void *user, uint8_t *bytes, size_t size);

typedef struct lt_ws_frames {
    bool listener;
    lt_ws_random random;
    void *random_user;
    lt_ws_state state;
    livetcp_error error;
    lt_ws_buffer in, out;
    struct wslay_frame_context *context;
    bool in_message, in_frame; /* in the middle of one that came */
    size_t message_size;
    uint64_t left;        /* payload of the present frame that has not come */
    uint8_t control[125]; /* of the present control frame */
    size_t control_size;
    bool closing; /* the closing frame was sent */
} lt_ws_frames;

/* From the first frame on. False without memory. */
bool lt_ws_frames_open(lt_ws_frames *frames);
void lt_ws_frames_clear(lt_ws_frames *frames);

/* Payload out of `in`: number of bytes, 0 = no more for now. Answers go to `out`. */
size_t lt_ws_frames_read(lt_ws_frames *frames, uint8_t *data, size_t size);

/* One binary message into `out`. Errors: LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_NO_MEMORY, those of
 * `random`. */
livetcp_result lt_ws_frames_write(lt_ws_frames *frames, const void *data, size_t size);

/* The closing frame, once. */
void lt_ws_frames_end(lt_ws_frames *frames, livetcp_result reason);

#endif
