/* SPDX-License-Identifier: MIT */
/*
 * The engine: all connections of one session, without a clock, a socket or a thread. Bytes and
 * facts come in with the time; bytes to write, packets, events and one deadline go out.
 *
 * The owner (src/io, or a test) does this after every call that changed something:
 *
 *     while (lt_session_next_connect(...))  start a TCP connection for that slot
 *     wants = lt_session_wants_facts(...)   ask the platform about those connections
 *     while (lt_session_next_write(...))    write; report wrote, blocked or lost
 *     while (lt_session_next_close(...))    close that slot's socket
 *     while (lt_session_next_event(...))    tell the application
 *     arm one timer for lt_session_deadline(), which calls lt_session_expire()
 *
 * Not thread-safe: the owner holds a lock.
 */
#ifndef LT_ENGINE_SESSION_H
#define LT_ENGINE_SESSION_H

#include "base/stamp.h"
#include "engine/receiver/reassembly.h"
#include "wire/handshake.h"

#include <livetcp/session.h>

/* How many packets under way the policy is asked about in one round. */
#define LT_REVIEW_MAX 64

typedef struct lt_session lt_session;

typedef struct lt_session_setup {
    const livetcp_config *config; /* copied; checked by the caller */
    const livetcp_policy *policy; /* must outlive the session */
    bool caller;                  /* connects; false: connections are adopted */
    lt_random_fn random;          /* nonces and keys */
    void *random_user;
    lt_deliver_fn deliver; /* called from lt_session_receive() and lt_session_expire() */
    void *deliver_user;
    const char *cname; /* of our reports, LT_CNAME_SIZE with its NUL: sessions of one endpoint have
                          the same; NULL = one of its own. Copied */
} lt_session_setup;

/* Errors: LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_SYSTEM (no randomness). */
livetcp_result lt_session_create(const lt_session_setup *setup, lt_session **session);
void lt_session_destroy(lt_session **session);

/* A listener's session: credentials made by lt_inbound_accept(), and the proof still to come.
 * Copied. Plain sessions need neither. `count` is how many connections the caller announced. */
void lt_session_set_credentials(lt_session *session, const lt_credentials *credentials,
                                const lt_pending_proof *pending, unsigned count);
const lt_credentials *lt_session_credentials(const lt_session *session);

/* ---- connections ---- */

/* A slot that wants a TCP connection now; it is CONNECTING from here on, until connected() or
 * lost(). Returns false if none does. Callers only. */
bool lt_session_next_connect(lt_session *session, livetcp_usec now, unsigned *index);

/* The TCP connection of that slot is up (caller). */
void lt_session_connected(lt_session *session, unsigned index, livetcp_usec now);

/* Takes in a proved (or plain, or created) connection of a listener. Errors: INDEX_RANGE,
 * INDEX_IN_USE, CLOSED; the connection stays the caller's. */
livetcp_result lt_session_adopt(lt_session *session, unsigned index, livetcp_usec now);

/* The socket of that slot failed or ended, or could not be connected, for `reason`. A packet that
 * was cut short goes back to the front of the send queue. */
void lt_session_lost(lt_session *session, unsigned index, livetcp_result reason, livetcp_usec now);

/* A slot whose socket is to be closed now, because the engine gave it up; it is not reported with
 * lost() again. */
bool lt_session_next_close(lt_session *session, unsigned *index, livetcp_result *reason);

/* Ends the session: what is queued is sent until now + drain_us, then BYE, then every slot is
 * closed. The CLOSED event carries `reason`. */
void lt_session_close(lt_session *session, livetcp_result reason, livetcp_usec drain_us,
                      livetcp_usec now);

/* ---- data ---- */

/* Takes one packet from the application; see livetcp_session_send(). */
livetcp_result lt_session_send(lt_session *session, const uint8_t *data, size_t size,
                               livetcp_usec now);

/* The same, with what the packet is to its programme. */
livetcp_result lt_session_send_as(lt_session *session, const uint8_t *data, size_t size,
                                  livetcp_importance importance, livetcp_usec now);

/* The same, as livetcp_session_send_with() has it; `info` may be NULL. */
livetcp_result lt_session_send_with(lt_session *session, const uint8_t *data, size_t size,
                                    const livetcp_packet_info *info, livetcp_usec now);

/* Takes bytes that a slot's socket delivered. On an error the engine has given the slot up: it
 * comes out of next_close() (with a REJECT to write before, where the peer can read one). */
livetcp_result lt_session_receive(lt_session *session, unsigned index, const uint8_t *data,
                                  size_t size, livetcp_usec now);

/* The same with when it came to this host. */
livetcp_result lt_session_receive_stamped(lt_session *session, unsigned index, const uint8_t *data,
                                          size_t size, const lt_read_stamp *stamp,
                                          livetcp_usec now);

