/* SPDX-License-Identifier: MIT */
/*
 * Reports: RTCP about the media of both directions (RFC 3550), feedback messages between the two
 * ends, and delay components, inferred from path info or measured by kernel timestamps.
 *
 * The session reports events to it. It writes RTCP and feedback when they are due, and fills in
 * statistics. It identifies connections by their slot, which is the `connection` of a path.
 */
#ifndef LT_ENGINE_REPORTS_REPORTS_H
#define LT_ENGINE_REPORTS_REPORTS_H

#include "base/rng.h"
#include "engine/arrival.h"
#include "rtp/rtp.h"
#include "wire/control.h"

#include <livetcp/engine.h>

typedef struct lt_reports lt_reports;

/* Maximum size of a frame that it writes, LENGTH included; an outbox must have space for it. */
#define LT_REPORTS_FRAME_MAX 1014

/* In place of a slot: the connection on which a control frame arrives soonest. */
#define LT_REPORTS_QUICKEST (-1)

/* Output of frames. lt_reports_expire() calls both functions, lt_reports_deadline() has_way(), and
 * lt_reports_goodbye() write(). They must not call this component. */
typedef struct lt_reports_sink {
    void *user;

    /* True if a connection takes control frames now. */
    bool (*has_way)(const void *user);

    /* Queues a complete frame on the slot's connection, or on the quickest one, which exists while
     * has_way() is true. False without space; the frame is dropped. */
    bool (*write)(void *user, int slot, const uint8_t *frame, size_t size, livetcp_usec now);
} lt_reports_sink;

/* ---- creation ---- */

typedef struct lt_reports_setup {
    const livetcp_config *config; /* its settings are copied */
    const char *cname;            /* of RTCP, copied; NULL = random */
    livetcp_random_fn random;     /* for SSRC and CNAME of RTCP */
    void *random_user;
    lt_rng *rng; /* spreads reports and samples; must outlive this object */
    lt_reports_sink sink;
} lt_reports_setup;

/* On failure *reports is NULL. Errors: LIVETCP_ERR_NO_MEMORY, and those of `random`. */
livetcp_result lt_reports_create(const lt_reports_setup *setup, lt_reports **reports);

/* Clears *reports, which may be NULL. */
void lt_reports_destroy(lt_reports **reports);

/* ---- application packets ---- */

/* The policy has placed a packet: `copies` at once, and in a parity group if `parity`. */
void lt_reports_on_placed(lt_reports *reports, const lt_packet *packet, unsigned copies,
                          bool parity);

/* True if the kernel should take timestamps of the next write in that slot. `finishing`: the packet
 * that ends with it, or NULL. Call it before each write. */
bool lt_reports_wants_timestamp(lt_reports *reports, unsigned slot, const lt_packet *finishing,
                                livetcp_usec now);

/* The first complete copy of a packet was written. `path` includes it already; `end` = bytes
 * written to this connection, the packet's included. Sets packet->buffered_us. */
void lt_reports_on_written(lt_reports *reports, const livetcp_path *path, lt_packet *packet,
                           uint64_t end, livetcp_usec now);

/* A packet that was written to this connection at `written_us` was acknowledged there first. */
void lt_reports_on_acknowledged(lt_reports *reports, const livetcp_path *path,
                                const lt_packet *packet, livetcp_usec written_us, livetcp_usec now);

/* Path info of the connection was updated, and on_acknowledged() was called for everything that it
 * acknowledges. */
void lt_reports_on_path_info(lt_reports *reports, const livetcp_path *path, livetcp_usec now);

/* An RTP packet of the peer is delivered to the application. */
void lt_reports_on_delivered(lt_reports *reports, const lt_arrival *arrival, livetcp_usec now);

/* The application's RTP packet was accepted, of a source that has heeded the estimate or has not.
 */
void lt_reports_on_accepted(lt_reports *reports, size_t size, bool adapts, livetcp_usec now);

/* True if the peer has sent media lately. */
bool lt_reports_is_answered(const lt_reports *reports, livetcp_usec now);

/* ---- RTCP and feedback ---- */

/* RTCP of the peer, other than control messages, was received. */
void lt_reports_on_rtcp(lt_reports *reports, const lt_arrival *arrival);

/* The application sends its own RTCP. */
void lt_reports_on_own_rtcp(lt_reports *reports, const uint8_t *data, size_t size);

/* RECEPTION or TRANSMISSION was received. */
void lt_reports_on_feedback(lt_reports *reports, const lt_control *message, livetcp_usec now);

/* ---- receipts; see receipts.h ---- */

/* The slot's connection has this number; has received `packets` packets; has ended after `packets`
 * packets; and the peer has answered the last receipt. */
void lt_reports_on_number(lt_reports *reports, unsigned slot, uint32_t number);
void lt_reports_on_arrived(lt_reports *reports, unsigned slot, uint64_t packets);
void lt_reports_on_ended(lt_reports *reports, unsigned slot, uint64_t packets, livetcp_usec now);
void lt_reports_on_answer(lt_reports *reports, const lt_resent *answer);

/* ---- the session ---- */

/* The peer is another one, which restarts its numbers. */
void lt_reports_on_new_peer(lt_reports *reports);

/* The session is closing: feedback ends, RTCP continues. */
void lt_reports_on_closing(lt_reports *reports);

/* See livetcp_engine_report_playout(), _set_clock_rate() and _set_wall_clock(). */
livetcp_result lt_reports_on_playout(lt_reports *reports, const livetcp_playout_report *report);
livetcp_result lt_reports_set_clock_rate(lt_reports *reports, int payload_type, uint32_t hz);
void lt_reports_set_wall_clock(lt_reports *reports, livetcp_usec ahead_us);

/* ---- kernel timestamps ---- */

/* The slot's connection has ended. */
void lt_reports_reset_slot(lt_reports *reports, unsigned slot);

/* The slot's socket reports timestamps; nothing is written to it yet. */
void lt_reports_has_timestamps(lt_reports *reports, unsigned slot);

/* A timestamp of a byte from the kernel. */
void lt_reports_on_tx_timestamp(lt_reports *reports, const livetcp_path *path,
                                const livetcp_tx_timestamp *timestamp, livetcp_usec now);

/* `packets` packets were read in one call. */
void lt_reports_on_read(lt_reports *reports, unsigned slot, const livetcp_rx_timestamp *timestamp,
                        unsigned packets, livetcp_usec now);

/* ---- deadlines and statistics ---- */

/* Time of the next report or feedback; LIVETCP_NEVER if none is due, or no connection takes it. */
livetcp_usec lt_reports_deadline(const lt_reports *reports);

/* Values for reports that other components own. */
typedef struct lt_reports_view {
    const livetcp_path *paths; /* one per slot */
    unsigned count;
    uint64_t gaps, late_order;    /* packets abandoned by the receiver, and received after that */
    livetcp_usec copy_spacing_us; /* spacing of our copies */
} lt_reports_view;

/* Writes RTCP, feedback and receipts that are due. */
void lt_reports_expire(lt_reports *reports, const lt_reports_view *view, livetcp_usec now);

/* Writes RTCP's BYE to the slot, once per session. */
void lt_reports_goodbye(lt_reports *reports, unsigned slot, livetcp_usec now);

/* Fills in the fields about RTCP, feedback, delays and timestamps. */
void lt_reports_gather(const lt_reports *reports, const livetcp_path *paths, unsigned count,
                       livetcp_session_stats *stats, livetcp_usec now);

#endif
