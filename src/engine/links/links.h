/* SPDX-License-Identifier: MIT */
/*
 * The connections of a session: slots in which one TCP connection replaces another. Handles
 * reconnection, joining the session, keepalive, and each connection's path info. Unwritten and
 * unacknowledged packets belong to others: the code that ends a connection takes them back first
 * (session.c).
 */
#ifndef LT_ENGINE_LINKS_LINKS_H
#define LT_ENGINE_LINKS_LINKS_H

#include "base/rng.h"
#include "engine/control_writer.h"
#include "engine/events.h"
#include "engine/links/path_groups.h"
#include "wire/handshake.h"

typedef struct lt_links lt_links;

typedef struct lt_links_setup {
    const livetcp_config *config; /* the fields needed are copied */
    bool caller;
    unsigned count;                 /* slots */
    const livetcp_pending *pending; /* listener: the first connection, or NULL */
    livetcp_random_fn random;       /* secrets */
    void *random_user;
    lt_rng *jitter; /* spreads reconnects of many sessions; the session's */
    lt_events *events;
    lt_control_writer writer;
} lt_links_setup;

/* Errors: LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_SYSTEM, and those of `random`. */
livetcp_result lt_links_create(const lt_links_setup *setup, lt_links **links);
void lt_links_destroy(lt_links **links);

/* ---- a slot's life ---- */

/* A slot that wants a TCP connection now; it is CONNECTING from here on. Callers only. */
bool lt_links_next_connect(lt_links *links, livetcp_usec now, unsigned *slot);

/* The slot's connections go over the link of that number, at that cost of a byte. */
void lt_links_set_link(lt_links *links, unsigned slot, unsigned number, unsigned weight);

/* The spare slot: behind those of the session, for a connection that is made while those are
 * silent. Both ends know it. Callers only. */
bool lt_links_has_spare(const lt_links *links);

/* True if the spare slot, *slot, has a connection, or is about to have one. */
bool lt_links_spare_is_up(const lt_links *links, unsigned *slot);

/* If it has none: it is CONNECTING from here on. Returns its number. */
unsigned lt_links_take_spare(lt_links *links);

/* Listeners: that slot is the spare one, and a connection with that ticket takes the place of the
 * one that has it. Its caller has only one at a time, and has not used the ticket before. */
bool lt_links_replaces_spare(const lt_links *links, unsigned slot, uint32_t ticket);

/* True if the spare slot, *slot, is not needed any more: all others have worked since it is open.
 */
bool lt_links_spare_is_done(const lt_links *links, unsigned *slot);

/* Of these slots (bit i = slot i), those that wait to be connected again are due now. */
void lt_links_retry(lt_links *links, uint32_t slots, livetcp_usec now);

/* The connection that is about to be up is TLS. */
void lt_links_bind(lt_links *links, unsigned slot, const lt_channel_binding *binding);

/* The TCP connection is up. False if nobody waits for it. */
bool lt_links_connected(lt_links *links, unsigned slot, livetcp_usec now);

/* Takes in a connection of a listener. `number`: 0 = not known. Errors: as livetcp_engine_adopt().
 */
livetcp_result lt_links_adopt(lt_links *links, unsigned slot, uint32_t number, livetcp_usec now);

/* The last ticket that was used in the session. False: this one is not above it, and may be one
 * that comes again. */
uint32_t lt_links_ticket(const lt_links *links);
bool lt_links_take_ticket(lt_links *links, uint32_t ticket);

/* A slot that failed by itself: a handshake that cannot be begun or takes too long, a peer that is
 * silent. Each is to be closed with `reason`. False if there is none. */
bool lt_links_next_failed(lt_links *links, unsigned *slot, livetcp_result *reason);

/* A slot that is to be closed although nothing was lost: the session was refused on another one,
 * which tries again alone. False if there is none. */
bool lt_links_next_withdrawn(const lt_links *links, unsigned *slot);

/* From here on the slot carries nothing but the reason for its close. False if there is no
 * connection, or it is closing already: nothing is left to do then. */
bool lt_links_begin_close(lt_links *links, unsigned slot, livetcp_result reason, livetcp_usec now);

/* True if it is closing; sets the reason and the start time (either may be NULL). */
bool lt_links_closing(const lt_links *links, unsigned slot, livetcp_result *reason,
                      livetcp_usec *since_us);

/* Bit i: slot i is closing. */
uint32_t lt_links_closing_slots(const lt_links *links);

/* The TCP connection is gone: the slot waits for the next one, or is closed for good. A caller
 * whose session the peer refused waits as one: see lt_links_next_withdrawn(). *renewed: the session
 * has a new identity, since its listener has forgotten it. Errors: those of `random`; the session
 * cannot go on then. */
livetcp_result lt_links_detach(lt_links *links, unsigned slot, livetcp_result reason,
                               livetcp_usec now, bool *renewed);

/* The session is about to end: closing connections send BYE, and a listener does not replace them.
 */
void lt_links_set_ending(lt_links *links);

