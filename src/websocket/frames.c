/* SPDX-License-Identifier: MIT */
#include "websocket/frames.h"

#include "base/bytes.h"
#include "base/error.h"

#include <wslay/wslay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Close codes (RFC 6455 section 7.4.1, IANA registry) that wslay does not name. */
#define CODE_SERVICE_RESTART 1012
#define CODE_TRY_AGAIN_LATER 1013

/* ---- buffers ---- */

void lt_ws_buffer_clear(lt_ws_buffer *buffer)
{
    free(buffer->data);
    *buffer = (lt_ws_buffer){.data = NULL};
}

bool lt_ws_buffer_add(lt_ws_buffer *buffer, const void *data, size_t size)
{
    size_t held = buffer->end - buffer->begin;

    if (!size)
        return true;
    if (buffer->begin && buffer->size - buffer->end < size) {
        memmove(buffer->data, buffer->data + buffer->begin, held);
        buffer->begin = 0;
        buffer->end = held;
    }
    if (buffer->size - buffer->end < size) {
        size_t wanted = buffer->end + size;
        size_t bigger = wanted < 2 * buffer->size ? 2 * buffer->size : wanted;
        uint8_t *grown = realloc(buffer->data, bigger);
        if (!grown)
            return false;
        buffer->data = grown;
        buffer->size = bigger;
    }
    memcpy(buffer->data + buffer->end, data, size);
    buffer->end += size;
    return true;
}

void lt_ws_buffer_take(lt_ws_buffer *buffer, size_t size)
{
    buffer->begin += size;
    if (buffer->begin == buffer->end)
        buffer->begin = buffer->end = 0;
}

/* ---- called by wslay ---- */

static ssize_t on_send(const uint8_t *data, size_t size, int flags, void *user)
{
    lt_ws_frames *frames = user;

    (void)flags;
    return lt_ws_buffer_add(&frames->out, data, size) ? (ssize_t)size : -1;
}

static ssize_t on_receive(uint8_t *data, size_t size, int flags, void *user)
{
    lt_ws_frames *frames = user;
    size_t held = frames->in.end - frames->in.begin;
    size_t taken = held < size ? held : size;

    (void)flags;
    if (!taken)
        return -1;
    memcpy(data, frames->in.data + frames->in.begin, taken);
    lt_ws_buffer_take(&frames->in, taken);
    return (ssize_t)taken;
}

static int on_mask(uint8_t *key, size_t size, void *user)
{
    lt_ws_frames *frames = user;

    return frames->random(frames->random_user, key, size) == LIVETCP_OK ? 0 : -1;
}

bool lt_ws_frames_open(lt_ws_frames *frames)
{
    static const struct wslay_frame_callbacks callbacks = {
        .send_callback = on_send, .recv_callback = on_receive, .genmask_callback = on_mask};

    if (wslay_frame_context_init(&frames->context, &callbacks, frames) != 0) {
        frames->context = NULL;
        return false;
    }
    frames->state = LT_WS_OPEN;
    return true;
}

void lt_ws_frames_clear(lt_ws_frames *frames)
{
    if (frames->context)
        wslay_frame_context_free(frames->context);
    frames->context = NULL;
    lt_ws_buffer_clear(&frames->in);
    lt_ws_buffer_clear(&frames->out);
}

/* ---- output ---- */

static bool send_frame(lt_ws_frames *frames, uint8_t opcode, const uint8_t *data, size_t size)
{
    struct wslay_frame_iocb frame = {.fin = 1,
                                     .opcode = opcode,
                                     .payload_length = size,
                                     .mask = !frames->listener,
                                     .data = data,
                                     .data_length = size};

    do {
        ssize_t n = wslay_frame_send(frames->context, &frame);
        if (n < 0 || (n == 0 && size))
            return false;
        frame.data += n;
        frame.data_length -= (size_t)n;
    } while (frame.data_length);
    return true;
}

livetcp_result lt_ws_frames_write(lt_ws_frames *frames, const void *data, size_t size)
{
    if (frames->state != LT_WS_OPEN || frames->closing)
        return frames->state == LT_WS_FAILED ? frames->error.code : LIVETCP_ERR_BAD_STATE;
    if (send_frame(frames, WSLAY_BINARY_FRAME, data, size))
        return LIVETCP_OK;
    frames->state = LT_WS_FAILED;
    return lt_fail(&frames->error, LIVETCP_ERR_NO_MEMORY, "WebSocket: no memory for a message");
}

