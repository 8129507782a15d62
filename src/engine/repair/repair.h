/* SPDX-License-Identifier: MIT */
/*
 * Packets under way: written, and not acknowledged. The late ones are shown to the policy, which
 * may send them again elsewhere; groups of them are protected by parity; and small packets follow
 * those that nothing else follows, so that TCP finds a loss early.
 *
 * It fills in oldest_unacked_us of the links' paths.
 */
#ifndef LT_ENGINE_REPAIR_REPAIR_H
#define LT_ENGINE_REPAIR_REPAIR_H

#include "engine/control_writer.h"
#include "engine/links/links.h"
#include "engine/packet.h"
#include "engine/repair/kept.h"

typedef struct lt_repair lt_repair;

/* Packets about which the policy is asked in one round. */
#define LT_REVIEW_MAX 64

typedef struct lt_repair_setup {
    const livetcp_config *config; /* the fields needed are copied */
    const livetcp_policy *policy;
    bool uses_path_info;      /* the platform reports acknowledgements */
    livetcp_random_fn random; /* seeds of parity streams */
    void *random_user;
    lt_control_writer writer;

    /* A packet, which was written to that slot at written_us, was acknowledged there before
     * anywhere else. */
    void (*on_acknowledged)(void *user, unsigned slot, const lt_packet *packet,
                            livetcp_usec written_us, livetcp_usec now);
    void *user;
} lt_repair_setup;

/* NULL if memory is out. */
lt_repair *lt_repair_create(const lt_repair_setup *setup);
void lt_repair_destroy(lt_repair **repair);

/* The policy, or a setting, is another one from now on. */
void lt_repair_configure(lt_repair *repair, const livetcp_config *config,
                         const livetcp_policy *policy, bool uses_path_info);

/* ---- under way ---- */

/* The application sent something. */
void lt_repair_not_idle(lt_repair *repair, const lt_links *links, livetcp_usec now);

/* A packet was written whole; takes over the reference. */
void lt_repair_written(lt_repair *repair, const lt_links *links, unsigned slot, lt_packet *packet,
                       livetcp_usec now);

/* Path information has come: lets go of the packets that are acknowledged. */
void lt_repair_acknowledged(lt_repair *repair, const lt_links *links, unsigned slot,
                            livetcp_usec now);

/* The connection went into recovery or timeout: the policy is to be asked about packets that no
 * other connection carries. */
void lt_repair_alarm(lt_repair *repair, unsigned slot, livetcp_usec now);

/* The connection is gone: hands out its unacknowledged packets, and all of them if the peer has not
 * taken the connection in, the youngest first, with the references; NULL once there is no more.
 * `forget`: the peer reads none of them a second time. */
lt_packet *lt_repair_take_back(lt_repair *repair, const lt_links *links, unsigned slot,
                               bool forget);

/* Resets the state announced to the connection's peer, for its successor; call it after the last of
 * them. */
void lt_repair_reset_slot(lt_repair *repair, unsigned slot);

/* The session ends: packets that the peer has not confirmed count as that. */
void lt_repair_close(lt_repair *repair);

/* The packets that wait for the peer's receipt. */
lt_kept *lt_repair_kept(lt_repair *repair);

/* ---- review ---- */

/* The next packet that the policy is to be asked about, still ours until lt_repair_reviewed(),
 * which must follow; NULL if none is due. */
lt_packet *lt_repair_next_due(lt_repair *repair, unsigned slots, livetcp_usec now);

/* The policy was asked, and has set review_us; `copied`: a copy was given to a connection. */
void lt_repair_reviewed(lt_repair *repair, lt_packet *packet, bool copied, livetcp_usec now);

/* ---- bursts ---- */

/* How far apart copies of a packet are sent, so that a burst of losses does not take all of them:
 * as configured, or as the losses so far tell. 0 = at once. */
livetcp_usec lt_repair_copy_spacing(const lt_repair *repair);

/* See livetcp_policy_view.joint_loss. */
double lt_repair_joint_loss(const lt_repair *repair);

/* ---- parity ---- */

/* A packet that was placed joins a parity group. False if it stays without protection. */
bool lt_repair_protect(lt_repair *repair, const lt_links *links, const lt_packet *packet,
                       livetcp_usec now);

/* The oldest parity packet that waits for a connection, still ours, or NULL. */
lt_packet *lt_repair_next_parity(lt_repair *repair, livetcp_usec now);

/* Bit i: the peer knows on connection i that this is parity; elsewhere it would take it for media.
 */
uint32_t lt_repair_parity_known(const lt_repair *repair, const lt_packet *parity);

/* That one went to a connection, or is dropped. */
void lt_repair_parity_placed(lt_repair *repair, bool anywhere);

/* ---- small packets ---- */

/* Links (bit i = link i) that take no extra bytes now: with a policy that measures headroom, tail
 * probes are extra bytes, too. */
void lt_repair_set_full_links(lt_repair *repair, uint32_t links);

/* Writes the tail probes and padding that are due; false if there were none. */
bool lt_repair_probe(lt_repair *repair, const lt_links *links, livetcp_usec now);

/* Writes one packet of padding of `size` bytes at most to one of these slots (bit i = slot i).
 * Returns the bytes; 0 = none takes one. */
size_t lt_repair_pad(lt_repair *repair, const lt_links *links, uint32_t slots, uint64_t size);

/* ---- time and statistics ---- */

/* Slots (bit i = slot i) about which the platform is to be asked before anything is decided. */
uint32_t lt_repair_wants_path_info(const lt_repair *repair, livetcp_usec now);

livetcp_usec lt_repair_deadline(const lt_repair *repair);
void lt_repair_expire(lt_repair *repair, livetcp_usec now);

void lt_repair_gather(const lt_repair *repair, livetcp_session_stats *stats);

#endif
