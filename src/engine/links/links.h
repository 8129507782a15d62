/* SPDX-License-Identifier: MIT */
/*
 * The connections of a session: slots in which one TCP connection replaces another. Handles joining
 * the session, keepalive, reconnecting, and each connection's path information. Unwritten and
 * unacknowledged packets belong to other components: session.c takes them back from those before it
 * ends a connection here.
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
    const livetcp_config *config; /* its fields are copied */
    bool caller;
    unsigned count;                 /* slots */
    const livetcp_pending *pending; /* listener: the first connection, or NULL */
    livetcp_random_fn random;       /* for secrets */
    void *random_user;
    lt_rng *jitter; /* spreads the reconnects of many sessions; the session's */
    lt_events *events;
    lt_control_writer writer;
} lt_links_setup;

/* Errors: LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_SYSTEM, and those of `random`. */
livetcp_result lt_links_create(const lt_links_setup *setup, lt_links **links);
void lt_links_destroy(lt_links **links);

/* ---- connecting, joining and closing ---- */

/* Next slot that wants a TCP connection now; its state is CONNECTING from then on. Callers only.
 * False if there is none. */
bool lt_links_next_connect(lt_links *links, livetcp_usec now, unsigned *slot);

/* Assigns the slot to network link `number`; `weight` is the cost of a byte there. */
void lt_links_set_link(lt_links *links, unsigned slot, unsigned number, unsigned weight);

/* The spare slot, behind those of the session, is for a connection that is made during an outage of
 * all others. True if both ends support it. Callers only. */
bool lt_links_has_spare(const lt_links *links);

/* Sets *slot to the spare slot. True if it has a connection, or one is being established. */
bool lt_links_spare_is_up(const lt_links *links, unsigned *slot);

/* If the spare slot has no connection: its state is CONNECTING from then on. Returns its index. */
unsigned lt_links_take_spare(lt_links *links, livetcp_usec now);

/* Listeners: true if `slot` is the spare slot and a connection with this ticket replaces the one in
 * it. A caller has only one spare connection at a time, and uses each ticket once. */
bool lt_links_replaces_spare(const lt_links *links, unsigned slot, uint32_t ticket);

/* Sets *slot to the spare slot. True if its connection is not needed any more: all others have
 * worked since it was opened. */
bool lt_links_spare_is_done(const lt_links *links, unsigned *slot);

/* Callers: connections whose route is longer than that of others on their link, and that carry
 * little for that, are to be replaced. True if some are due: see lt_links_next_withdrawn(). */
bool lt_links_leave_longer_routes(lt_links *links, livetcp_usec now);

/* Bit i: slot i has been stuck since an outage, while others on its link work, and may be given up.
 */
uint32_t lt_links_stuck(const lt_links *links, livetcp_usec now);

/* The next attempts of these slots (bit i = slot i), if they wait for one, are due now. */
void lt_links_retry(lt_links *links, uint32_t slots, livetcp_usec now);

/* Channel binding of the slot's next connection, which is TLS. */
void lt_links_bind(lt_links *links, unsigned slot, const lt_channel_binding *binding);

/* The TCP connection is established. False if the slot does not expect one. */
bool lt_links_connected(lt_links *links, unsigned slot, livetcp_usec now);

/* Adopts a connection that a listener has accepted. `number`: 0 = unknown. Errors: as
 * livetcp_engine_adopt(). */
livetcp_result lt_links_adopt(lt_links *links, unsigned slot, uint32_t number, livetcp_usec now);

/* The highest ticket used in the session; and its use by a connection. False: the ticket is not
 * higher, and may be a replay. */
uint32_t lt_links_ticket(const lt_links *links);
bool lt_links_take_ticket(lt_links *links, uint32_t ticket);

/* Next slot that failed by itself: its handshake could not begin or timed out, or its peer is
 * silent. Close it with `reason`. False if there is none. */
bool lt_links_next_failed(lt_links *links, unsigned *slot, livetcp_result *reason);

/* Next slot to close although it did not fail: the session was refused on another slot, which alone
 * tries again, or the slot leaves a longer route. False if there is none. */
bool lt_links_next_withdrawn(const lt_links *links, unsigned *slot);

/* Begins to close the slot's connection: from now on it carries nothing but the reason. False if
 * there is no connection, or it is closing already; then nothing is left to do. */
bool lt_links_begin_close(lt_links *links, unsigned slot, livetcp_result reason, livetcp_usec now);

/* True if the slot is closing; sets the reason and the start time (either may be NULL). */
bool lt_links_closing(const lt_links *links, unsigned slot, livetcp_result *reason,
                      livetcp_usec *since_us);

/* Bit i: slot i is closing. */
uint32_t lt_links_closing_slots(const lt_links *links);

/* The TCP connection has ended. The slot waits for the next one, or is closed for good; after a
 * refusal of a caller's session, see lt_links_next_withdrawn(). *renewed: the session has a new
 * identity, since its listener does not know it any more. Errors: those of `random`; the session
 * cannot continue then. */
livetcp_result lt_links_detach(lt_links *links, unsigned slot, livetcp_result reason,
                               livetcp_usec now, bool *renewed);

/* The session is about to end: closing connections send BYE, and a listener's slots are not reused.
 */
