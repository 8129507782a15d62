/* SPDX-License-Identifier: MIT */
/* Fallback implementation: plain POSIX. It reports no path info, so policies use the engine's own
 * byte counts. */
#include "platform/probe.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

const char *lt_platform_name(void)
{
    return "none";
}

void lt_platform_probe(lt_os_socket socket, bool briefly, livetcp_path *path)
{
    (void)socket;
    (void)briefly;
    path->known = 0;
}

livetcp_result lt_platform_prepare(lt_os_socket socket, livetcp_usec user_timeout_us)
{
    const int on = 1;
    (void)user_timeout_us; /* no such option in POSIX */
    if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) != 0 ||
        fcntl(socket, F_SETFD, FD_CLOEXEC) != 0)
        return LIVETCP_ERR_SYSTEM;
    return LIVETCP_OK;
}

bool lt_platform_align_segments(lt_os_socket socket, size_t frame)
{
    (void)socket; /* the meaning of TCP_MAXSEG differs between systems */
    (void)frame;
    return false;
}

livetcp_result lt_platform_set_congestion_control(lt_os_socket socket, const char *name,
                                                  livetcp_error *error)
{
    (void)socket;
    if (!name[0] || !strcmp(name, LT_CONGESTION_AUTO))
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                   "congestion-control=%s: LiveTCP cannot choose it on this platform; leave the "
                   "setting empty, or at auto",
                   name);
}

bool lt_platform_limit_unsent(lt_os_socket socket, uint32_t bytes)
{
#ifdef TCP_NOTSENT_LOWAT
    const int value = bytes > INT32_MAX ? INT32_MAX : (int)bytes;
    return setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &value, sizeof value) == 0;
#else
    (void)socket;
    (void)bytes;
    return false;
#endif
}

void lt_platform_acknowledge_now(lt_os_socket socket)
{
    (void)socket;
}

bool lt_platform_has_timestamps(void)
{
    return false;
}

bool lt_platform_start_timestamps(lt_os_socket socket, uint32_t *first)
{
    (void)socket;
    (void)first;
    return false;
}

/* Never called: lt_platform_start_timestamps() fails. */
long lt_platform_write_timestamped(lt_os_socket socket, const void *data, size_t size)
{
    (void)socket;
    (void)data;
    (void)size;
    return -ENOTSUP;
}

long lt_platform_read_timestamped(lt_os_socket socket, void *data, size_t size, bool *known,
                                  livetcp_usec *at)
{
    (void)socket;
    (void)data;
    (void)size;
    (void)known;
    (void)at;
    return -ENOTSUP;
}

unsigned lt_platform_take_timestamps(lt_os_socket socket,
                                     livetcp_tx_timestamp timestamps[LT_TIMESTAMP_BATCH])
{
    (void)socket;
    (void)timestamps;
    return 0;
}

bool lt_platform_out_of_order(lt_os_socket socket, uint32_t *segments)
{
    (void)socket;
    (void)segments;
    return false;
}
