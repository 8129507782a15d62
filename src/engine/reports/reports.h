/* SPDX-License-Identifier: MIT */
/*
 * Reports: RTCP about the media of both directions (RFC 3550), the feedback messages between the
 * two ends, and the components of the delay, inferred from path info or measured by kernel
 * timestamps.
 *
 * The session notifies it of events. In return it writes RTCP and feedback when they are due, and
 * fills in statistics. It knows connections by their slot, which is the `connection` of a path.
 */
#ifndef LT_ENGINE_REPORTS_REPORTS_H
#define LT_ENGINE_REPORTS_REPORTS_H

#include "base/rng.h"
#include "engine/arrival.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/engine.h>

typedef struct lt_reports lt_reports;

/* Longest frame that is written, LENGTH included: an outbox must have space for it. */
#define LT_REPORTS_FRAME_MAX 1014

/* Instead of a slot: the connection that delivers a control frame soonest. */
#define LT_REPORTS_QUICKEST (-1)

/* Output of frames. Both functions may be called from lt_reports_expire(), has_way() also from
 * lt_reports_deadline(), write() also from lt_reports_goodbye(). They must not call back. */
typedef struct lt_reports_sink {
    void *user;

    /* True if some connection takes control frames now. */
    bool (*has_way)(const void *user);

    /* Queues a whole frame on the connection of that slot, or on the quickest one, which exists
     * while has_way() is true. False if that connection has no space: the frame is left out. */
    bool (*write)(void *user, int slot, const uint8_t *frame, size_t size, livetcp_usec now);
} lt_reports_sink;

/* ---- created and destroyed ---- */

typedef struct lt_reports_setup {
    const livetcp_config *config; /* the settings that matter are copied */
    const char *cname;            /* of RTCP, copied; NULL = a random one */
    livetcp_random_fn random;     /* for the SSRC and CNAME of RTCP */
    void *random_user;
    lt_rng *rng; /* spreads reports and samples; the session's, and outlives this */
    lt_reports_sink sink;
} lt_reports_setup;

/* On failure *reports is NULL. Errors: LIVETCP_ERR_NO_MEMORY, and those of `random`. */
livetcp_result lt_reports_create(const lt_reports_setup *setup, lt_reports **reports);

/* Clears *reports, which may be NULL already. */
void lt_reports_destroy(lt_reports **reports);

/* ---- packets of the application ---- */

/* The policy has placed a packet: `copies` at once, in a parity group or not. */
void lt_reports_on_placed(lt_reports *reports, const lt_packet *packet, unsigned copies,
                          bool parity);

/* True if the kernel should be asked for timestamps of the next write in that slot. `finishing` is
 * the packet whose last byte it writes, or NULL. Call it before each write. */
bool lt_reports_wants_timestamp(lt_reports *reports, unsigned slot, const lt_packet *finishing,
                                livetcp_usec now);

/* A packet was written whole, for the first time. `path` counts it already; `end` is the number of
 * bytes written to this connection, the packet's included. Sets packet->buffered_us. */
void lt_reports_on_written(lt_reports *reports, const livetcp_path *path, lt_packet *packet,
                           uint64_t end, livetcp_usec now);

/* A packet, written to that connection at `written_us`, was acknowledged there before anywhere
 * else. */
void lt_reports_on_acknowledged(lt_reports *reports, const livetcp_path *path,
                                const lt_packet *packet, livetcp_usec written_us, livetcp_usec now);

/* Path info of that connection came, and on_acknowledged() was called for all that it
 * acknowledges. */
void lt_reports_on_path_info(lt_reports *reports, const livetcp_path *path, livetcp_usec now);

/* An RTP packet of the peer goes up to the application. */
void lt_reports_on_delivered(lt_reports *reports, const lt_arrival *arrival, livetcp_usec now);

/* ---- RTCP and feedback ---- */

/* RTCP of the peer came that is no control message. */
void lt_reports_on_rtcp(lt_reports *reports, const lt_arrival *arrival);

/* The application sends RTCP of its own. */
void lt_reports_on_own_rtcp(lt_reports *reports, const uint8_t *data, size_t size);

/* A RECEPTION or TRANSMISSION of the peer came. */
void lt_reports_on_feedback(lt_reports *reports, const lt_control *message, livetcp_usec now);

/* ---- receipts; see receipts.h ---- */

/* The slot's connection has that number; so many packets have come on it; it has ended after so
 * many; the peer has answered that. */
void lt_reports_on_number(lt_reports *reports, unsigned slot, uint32_t number);
void lt_reports_on_arrived(lt_reports *reports, unsigned slot, uint64_t packets);
void lt_reports_on_ended(lt_reports *reports, unsigned slot, uint64_t packets, livetcp_usec now);
void lt_reports_on_answer(lt_reports *reports, const lt_resent *answer);

/* ---- the session ---- */

/* Another peer from here on, which numbers its messages anew. */
void lt_reports_on_new_peer(lt_reports *reports);

/* The session is closing: no feedback any more, RTCP goes on. */
void lt_reports_on_closing(lt_reports *reports);

/* See livetcp_engine_report_playout(), _set_clock_rate() and _set_wall_clock(). */
livetcp_result lt_reports_on_playout(lt_reports *reports, const livetcp_playout_report *report);
livetcp_result lt_reports_set_clock_rate(lt_reports *reports, int payload_type, uint32_t hz);
void lt_reports_set_wall_clock(lt_reports *reports, livetcp_usec ahead_us);

/* ---- kernel timestamps ---- */

/* The slot's connection is gone. */
void lt_reports_reset_slot(lt_reports *reports, unsigned slot);

/* The slot's socket, to which nothing is written yet, reports timestamps. */
void lt_reports_has_timestamps(lt_reports *reports, unsigned slot);

/* The kernel reported when a byte passed. */
void lt_reports_on_tx_timestamp(lt_reports *reports, const livetcp_path *path,
                                const livetcp_tx_timestamp *timestamp, livetcp_usec now);

/* Bytes with so many packets were read in one go. */
void lt_reports_on_read(lt_reports *reports, unsigned slot, const livetcp_rx_timestamp *timestamp,
                        unsigned packets, livetcp_usec now);

/* ---- time and statistics ---- */

/* When a report or feedback is due; LIVETCP_NEVER while nothing is, or no connection takes it. */
livetcp_usec lt_reports_deadline(const lt_reports *reports);

/* Values for reports that other components count. */
typedef struct lt_reports_view {
    const livetcp_path *paths; /* of all slots */
    unsigned count;
    uint64_t gaps, late_order; /* packets that the receiver has abandoned; that came after that */
    livetcp_usec copy_spacing_us; /* of our copies */
} lt_reports_view;

/* Writes RTCP, feedback and receipts that are due. */
void lt_reports_expire(lt_reports *reports, const lt_reports_view *view, livetcp_usec now);

/* Writes RTCP's BYE to the slot, once a session. */
void lt_reports_goodbye(lt_reports *reports, unsigned slot, livetcp_usec now);

/* Fills in the fields about RTCP, feedback, delays and timestamps. */
void lt_reports_gather(const lt_reports *reports, const livetcp_path *paths, unsigned count,
                       livetcp_session_stats *stats, livetcp_usec now);

#endif