static uint16_t code_of(livetcp_result reason)
{
    switch (reason) {
    case LIVETCP_OK:
    case LIVETCP_ERR_CLOSED:
        return WSLAY_CODE_NORMAL_CLOSURE;
    case LIVETCP_ERR_PROTOCOL:
    case LIVETCP_ERR_GARBAGE:
    case LIVETCP_ERR_NOT_RTP:
        return WSLAY_CODE_PROTOCOL_ERROR;
    case LIVETCP_ERR_NOT_SUPPORTED:
    case LIVETCP_ERR_VERSION:
        return WSLAY_CODE_UNSUPPORTED_DATA;
    case LIVETCP_ERR_FRAME_TOO_LARGE:
    case LIVETCP_ERR_PACKET_TOO_LARGE:
        return WSLAY_CODE_MESSAGE_TOO_BIG;
    case LIVETCP_ERR_NO_MEMORY:
    case LIVETCP_ERR_SYSTEM:
        return WSLAY_CODE_INTERNAL_SERVER_ERROR;
    case LIVETCP_ERR_TOO_MANY_SESSIONS:
        return CODE_TRY_AGAIN_LATER;
    case LIVETCP_ERR_CONNECTION_LOST:
        return WSLAY_CODE_GOING_AWAY;
    default:
        return WSLAY_CODE_POLICY_VIOLATION;
    }
}

static void send_close(lt_ws_frames *frames, uint16_t code, const char *text)
{
    uint8_t payload[125];
    size_t size = strlen(text);

    if (frames->closing || !frames->context)
        return;
    frames->closing = true;
    if (size > sizeof payload - 2)
        size = sizeof payload - 2;
    lt_write_be16(payload, code);
    memcpy(payload + 2, text, size);
    (void)send_frame(frames, WSLAY_CONNECTION_CLOSE, payload, code ? size + 2 : 0);
}

void lt_ws_frames_end(lt_ws_frames *frames, livetcp_result reason)
{
    send_close(frames, code_of(reason), reason == LIVETCP_OK ? "" : livetcp_result_text(reason));
}

/* ---- what the peer must not do ---- */

static void fail(lt_ws_frames *frames, uint16_t code, livetcp_result result, const char *text)
{
    frames->state = LT_WS_FAILED;
    lt_fail(&frames->error, result, "WebSocket: the peer sent %s", text);
    send_close(frames, code, frames->error.message);
}

static void break_rules(lt_ws_frames *frames, const char *text)
{
    fail(frames, WSLAY_CODE_PROTOCOL_ERROR, LIVETCP_ERR_PROTOCOL, text);
}

/* Checks the header of a frame. */
static void begin_frame(lt_ws_frames *frames, const struct wslay_frame_iocb *frame)
{
    bool control = wslay_is_ctrl_frame(frame->opcode);

    frames->left = frame->payload_length;
    frames->control_size = 0;
    if (frame->rsv)
        break_rules(frames, "a frame with reserved bits, as for an extension that was not agreed "
                            "on, for example compression");
    else if (frames->listener && !frame->mask)
        break_rules(frames, "a frame that is not masked, as those of clients have to be");
    else if (!frames->listener && frame->mask)
        break_rules(frames, "a masked frame, as those of servers must not be");
    else if (frame->opcode == WSLAY_TEXT_FRAME)
        fail(frames, WSLAY_CODE_UNSUPPORTED_DATA, LIVETCP_ERR_NOT_SUPPORTED,
             "text; LiveTCP takes binary messages with RTP framed by RFC 4571");
    else if (!control && frame->opcode != WSLAY_BINARY_FRAME &&
             frame->opcode != WSLAY_CONTINUATION_FRAME)
        break_rules(frames, "a frame of unknown type");
    else if (control && frame->opcode > WSLAY_PONG)
        break_rules(frames, "a control frame of unknown type");
    else if (!control && frames->in_message != (frame->opcode == WSLAY_CONTINUATION_FRAME))
        break_rules(frames, frames->in_message ? "a message in the middle of another"
                                               : "the rest of a message that did not begin");
    if (control || frames->state != LT_WS_OPEN)
        return;
    if (!frames->in_message)
        frames->message_size = 0;
    if (frame->payload_length > LT_WS_MESSAGE_MAX - frames->message_size) {
        fail(frames, WSLAY_CODE_MESSAGE_TOO_BIG, LIVETCP_ERR_FRAME_TOO_LARGE,
             "a message of more than 1 MiB");
        return;
    }
    frames->message_size += (size_t)frame->payload_length;
    frames->in_message = !frame->fin;
}

/* ---- the peer's closing frame ---- */

