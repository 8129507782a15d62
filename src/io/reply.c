/* SPDX-License-Identifier: MIT */
#include "io/reply.h"

bool lt_io_reply_flush(uv_os_sock_t socket, lt_io_filter *filter)
{
    const uint8_t *data;
    size_t size = lt_io_filter_output(filter, &data);
    bool done = size == 0 || lt_socket_write(socket, data, size) == (long)size;

    lt_io_filter_written(filter, size);
    return done;
}

bool lt_io_reply_write(uv_os_sock_t socket, lt_io_filter *filter, const livetcp_reply *reply)
{
    if (reply->size == 0)
        return true;
    if (filter)
        return lt_io_filter_write(filter, reply->frame, reply->size) == LIVETCP_OK &&
               lt_io_reply_flush(socket, filter);
    return lt_socket_write(socket, reply->frame, reply->size) == (long)reply->size;
}