/* The session has ended: nothing connects any more, and the keys are wiped. */
void lt_links_end(lt_links *links);

/* ---- traffic ---- */

/* A handshake's or keepalive's message came. An error ends the connection. */
livetcp_result lt_links_control(lt_links *links, unsigned slot, const lt_control *message,
                                livetcp_usec now);

/* Bytes came, or were written. */
void lt_links_received(lt_links *links, unsigned slot, livetcp_usec now);
void lt_links_wrote(lt_links *links, unsigned slot, size_t size, livetcp_usec now);

/* The last bytes were those of a packet of the application's; `first`: of its first copy. */
void lt_links_wrote_packet(lt_links *links, unsigned slot, bool first);

void lt_links_blocked(lt_links *links, unsigned slot);
void lt_links_writable(lt_links *links, unsigned slot);

/* Of `slots` (bit i = slot i), those whose path information is too old to decide by. */
uint32_t lt_links_stale(const lt_links *links, uint32_t slots, livetcp_usec now);

/* Takes path info from the platform. False if it is unused, since the slot carries nothing. */
bool lt_links_path_info(lt_links *links, unsigned slot, const livetcp_path *info, livetcp_usec now);

/* The platform would say the same again, since TCP can have learnt nothing; and that it has. */
bool lt_links_is_unchanged(const lt_links *links, unsigned slot, livetcp_usec now);
void lt_links_path_info_again(lt_links *links, unsigned slot, livetcp_usec now);

/* What the slot's last path info says about its route. */
const lt_path_sample *lt_links_path_sample(const lt_links *links, unsigned slot);

livetcp_usec lt_links_deadline(const lt_links *links);

/* Sends PINGs that are due; see lt_links_next_failed() for the rest. */
void lt_links_expire(lt_links *links, livetcp_usec now);

/* ---- questions ---- */

unsigned lt_links_count(const lt_links *links);

/* One path a slot. ready, send_limit_bytes and link_room are the sender's to fill in,
 * oldest_unacked_us the repair's. */
livetcp_path *lt_links_paths(const lt_links *links);

/* Bytes that were written since the slot's TCP connection is ours. */
uint64_t lt_links_stream_bytes(const lt_links *links, unsigned slot);

livetcp_connection_state lt_links_state(const lt_links *links, unsigned slot);
unsigned lt_links_open_count(const lt_links *links);

/* Bit i: slot i is open and not closing. */
uint32_t lt_links_open(const lt_links *links);

/* There is a connected socket behind the slot; bytes can be written to it now. */
bool lt_links_has_socket(const lt_links *links, unsigned slot);
bool lt_links_can_write(const lt_links *links, unsigned slot);

/* The transport of an open connection takes no more for now, perhaps not all that counts as
 * written. */
bool lt_links_any_blocked(const lt_links *links);

/* The slot's connection carries as much as a listener holds of a caller that has not proved itself:
 * more follows when it has. */
bool lt_links_is_early_full(const lt_links *links, unsigned slot);

/* Media, and messages about it, may come: once the peer is known, that is at once on a plain wire
 * and after CREATE, for a joining caller only when the listener has taken it in. */
bool lt_links_takes_media(const lt_links *links, unsigned slot);

/* A slot has, or may yet get, a connection. */
bool lt_links_has_future(const lt_links *links);

/* The peer has taken the connection in, and reads what comes: JOINED has come, or none will. */
bool lt_links_is_joined(const lt_links *links, unsigned slot);

/* By which both ends name the slot's connection, once the peer has taken it in; 0 = the peer sends
 * no receipts, or it has none. */
uint32_t lt_links_number(const lt_links *links, unsigned slot);

/* Caller: the listener would lose what it has been sent if the session ended now. It makes no
 * session before PROOF, and takes no connection in once another has brought the end. */
bool lt_links_is_entering(const lt_links *links);

/* The peer has proved that it has the session's key, or the wire is plain. */
bool lt_links_confirmed(const lt_links *links);

const lt_credentials *lt_links_credentials(const lt_links *links);

/* Why a connection was last lost; LIVETCP_OK = never. */
livetcp_result lt_links_last_loss(const lt_links *links);

/* The slot where a frame that is not media gets through soonest; -1 if nowhere for now. */
int lt_links_quickest(const lt_links *links, livetcp_usec now);
bool lt_links_has_way(const lt_links *links);

/* Of the slots that carry media: the longest round trip, a typical one while none is known; and the
 * shortest, 0 while none is known. */
livetcp_usec lt_links_round_trip(const lt_links *links);
livetcp_usec lt_links_min_round_trip(const lt_links *links);

/* Fill in their part. */
void lt_links_gather(const lt_links *links, livetcp_session_stats *stats);
void lt_links_gather_link(const lt_links *links, unsigned number, livetcp_link_stats *stats);
void lt_links_gather_slot(const lt_links *links, unsigned slot, livetcp_usec now,
                          livetcp_connection_stats *stats);

#endif