static livetcp_result result_of(unsigned code)
{
    switch (code) {
    case WSLAY_CODE_PROTOCOL_ERROR:
    case WSLAY_CODE_MANDATORY_EXT:
        return LIVETCP_ERR_PROTOCOL;
    case WSLAY_CODE_UNSUPPORTED_DATA:
        return LIVETCP_ERR_NOT_SUPPORTED;
    case WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA:
        return LIVETCP_ERR_GARBAGE;
    case WSLAY_CODE_POLICY_VIOLATION:
        return LIVETCP_ERR_CANCELLED;
    case WSLAY_CODE_MESSAGE_TOO_BIG:
        return LIVETCP_ERR_FRAME_TOO_LARGE;
    case WSLAY_CODE_INTERNAL_SERVER_ERROR:
        return LIVETCP_ERR_SYSTEM;
    case CODE_TRY_AGAIN_LATER:
        return LIVETCP_ERR_TOO_MANY_SESSIONS;
    default:
        return LIVETCP_ERR_CONNECTION_LOST;
    }
}

static bool is_orderly(unsigned code)
{
    return code == 0 || code == WSLAY_CODE_NORMAL_CLOSURE || code == WSLAY_CODE_GOING_AWAY ||
           code == CODE_SERVICE_RESTART;
}

static bool may_be_sent(unsigned code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
           (code >= 3000 && code <= 4999);
}

static void end_by_peer(lt_ws_frames *frames)
{
    unsigned code = frames->control_size >= 2 ? lt_read_be16(frames->control) : 0;
    char text[124];
    size_t size = 0;

    for (size_t i = 2; i < frames->control_size; i++)
        text[size++] =
            frames->control[i] < ' ' || frames->control[i] > '~' ? '?' : (char)frames->control[i];
    text[size] = '\0';
    if (frames->control_size == 1 || (code && !may_be_sent(code))) {
        break_rules(frames, "a closing frame with a code that must not be sent");
        return;
    }
    send_close(frames, (uint16_t)code, "");
    if (is_orderly(code)) {
        frames->state = LT_WS_ENDED;
        return;
    }
    frames->state = LT_WS_FAILED;
    lt_fail(&frames->error, result_of(code), "WebSocket: the peer closed it with %u%s%s", code,
            size ? ": " : "", text);
}

/* ---- input ---- */

/* True for the last piece of a control frame. */
static bool end_control(lt_ws_frames *frames, const struct wslay_frame_iocb *frame)
{
    if (frame->data_length > sizeof frames->control - frames->control_size) {
        break_rules(frames, "a control frame of more than 125 bytes");
        return false;
    }
    if (frame->data_length)
        memcpy(frames->control + frames->control_size, frame->data, frame->data_length);
    frames->control_size += frame->data_length;
    return !frames->left;
}

static void take_control(lt_ws_frames *frames, const struct wslay_frame_iocb *frame)
{
    if (!end_control(frames, frame))
        return;
    if (frame->opcode == WSLAY_CONNECTION_CLOSE)
        end_by_peer(frames);
    else if (frame->opcode == WSLAY_PING && !frames->closing &&
             frames->out.end - frames->out.begin < LT_WS_BACKLOG_MAX)
        (void)send_frame(frames, WSLAY_PONG, frames->control, frames->control_size);
}

/* Processes one step. Its payload goes to `data`, which has space for a step. False: more input is
 * needed, or the connection has ended. */
static bool take_step(lt_ws_frames *frames, uint8_t *data, size_t *size)
{
    struct wslay_frame_iocb frame;
    ssize_t n;

    *size = 0;
    if (frames->state != LT_WS_OPEN)
        return false;
    n = wslay_frame_recv(frames->context, &frame);
    if (n == WSLAY_ERR_PROTO)
        break_rules(frames, "a control frame of more than 125 bytes or in pieces, or a length that "
                            "is not in its shortest form");
    if (n < 0)
        return false;
    if (!frames->in_frame)
        begin_frame(frames, &frame);
    if (frames->state != LT_WS_OPEN)
        return false;
    frames->left -= frame.data_length;
    frames->in_frame = frames->left > 0;
    if (wslay_is_ctrl_frame(frame.opcode)) {
        take_control(frames, &frame);
    } else if (frame.data_length) {
        memcpy(data, frame.data, frame.data_length);
        *size = frame.data_length;
    }
    return true;
}

/* Maximum read-ahead of wslay. */
#define STEP_MAX 4096

size_t lt_ws_frames_read(lt_ws_frames *frames, uint8_t *data, size_t size)
{
    size_t taken = 0, step;

    while (size - taken >= STEP_MAX && take_step(frames, data + taken, &step))
        taken += step;
    return taken;
}