void lt_links_set_ending(lt_links *links);

/* The session has ended: no slot connects again, and the keys are wiped. */
void lt_links_end(lt_links *links);

/* ---- traffic ---- */

/* A message of the handshake or of the keepalive. An error ends the connection. */
livetcp_result lt_links_control(lt_links *links, unsigned slot, const lt_control *message,
                                livetcp_usec now);

/* Bytes were received, or written. */
void lt_links_received(lt_links *links, unsigned slot, size_t size, livetcp_usec now);
void lt_links_wrote(lt_links *links, unsigned slot, size_t size, livetcp_usec now);

/* The last write completed a media packet; `first`: its first copy. */
void lt_links_wrote_packet(lt_links *links, unsigned slot, bool first);

void lt_links_blocked(lt_links *links, unsigned slot);
void lt_links_writable(lt_links *links, unsigned slot);

/* Those of `slots` (bit i = slot i) whose path info is too old for a decision. */
uint32_t lt_links_stale(const lt_links *links, uint32_t slots, livetcp_usec now);

/* Takes path info from the platform. False if the slot has no use for it, since it carries nothing.
 */
bool lt_links_path_info(lt_links *links, unsigned slot, const livetcp_path *info, livetcp_usec now);

/* True if new path info would equal the last one, since TCP cannot have received anything; and its
 * use in place of a new one. */
bool lt_links_is_unchanged(const lt_links *links, unsigned slot, livetcp_usec now);
void lt_links_path_info_again(lt_links *links, unsigned slot, livetcp_usec now);

/* The sample of the route in the slot's last path info. */
const lt_path_sample *lt_links_path_sample(const lt_links *links, unsigned slot);

livetcp_usec lt_links_deadline(const lt_links *links);

/* Sends PINGs that are due; for expired connections see lt_links_next_failed(). */
void lt_links_expire(lt_links *links, livetcp_usec now);

/* ---- questions ---- */

unsigned lt_links_count(const lt_links *links);

/* One path per slot. ready, send_limit_bytes and link_room are filled in by the sender,
 * oldest_unacked_us by repair. */
livetcp_path *lt_links_paths(const lt_links *links);

/* Bytes written on the slot's TCP connection since it was handed to the engine. */
uint64_t lt_links_stream_bytes(const lt_links *links, unsigned slot);

/* When the peer's TCP was last seen to have more of these; INT64_MIN = never. */
livetcp_usec lt_links_progress(const lt_links *links, unsigned slot);

livetcp_connection_state lt_links_state(const lt_links *links, unsigned slot);
unsigned lt_links_open_count(const lt_links *links);

/* Bit i: slot i is open and not closing. */
uint32_t lt_links_open(const lt_links *links);

/* The slot has a connected socket; and bytes can be written to it now. */
bool lt_links_has_socket(const lt_links *links, unsigned slot);
bool lt_links_can_write(const lt_links *links, unsigned slot);

/* The transport of an open connection takes no more bytes now; it may still hold some that count as
 * written. */
bool lt_links_any_blocked(const lt_links *links);

/* The slot's connection has written as much as a listener holds for a caller that has not proved
 * itself; more may follow after the proof. */
bool lt_links_is_early_full(const lt_links *links, unsigned slot);

/* Media and messages about it are accepted from the peer: on a plain wire at once, after CREATE at
 * once, and on a joining caller only once the listener is authenticated. */
bool lt_links_takes_media(const lt_links *links, unsigned slot);

/* A slot has a connection, or may still get one. */
bool lt_links_has_future(const lt_links *links);

/* The peer has taken the connection into the session and reads it: JOINED has come, or none is
 * expected. */
bool lt_links_is_joined(const lt_links *links, unsigned slot);

/* Number by which both ends identify the slot's connection, once the peer has taken it into the
 * session; 0 = it has none, or the peer sends no receipts. */
uint32_t lt_links_number(const lt_links *links, unsigned slot);

/* Caller: the listener would lose what it was sent if the session ended now. It creates no session
 * before PROOF, and takes in no connection after another one has ended the session. */
bool lt_links_is_entering(const lt_links *links);

/* The peer has proved that it has the session's key, or the wire is plain. */
bool lt_links_confirmed(const lt_links *links);

const lt_credentials *lt_links_credentials(const lt_links *links);

/* Reason of the last lost connection; LIVETCP_OK = none was lost. */
livetcp_result lt_links_last_loss(const lt_links *links);

/* The slot on which a frame other than media arrives soonest; -1 if none can be written to now.
 * lt_links_has_way() ignores stalls. */
int lt_links_quickest(const lt_links *links, livetcp_usec now);
bool lt_links_has_way(const lt_links *links);

/* Over the slots that carry media: the longest round trip, or a typical one while none is known;
 * and the shortest minimum, 0 while none is known. */
livetcp_usec lt_links_round_trip(const lt_links *links);
livetcp_usec lt_links_min_round_trip(const lt_links *links);

/* Fill in this component's part. */
void lt_links_gather(const lt_links *links, livetcp_session_stats *stats);
void lt_links_gather_link(const lt_links *links, unsigned number, livetcp_link_stats *stats);
void lt_links_gather_slot(const lt_links *links, unsigned slot, livetcp_usec now,
                          livetcp_connection_stats *stats);

#endif
