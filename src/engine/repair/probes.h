/* SPDX-License-Identifier: MIT */
/*
 * Packets that carry nothing, most of them small.
 *
 * Tail probes follow the last packet on a connection when nothing else does: TCP concludes from
 * later arrivals that a segment was lost (RFC 8985), so a packet alone on its connection waits for
 * a timer otherwise, some 200 ms and more. With several connections that is the common case when
 * the round trip is short. When it is long the next packet comes before the probe could be
 * acknowledged: it does as well for the probe's purpose, and would wait behind a probe that is
 * lost. Then a probe is sent only when the acknowledgement is overdue and nothing else came.
 *
 * Padding keeps the congestion window of connections that the application leaves idle: Brosh et
 * al., section 6.2, a few small packets per round trip. Larger ones show what a path carries beside
 * the media (engine/rate/upward_probe.h).
 */
#ifndef LT_ENGINE_REPAIR_PROBES_H
#define LT_ENGINE_REPAIR_PROBES_H

#include "engine/control_writer.h"
#include "engine/links/links.h"

/* Of one connection. Times are LIVETCP_NEVER where they do not apply. */
typedef struct lt_tail {
    livetcp_usec written_us; /* when a packet of the application's was last written */
    livetcp_usec gap_us;     /* from one to the next, an ewma; 0 = not known yet */
    livetcp_usec probe_us;   /* when a probe follows the last one, */
    bool when_late;          /*   and only if that one is not acknowledged then */
} lt_tail;

typedef struct lt_probes {
    bool tails;            /* tail probes are sent at all */
    bool uses_path_info;   /* the platform reports acknowledgements */
    bool bursts;           /* losses come in bursts: what leaves together is lost together */
    uint32_t full_links;   /* bit i: link i takes no tail probes now */
    unsigned idle_packets; /* per round trip; 0 = no padding */
    livetcp_usec idle_time_us;
    lt_control_writer writer;
    unsigned count; /* slots that have been written to */
    lt_tail slots[LIVETCP_MAX_CONNECTIONS];
    livetcp_usec last_media_us; /* when the application last sent something */
    livetcp_usec padding_us;    /* next round of padding */
    uint64_t sent;
} lt_probes;

/* `wanted`: the policy wants tail probes. */
void lt_probes_init(lt_probes *probes, const livetcp_config *config, bool wanted,
                    bool uses_path_info, const lt_control_writer *writer);

/* The same with other settings, while packets are under way. */
void lt_probes_configure(lt_probes *probes, const livetcp_config *config, bool wanted,
                         bool uses_path_info);

void lt_probes_reset_slot(lt_probes *probes, unsigned slot);

/* The application sent something. */
void lt_probes_not_idle(lt_probes *probes, const lt_links *links, livetcp_usec now);

/* A packet of the application's was written to that path: schedules its tail probe. */
void lt_probes_written(lt_probes *probes, const livetcp_path *path, livetcp_usec now);

/* Slots (bit i) whose tail probe is due; all of them when padding is. */
uint32_t lt_probes_due(const lt_probes *probes, livetcp_usec now);

/* Writes the small packets that are due; false if there were none. */
bool lt_probes_send(lt_probes *probes, const lt_links *links, livetcp_usec now);

/* Writes one packet of padding of `size` bytes at most to the one of these slots (bit i = slot i)
 * that has least under way, if its window has space. Returns the bytes; 0 = no slot takes one. */
size_t lt_probes_pad(lt_probes *probes, const lt_links *links, uint32_t slots, uint64_t size);

livetcp_usec lt_probes_deadline(const lt_probes *probes);

#endif
