/* SPDX-License-Identifier: MIT */
/*
 * Packets without content, most of them small.
 *
 * Tail probes follow the last packet on a connection if nothing else does. TCP detects the loss of
 * a segment by the arrival of later ones (RFC 8985), so a packet that is alone on its connection
 * would wait for a timer, of 200 ms or more. With several connections this is the common case if
 * the round trip is short. If it is long, the next packet is sent before the probe could be
 * acknowledged; it serves the same purpose, and would wait behind a lost probe. In this case a
 * probe is sent only if the acknowledgement is overdue and no other packet was written.
 *
 * Padding keeps the congestion window of idle connections open: Brosh et al., section 6.2, a few
 * small packets per round trip. Larger padding measures how much a path carries beyond the media
 * (engine/rate/upward_probe.h).
 */
#ifndef LT_ENGINE_REPAIR_PROBES_H
#define LT_ENGINE_REPAIR_PROBES_H

#include "engine/control_writer.h"
#include "engine/links/links.h"

/* State of one connection. Times are LIVETCP_NEVER where they do not apply. */
typedef struct lt_tail {
    livetcp_usec written_us; /* last write of an application packet */
    livetcp_usec gap_us;     /* EWMA of the time between these; 0 = unknown */
    livetcp_usec probe_us;   /* time of the probe after the last one, */
    bool when_late;          /* only if that is not acknowledged by then */
} lt_tail;

typedef struct lt_probes {
    bool tails;            /* tail probes are enabled */
    bool uses_path_info;   /* the platform reports acknowledgements */
    bool bursts;           /* losses come in bursts, which hit packets sent together */
    uint32_t full_links;   /* bit i: link i takes no tail probes now */
    unsigned idle_packets; /* per round trip; 0 = no padding */
    livetcp_usec idle_time_us;
    lt_control_writer writer;
    unsigned count; /* slots that have been written to */
    lt_tail slots[LIVETCP_MAX_CONNECTIONS];
    livetcp_usec last_media_us; /* last packet of the application */
    livetcp_usec padding_us;    /* time of the next padding */
    uint64_t sent;
} lt_probes;

/* `wanted`: the policy wants tail probes. */
void lt_probes_init(lt_probes *probes, const livetcp_config *config, bool wanted,
                    bool uses_path_info, const lt_control_writer *writer);

/* Applies other settings, while packets are in flight. */
void lt_probes_configure(lt_probes *probes, const livetcp_config *config, bool wanted,
                         bool uses_path_info);

void lt_probes_reset_slot(lt_probes *probes, unsigned slot);

/* The application sent a packet. */
void lt_probes_not_idle(lt_probes *probes, const lt_links *links, livetcp_usec now);

/* An application packet was written to that path: schedules its tail probe. */
void lt_probes_written(lt_probes *probes, const livetcp_path *path, livetcp_usec now);

/* Slots (bit i) whose tail probe is due; all slots if padding is due. */
uint32_t lt_probes_due(const lt_probes *probes, livetcp_usec now);

/* Writes the probes and the padding that are due; false if none are. */
bool lt_probes_send(lt_probes *probes, const lt_links *links, livetcp_usec now);

/* Writes one padding packet of at most `size` bytes to the one of these slots (bit i = slot i) with
 * the fewest bytes in flight, if its window has space. Returns its size; 0 = no slot takes one. */
size_t lt_probes_pad(lt_probes *probes, const lt_links *links, uint32_t slots, uint64_t size);

livetcp_usec lt_probes_deadline(const lt_probes *probes);

#endif
