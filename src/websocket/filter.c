/* SPDX-License-Identifier: MIT */
#include "websocket/filter.h"

#include "base/error.h"

#include <openssl/crypto.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lt_ws {
    lt_ws_setup setup;
    char host[256], path[256], origins[256];
    char forwarded[LT_WS_FORWARDED_MAX];
    lt_upgrade *upgrade; /* NULL once open */
    bool bound, foreign;
    lt_ws_frames frames;
};

static const char *copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
    return to;
}

/* Wipes it: its text may contain secrets. */
static void free_upgrade(lt_ws *ws)
{
    if (ws->upgrade)
        OPENSSL_cleanse(ws->upgrade->text, sizeof ws->upgrade->text);
    free(ws->upgrade);
    ws->upgrade = NULL;
}

livetcp_result lt_ws_create(const lt_ws_setup *setup, lt_ws_random random, void *random_user,
                            lt_ws **out)
{
    lt_ws *ws = calloc(1, sizeof *ws);
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;

    *out = NULL;
    if (!ws)
        return result;
    ws->setup = *setup;
    ws->setup.host = copy_text(ws->host, sizeof ws->host, setup->host);
    ws->setup.path = copy_text(ws->path, sizeof ws->path, setup->path);
    ws->setup.origins = copy_text(ws->origins, sizeof ws->origins, setup->origins);
    ws->setup.fields = NULL; /* the caller's; used already */
    ws->frames.listener = setup->listener;
    ws->frames.random = random;
    ws->frames.random_user = random_user;
    ws->upgrade = malloc(sizeof *ws->upgrade);
    if (ws->upgrade)
        result = random(random_user, ws->setup.key, sizeof ws->setup.key);
    if (result == LIVETCP_OK) {
        ws->setup.fields = setup->fields;
        lt_upgrade_begin(ws->upgrade, &ws->setup);
        ws->setup.fields = NULL;
        if (!lt_ws_buffer_add(&ws->frames.out, ws->upgrade->text, ws->upgrade->text_size))
            result = LIVETCP_ERR_NO_MEMORY;
    }
    if (result == LIVETCP_OK)
        *out = ws;
    else
        lt_ws_destroy(&ws);
    return result;
}

void lt_ws_destroy(lt_ws **owner)
{
    lt_ws *ws = *owner;

    if (!ws)
        return;
    *owner = NULL;
    lt_ws_frames_clear(&ws->frames);
    free_upgrade(ws);
    free(ws);
}

lt_ws_state lt_ws_state_of(const lt_ws *ws)
{
    return ws->frames.state;
}

static void run_out_of_memory(lt_ws *ws)
{
    ws->frames.state = LT_WS_FAILED;
    lt_fail(&ws->frames.error, LIVETCP_ERR_NO_MEMORY, "WebSocket: no memory for what has come");
}

/* ---- the opening handshake ---- */

static void open_frames(lt_ws *ws)
{
    ws->bound = ws->upgrade->bound;
    memcpy(ws->forwarded, ws->upgrade->forwarded, sizeof ws->forwarded);
    free_upgrade(ws);
    if (!lt_ws_frames_open(&ws->frames))
        run_out_of_memory(ws);
}

/* The head stays in `in` until it is complete, since another server may get it. */
static void shake_hands(lt_ws *ws, const uint8_t *data, size_t size)
{
    lt_upgrade *upgrade = ws->upgrade;
    lt_ws_buffer *in = &ws->frames.in;
    size_t before = in->end - in->begin;
    size_t taken = lt_upgrade_receive(upgrade, data, size);

    if (!lt_ws_buffer_add(in, data, size)) {
        run_out_of_memory(ws);
        return;
    }
    if (upgrade->state == LT_UPGRADE_MORE)
        return;
    if (ws->setup.listener &&
        !lt_ws_buffer_add(&ws->frames.out, upgrade->text, upgrade->text_size)) {
        run_out_of_memory(ws);
    } else if (upgrade->state == LT_UPGRADE_DONE) {
        lt_ws_buffer_take(in, before + taken);
        open_frames(ws);
    } else {
        ws->frames.state = LT_WS_FAILED;
        ws->frames.error = upgrade->error;
        ws->foreign = upgrade->foreign;
    }
}

void lt_ws_time_out(lt_ws *ws)
{
    lt_upgrade *upgrade = ws->upgrade;

    if (ws->frames.state != LT_WS_UPGRADE)
        return;
    lt_upgrade_time_out(upgrade);
    if (upgrade->state != LT_UPGRADE_REFUSED)
        return;
    (void)lt_ws_buffer_add(&ws->frames.out, upgrade->text, upgrade->text_size);
    ws->frames.state = LT_WS_FAILED;
    ws->frames.error = upgrade->error;
}

/* ---- input ---- */

void lt_ws_receive(lt_ws *ws, const uint8_t *data, size_t size)
{
    if (ws->frames.state == LT_WS_UPGRADE)
        shake_hands(ws, data, size);
    else if (ws->frames.state == LT_WS_OPEN && !lt_ws_buffer_add(&ws->frames.in, data, size))
        run_out_of_memory(ws);
}

size_t lt_ws_read(lt_ws *ws, uint8_t *data, size_t size)
{
    return ws->frames.state == LT_WS_OPEN ? lt_ws_frames_read(&ws->frames, data, size) : 0;
}

/* ---- output ---- */

livetcp_result lt_ws_write(lt_ws *ws, const void *data, size_t size)
{
    return lt_ws_frames_write(&ws->frames, data, size);
}

size_t lt_ws_output(const lt_ws *ws, const uint8_t **data)
{
    const lt_ws_buffer *out = &ws->frames.out;

    *data = out->data ? out->data + out->begin : NULL;
    return out->end - out->begin;
}

void lt_ws_written(lt_ws *ws, size_t size)
{
    lt_ws_buffer_take(&ws->frames.out, size);
}

void lt_ws_end(lt_ws *ws, livetcp_result reason)
{
    if (ws->frames.state != LT_WS_UPGRADE)
        lt_ws_frames_end(&ws->frames, reason);
}

/* ---- asked ---- */

const livetcp_error *lt_ws_error(const lt_ws *ws)
{
    return &ws->frames.error;
}

bool lt_ws_is_bound(const lt_ws *ws)
{
    return ws->bound;
}

bool lt_ws_is_foreign(const lt_ws *ws, const uint8_t **head, size_t *size)
{
    const lt_ws_buffer *in = &ws->frames.in;

    *head = in->data ? in->data + in->begin : NULL;
    *size = in->end - in->begin;
    return ws->foreign;
}

const char *lt_ws_forwarded(const lt_ws *ws)
{
    return ws->forwarded;
}