/* One write call: exactly these bytes in one go, since a policy may have cut the frame on purpose
 * (split). Never spans two frames. */
typedef struct lt_write {
    unsigned index;
    const uint8_t *data; /* valid until the next call */
    size_t size;
    bool stamp; /* the kernel is to tell about the last byte that it takes; see has_stamps() */
} lt_write;

/* What to write next; asks the policy when it must. False if nothing can be written now. */
bool lt_session_next_write(lt_session *session, livetcp_usec now, lt_write *write);

/* The kernel took `size` of the bytes that next_write() named. */
void lt_session_wrote(lt_session *session, unsigned index, size_t size, livetcp_usec now);

/* The kernel takes no more on this slot (EAGAIN); call writable() when it does again. */
void lt_session_blocked(lt_session *session, unsigned index);

/* The kernel takes more, or has sent some of what it held; facts from before do not count. */
void lt_session_writable(lt_session *session, unsigned index);

/* Slots where packets wait, by the send limit and not the kernel's, until less than unsent_limit()
 * is unsent. deadline() covers them, but an owner who can learn of that earlier calls writable().
 */
uint32_t lt_session_wants_room(const lt_session *session);

/* Bytes that may be in a slot's kernel send buffer without having been sent, as min-buf-a and -b
 * and the facts say; at least 1, UINT32_MAX = any number. */
uint32_t lt_session_unsent_limit(const lt_session *session, unsigned index);

/* Slots (bit i = slot i) whose facts are too old for the decision that next_write() has to make;
 * 0 if none is due. Answer with facts() before next_write(). */
uint32_t lt_session_wants_facts(lt_session *session, livetcp_usec now);

/* Facts from the platform: `known`, the byte counts, tcp_state, cwnd, times. connection, usable,
 * blocked and last_write_us are the engine's own and ignored. What is not known this time stays as
 * it was. */
void lt_session_facts(lt_session *session, unsigned index, const livetcp_path *facts,
                      livetcp_usec now);

/* ---- kernel timestamps ---- */

/* The slot's socket, whose first byte is yet to be written by the engine, tells them: next_write()
 * asks for some. Until it is told the engine asks for none, and infers. */
void lt_session_has_stamps(lt_session *session, unsigned index);

/* The kernel told one, in the engine's clock; bytes are counted from the engine's first. */
void lt_session_take_stamp(lt_session *session, unsigned index, const lt_stamp *stamp,
                           livetcp_usec now);

/* ---- time ---- */

/* Wall-clock time less `now`, both in µs, for the NTP times of reports; 0 until it is told. Tell it
 * before expire(). */
void lt_session_set_wall_clock(lt_session *session, livetcp_usec ahead_us);

/* When expire() has something to do; LIVETCP_NEVER if nothing is pending. */
livetcp_usec lt_session_deadline(const lt_session *session);
void lt_session_expire(lt_session *session, livetcp_usec now);

/* ---- events and facts for the application ---- */

typedef enum lt_event_type {
    LT_EVENT_SESSION_STATE,    /* state.session, reason */
    LT_EVENT_CONNECTION_STATE, /* index, state.connection, reason */
    LT_EVENT_DRAINED,
    LT_EVENT_WARNING,         /* reason, and what belongs to it: the session goes on */
    LT_EVENT_KEYFRAME_WANTED, /* ssrc */
    LT_EVENT_BITRATE          /* bitrate: the estimate has changed */
} lt_event_type;

typedef struct lt_event {
    lt_event_type type;
    unsigned index;
    union {
        livetcp_session_state session;
        livetcp_connection_state connection;
    } state;
    livetcp_result reason; /* LIVETCP_OK unless something was lost */
    uint32_t ssrc;
    uint32_t bitrate;      /* bit/s */
    livetcp_usec asked_us; /* WARNING, LIVETCP_ERR_INVALID_ARGUMENT: max-send-delay, */
    livetcp_usec used_us;  /*   and what is in force instead */
} lt_event;

bool lt_session_next_event(lt_session *session, lt_event *event);

livetcp_session_state lt_session_state(const lt_session *session);
unsigned lt_session_connections(const lt_session *session);

/* See livetcp_session_report_playout(). */
livetcp_result lt_session_report_playout(lt_session *session, const livetcp_playout_report *report);

/* See livetcp_session_set_clock_rate(). */
livetcp_result lt_session_set_clock_rate(lt_session *session, int payload_type, uint32_t rate);

/* struct_size is not looked at: these fill the whole struct. */
void lt_session_get_stats(const lt_session *session, livetcp_usec now,
                          livetcp_session_stats *stats);
void lt_session_get_connection_stats(const lt_session *session, unsigned index, livetcp_usec now,
                                     livetcp_connection_stats *stats);

#endif
