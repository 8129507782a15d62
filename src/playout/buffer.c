/* SPDX-License-Identifier: MIT */
/* A list with insertion from the end, where a new packet usually belongs. */
#include "playout/buffer.h"

#include <stdlib.h>
#include <string.h>

lt_waiting *lt_waiting_create(const uint8_t *bytes, size_t size)
{
    lt_waiting *waiting = malloc(sizeof *waiting + (bytes ? size : 0));

    if (!waiting)
        return NULL;
    memset(waiting, 0, sizeof *waiting);
    if (bytes) {
        waiting->size = size;
        memcpy(waiting->bytes, bytes, size);
    }
    return waiting;
}

void lt_buffer_forgo(const lt_buffer *buffer, lt_waiting *waiting)
{
    if (waiting->token)
        buffer->drop_token(waiting->token, buffer->user);
    waiting->token = NULL;
    waiting->gone = true;
}

void lt_buffer_drop(const lt_buffer *buffer, lt_waiting **waiting)
{
    lt_waiting *dropped = *waiting;

    *waiting = NULL;
    if (dropped)
        lt_buffer_forgo(buffer, dropped);
    free(dropped);
}

static void link(lt_buffer *buffer, lt_waiting *waiting)
{
    *(waiting->before ? &waiting->before->after : &buffer->first) = waiting;
    *(waiting->after ? &waiting->after->before : &buffer->last) = waiting;
    buffer->bytes += waiting->size;
}

void lt_buffer_insert(lt_buffer *buffer, lt_waiting *waiting)
{
    lt_waiting *before = buffer->last;

    while (before && before->extended > waiting->extended)
        before = before->before;
    waiting->before = before;
    waiting->after = before ? before->after : buffer->first;
    link(buffer, waiting);
    buffer->packets++;
}

lt_waiting *lt_buffer_find(const lt_buffer *buffer, uint64_t extended)
{
    lt_waiting *waiting = buffer->last;

    while (waiting && waiting->extended > extended)
        waiting = waiting->before;
    return waiting && waiting->extended == extended ? waiting : NULL;
}

void lt_buffer_replace(lt_buffer *buffer, lt_waiting *secondary, lt_waiting *primary)
{
    void *token = primary->token;
    size_t size = primary->size;

    *primary = *secondary; /* the fields only; the bytes follow the struct */
    primary->token = token;
    primary->size = size;
    buffer->bytes -= secondary->size;
    link(buffer, primary);
    lt_buffer_drop(buffer, &secondary);
}

lt_waiting *lt_buffer_take(lt_buffer *buffer)
{
    lt_waiting *waiting = buffer->first;

    if (!waiting)
        return NULL;
    buffer->first = waiting->after;
    *(waiting->after ? &waiting->after->before : &buffer->last) = NULL;
    buffer->packets--;
    buffer->bytes -= waiting->size;
    return waiting;
}

void lt_buffer_clear(lt_buffer *buffer)
{
    lt_waiting *waiting;

    while ((waiting = lt_buffer_take(buffer)))
        lt_buffer_drop(buffer, &waiting);
}
