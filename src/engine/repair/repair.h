/* SPDX-License-Identifier: MIT */
/*
 * Packets in flight: written and not acknowledged. Late ones are reviewed by the policy, which may
 * send them again on other connections; groups of packets are protected by parity; and tail probes
 * follow packets that nothing else follows, so that TCP detects their loss early.
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

/* Maximum number of packets reviewed in one round. */
#define LT_REVIEW_MAX 64

typedef struct lt_repair_setup {
    const livetcp_config *config; /* its fields are copied */
    const livetcp_policy *policy;
    bool uses_path_info;      /* the platform reports acknowledgements */
    livetcp_random_fn random; /* for the seeds of parity streams */
    void *random_user;
    lt_control_writer writer;

    /* A packet that was written to this slot at written_us was acknowledged there first. */
    void (*on_acknowledged)(void *user, unsigned slot, const lt_packet *packet,
                            livetcp_usec written_us, livetcp_usec now);
    void *user;
} lt_repair_setup;

/* NULL without memory. */
lt_repair *lt_repair_create(const lt_repair_setup *setup);
void lt_repair_destroy(lt_repair **repair);

/* Applies another policy, or other settings. */
void lt_repair_configure(lt_repair *repair, const livetcp_config *config,
                         const livetcp_policy *policy, bool uses_path_info);

/* ---- packets in flight ---- */

/* The application sent a packet. */
void lt_repair_not_idle(lt_repair *repair, const lt_links *links, livetcp_usec now);

/* A packet was written completely; takes over the reference. */
void lt_repair_written(lt_repair *repair, const lt_links *links, unsigned slot, lt_packet *packet,
                       livetcp_usec now);

/* Path info was updated: releases the packets that are acknowledged. */
void lt_repair_acknowledged(lt_repair *repair, const lt_links *links, unsigned slot,
                            livetcp_usec now);

/* Packets that were written to the slot's connection and are not acknowledged. */
size_t lt_repair_under_way(const lt_repair *repair, unsigned slot);

/* The connection entered recovery or timeout: the policy must review packets that no other
 * connection carries. */
void lt_repair_alarm(lt_repair *repair, unsigned slot, livetcp_usec now);

/* The connection has ended: returns its unacknowledged packets, or all of them if the peer has not
 * taken the connection into the session; newest first, with the references; NULL after the last.
 * `forget`: the peer reads no retransmission. */
lt_packet *lt_repair_take_back(lt_repair *repair, const lt_links *links, unsigned slot,
                               bool forget);

/* Resets what was announced to the connection's peer. Call it after lt_repair_take_back() has
 * returned NULL. */
void lt_repair_reset_slot(lt_repair *repair, unsigned slot);

/* The session ends: counts the packets that the peer has not confirmed. */
void lt_repair_close(lt_repair *repair);

/* The packets that await the peer's receipt. */
lt_kept *lt_repair_kept(lt_repair *repair);

/* ---- review ---- */

/* The next packet to be reviewed by the policy, still owned here until lt_repair_reviewed(), which
 * must follow; NULL if none is due. */
lt_packet *lt_repair_next_due(lt_repair *repair, const lt_links *links, livetcp_usec now);

/* The policy has reviewed the packet and set review_us; `copied`: a copy was placed. */
void lt_repair_reviewed(lt_repair *repair, lt_packet *packet, bool copied, livetcp_usec now);

/* ---- bursts ---- */

/* Spacing of the copies of a packet, so that a burst of losses does not hit all of them: as
 * configured, or by the losses so far. 0 = all at once. */
livetcp_usec lt_repair_copy_spacing(const lt_repair *repair);

/* Mean length of a burst of losses; 0 = losses are independent. */
livetcp_usec lt_repair_burst(const lt_repair *repair);

/* See livetcp_policy_view.joint_loss. */
double lt_repair_joint_loss(const lt_repair *repair);

/* ---- parity ---- */

/* Adds a placed packet to a parity group. False if it stays unprotected. */
bool lt_repair_protect(lt_repair *repair, const lt_links *links, const lt_packet *packet,
                       livetcp_usec now);

/* The oldest parity packet that waits for a connection, still owned here, or NULL. */
lt_packet *lt_repair_next_parity(lt_repair *repair, livetcp_usec now);

/* Bit i: parity is announced on connection i; elsewhere the peer would take it for media. */
uint32_t lt_repair_parity_known(const lt_repair *repair, const lt_packet *parity);

/* The parity packet was placed, or is dropped. */
void lt_repair_parity_placed(lt_repair *repair, bool anywhere);

/* ---- probes and padding ---- */

/* Links (bit i = link i) that take no redundancy now. With a policy that measures headroom, tail
 * probes count as redundancy. */
void lt_repair_set_full_links(lt_repair *repair, uint32_t links);

/* Writes the tail probes and the padding that are due; false if none are. */
bool lt_repair_probe(lt_repair *repair, const lt_links *links, livetcp_usec now);

/* Writes one padding packet of at most `size` bytes to one of these slots (bit i = slot i). Returns
 * its size; 0 = none takes one. */
size_t lt_repair_pad(lt_repair *repair, const lt_links *links, uint32_t slots, uint64_t size);

/* ---- time and statistics ---- */

/* Slots (bit i = slot i) whose path info is needed before the next decision. */
uint32_t lt_repair_wants_path_info(const lt_repair *repair, livetcp_usec now);

livetcp_usec lt_repair_deadline(const lt_repair *repair);
void lt_repair_expire(lt_repair *repair, livetcp_usec now);

void lt_repair_gather(const lt_repair *repair, livetcp_session_stats *stats);

#endif
