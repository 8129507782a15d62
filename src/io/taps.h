/* SPDX-License-Identifier: MIT */
/* Taps receive a session's packets before the application's callback. They do not call the
 * application, which could change a session's taps. */
#ifndef LT_IO_TAPS_H
#define LT_IO_TAPS_H

#include <livetcp/session.h>

/* Loop's thread only. */
typedef struct lt_io_tap {
    struct lt_io_tap *next;
    void (*on_packet)(struct lt_io_tap *tap, livetcp_session *session,
                      const livetcp_packet *packet);
    void (*on_end)(struct lt_io_tap *tap); /* removed from the list: frees it */
} lt_io_tap;

static inline void lt_io_taps_packet(lt_io_tap *taps, livetcp_session *session,
                                     const livetcp_packet *packet)
{
    for (lt_io_tap *tap = taps; tap; tap = tap->next)
        tap->on_packet(tap, session, packet);
}

/* The session ends. */
static inline void lt_io_taps_end(lt_io_tap **taps)
{
    lt_io_tap *tap;

    while ((tap = *taps)) {
        *taps = tap->next;
        tap->on_end(tap);
    }
}

#endif
