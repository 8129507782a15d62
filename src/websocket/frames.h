/* SPDX-License-Identifier: MIT */
/* Frames of a WebSocket (RFC 6455 section 5), by wslay: payload of binary messages in both
 * directions, and errors for a peer's protocol violations. */
#ifndef LT_WEBSOCKET_FRAMES_H
#define LT_WEBSOCKET_FRAMES_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum message size; a longer one is answered with close code 1009. */
#define LT_WS_MESSAGE_MAX ((size_t)1 << 20)

/* Pending output above which pings are not answered. */
#define LT_WS_BACKLOG_MAX ((size_t)1 << 16)

typedef enum lt_ws_state {
    LT_WS_UPGRADE = 0, /* payload is neither accepted nor delivered */
    LT_WS_OPEN,
    LT_WS_ENDED, /* orderly end by the peer: no more payload */
    LT_WS_FAILED /* see the error */
} lt_ws_state;

/* Pending bytes of one direction. */
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
    bool in_message, in_frame; /* of the peer, incomplete */
    size_t message_size;
    uint64_t left;        /* payload of the current frame still to come */
    uint8_t control[125]; /* payload of the current control frame */
    size_t control_size;
    bool closing; /* a close frame was sent */
} lt_ws_frames;

/* Starts with the first frame. False without memory. */
bool lt_ws_frames_open(lt_ws_frames *frames);
void lt_ws_frames_clear(lt_ws_frames *frames);

/* Reads payload from `in`: number of bytes, 0 = no more for now. Answers go to `out`. */
size_t lt_ws_frames_read(lt_ws_frames *frames, uint8_t *data, size_t size);

/* Writes one binary message to `out`. Errors: LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_NO_MEMORY, those
 * of `random`. */
livetcp_result lt_ws_frames_write(lt_ws_frames *frames, const void *data, size_t size);

/* Writes the close frame, once. */
void lt_ws_frames_end(lt_ws_frames *frames, livetcp_result reason);

#endif
