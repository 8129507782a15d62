/* SPDX-License-Identifier: MIT */
/* The session's state, shared by the session_*.c files and by nobody else. */
#ifndef LT_ENGINE_SESSION_INTERNAL_H
#define LT_ENGINE_SESSION_INTERNAL_H

#include "base/rng.h"
#include "engine/links/connection.h"
#include "engine/rate/bitrate.h"
#include "engine/receiver/parity_decoder.h"
#include "engine/repair/parity_encoder.h"
#include "engine/reports/delays.h"
#include "engine/reports/feedback.h"
#include "engine/reports/protection.h"
#include "engine/sender/budget.h"
#include "engine/sender/keyframes.h"
#include "engine/sender/send_delay.h"
#include "engine/sender/send_queue.h"
#include "engine/session.h"
#include "rtp/importance/importance.h"
#include "rtp/rtcp/reporter.h"

/* Events wait here between two calls of next_event(); every call that makes some is followed by
 * one, so this is ample. Should it overflow all the same, connection events are lost first. */
#define LT_EVENTS_MAX 256

/* How soon a policy that said "wait" is asked again, when nothing else happens before; sooner, a
 * part of the round trip but not below the minimum, when room in a send buffer is waited for. */
#define LT_POLICY_RETRY_US     5000
#define LT_POLICY_RETRY_MIN_US 1000

/* Streams that are protected by parity, and parity packets that wait for a connection. */
#define LT_PROTECTED_MAX    8
#define LT_PARITY_READY_MAX 8

typedef struct lt_protected {
    lt_parity_encoder *encoder;
    uint32_t ssrc;
    uint32_t announced;       /* bit i: the peer knows, on connection i */
    uint32_t carriers;        /* bit i: connection i carries one of the group */
    livetcp_usec flush_at_us; /* when the group is closed as it is */
} lt_protected;

/* Streams whose packets repeat earlier ones (RFC 2198), and how many they may repeat. */
#define LT_REPEATING_MAX 8
#define LT_REPEATS_MAX   3

/* What the kernel's timestamps tell. */
typedef struct lt_stamped_legs {
    unsigned skip;           /* packets until the next one that is asked about, that one included */
    unsigned passed;         /* packets since */
    livetcp_usec counted_us; /*   then; INT64_MIN = none yet */
    double expected;         /* so many in an interval */
    lt_smoothed buffer, interface, network,
        repair;                          /* of what is sent; buffer: interface included */
    lt_smoothed reading, arrived_repair; /* of what is received */
    livetcp_usec sent_us, received_us;   /* when they last told; INT64_MIN = never */
    uint64_t packets, reads, invalid;
} lt_stamped_legs;

typedef struct lt_repeating {
    uint32_t ssrc;
    uint32_t carriers[LT_REPEATS_MAX]; /* of its last packets, the newest first: bit i: it went on
                                          connection i */
} lt_repeating;

struct livetcp_engine {
    livetcp_config config;
    const livetcp_policy *policy;
    void *policy_state;
    bool caller;
    livetcp_random_fn random;
    void *random_user;
    void (*on_packet)(void *user, const livetcp_packet *packet);
    void *user;
    lt_rng jitter; /* spreads reconnects of many sessions */

    /* Identity. */
    lt_credentials credentials;
    int creator;    /* caller: slot whose CREATE is under way, or -1 */
    bool confirmed; /* the peer has proved that it has the key, or the wire is plain */

    /* Connections. */
    unsigned count;
    lt_connection connections[LIVETCP_MAX_CONNECTIONS];
    livetcp_path paths[LIVETCP_MAX_CONNECTIONS];
    unsigned next_to_write; /* slot to look at first, so that none starves */

    /* Data. */
    lt_send_queue *queue;
    lt_reassembly *reassembly;
    lt_parity_decoder *parity;    /* NULL until the peer announces some */
    livetcp_usec retry_policy_us; /* LIVETCP_NEVER, or when to ask the policy again */
    bool backlogged;              /* packets had to wait since the last DRAINED */
    bool sent_wanted;             /* SENT is to be told once all is written */
    lt_budget budget;             /* of copies and parity */
    lt_protected protected[LT_PROTECTED_MAX];
    unsigned protected_count;
    lt_packet *parity_ready[LT_PARITY_READY_MAX]; /* oldest first */
    unsigned parity_ready_count;
    lt_repeating repeating[LT_REPEATING_MAX];
    unsigned repeating_count, repeating_next;
    livetcp_usec review_us;        /* when the policy is asked about packets in flight */
    lt_packet *due[LT_REVIEW_MAX]; /* the round of questions under way, */
    unsigned due_count, due_asked; /*   and how far it is */
    bool due_left_out;             /* more was due than it has room for */
    unsigned next_to_review;       /* slot to look at first */
    livetcp_usec last_media_us;    /* when the application last sent something; NEVER = not yet */
    livetcp_usec idle_at_us;       /* next round of idle packets */

    /* The estimated bit rate. */
    lt_bitrate bitrate;
    uint64_t delivered_bytes; /* acknowledged, on all connections there ever were */
    uint64_t media_written;   /* the application's packets, first copies */
    bool facts_came;          /* since the estimate was last looked at */
    livetcp_usec look_at_us;  /* not before */

    /* RTCP. */
    lt_reporter *reporter;         /* NULL with rtcp = off */
    bool application_reports;      /* and so ours are not wanted with rtcp = auto */
    bool goodbye_reported;         /* BYE was written */
    livetcp_usec wall_clock_ahead; /* of `now` */

    /* Feedback and the legs of the delay. */
    lt_feedback feedback;
    lt_smoothed queue_leg, buffer_leg, network_leg, repair_leg; /* of what is sent */
    lt_smoothed hold_leg;                                       /* of what is received */
    lt_stamped_legs stamped;
    lt_least_protection protection;
    uint32_t newest_ssrc; /* the packet that was received last */
    uint16_t newest_sequence;
    livetcp_usec newest_us;
    livetcp_usec now_us; /* while something is received or expires: when */
    livetcp_playout_report playout;
    bool playing;         /* playout was reported */
    bool margin_reported; /* since our last RECEPTION */

    /* What is given up. */
    lt_importance_state importance;   /* of packets whose payload is looked at */
    livetcp_usec late_check_us;       /* when something in the send queue may be late, or wanted */
    livetcp_usec late_scan_from_us;   /* not to look at the whole queue before */
    livetcp_usec key_warning_from_us; /* not to tell of a dropped key frame before */
    lt_keyframes keyframes;           /* streams that need one */
    bool key_lost;                    /* a key frame was dropped, and that is not told yet: */
    uint32_t key_lost_ssrc;           /*   of this stream */
    bool limit_told;                  /* that max-send-delay is less than a round trip */

    /* Life. */
    livetcp_session_state state;
    livetcp_result last_loss; /* why a connection was last lost */
    bool closing;             /* close() was called and the queue drains, or the peer said BYE */
    bool peer_ended;          /* a BYE came; connections are read until each has ended */
    livetcp_result close_reason;
    livetcp_usec drain_until_us;
    livetcp_usec abandoned_at_us; /* listener: when a session without connections ends */

    livetcp_engine_event events[LT_EVENTS_MAX];
    unsigned first_event, event_count;

    livetcp_session_stats stats; /* counters only; the rest is filled in on request */
};

/* ---- session.c ---- */

const lt_credentials *lt_session_credentials(const livetcp_engine *session);

/* Hands a packet to the owner. */
void lt_session_hand_over(livetcp_engine *session, const lt_arrival *arrival);

void lt_session_emit(livetcp_engine *session, livetcp_engine_event event);

unsigned lt_session_open_connections(const livetcp_engine *session);

/* Works out the session's state from its connections', and tells. */
void lt_session_update_state(livetcp_engine *session, livetcp_usec now);

/* BYE on every connection, then every slot is given up; the session is CLOSED from here on. */
void lt_session_finish(livetcp_engine *session, livetcp_usec now);

/* The peer said BYE on this connection. It writes no more, but what it wrote before on the others
 * may still be on its way: the session ends when they have, or after peer_timeout_us. */
void lt_session_hear_goodbye(livetcp_engine *session, lt_connection *connection, livetcp_usec now);

/* Emits SENT if it is wanted and all is written. */
void lt_session_tell_sent(livetcp_engine *session);

/* Finishes a close() whose queue has drained or whose time is up, and a session whose peer has
 * ended all connections. */
void lt_session_check_drained(livetcp_engine *session, livetcp_usec now);

/* ---- session_connections.c ---- */

void lt_session_set_state(livetcp_engine *session, lt_connection *connection,
                          livetcp_connection_state state, livetcp_result reason);

/* The connection is part of the session and may carry media. */
void lt_session_open(livetcp_engine *session, lt_connection *connection, livetcp_usec now);

/* This connection is to be closed as it is: what it has not written goes back to the send queue,
 * and next_close() names it. */
void lt_session_condemn(livetcp_engine *session, lt_connection *connection, livetcp_result reason,
                        livetcp_usec now);

/* The engine closes this connection: REJECT with `reason` if the peer can read it, then
 * next_close() names it. */
void lt_session_give_up(livetcp_engine *session, lt_connection *connection, livetcp_result reason,
                        livetcp_usec now);

/* CREATE or JOIN on every connected slot that waits for it. */
void lt_session_start_handshakes(livetcp_engine *session, livetcp_usec now);

/* Takes over packets that their connection did not write whole, or that were not acknowledged:
 * back to the send queue, unless another connection carries a copy. NULL is fine. */
void lt_session_requeue(livetcp_engine *session, lt_packet *packet, unsigned connection);

/* ---- session_view.c ---- */

/* What may be in the kernel's send buffer; UINT32_MAX = no limit, or too little is known. */
uint32_t lt_session_send_limit(const livetcp_config *config, const livetcp_path *path);

/* Facts that the engine derives itself, for every connection: ready, send_limit_bytes. */
void lt_session_refresh_paths(livetcp_engine *session);

/* Bit i: connection i takes a packet, as far as the last refresh knows. */
uint32_t lt_session_ready_paths(const livetcp_engine *session);

livetcp_policy_view lt_session_view(livetcp_engine *session, livetcp_usec now);

livetcp_packet_view lt_session_describe(const lt_packet *packet);

/* The longest of the connections'; a typical one while none is known. */
livetcp_usec lt_session_round_trip(const livetcp_engine *session);

/* ---- session_repeat.c ---- */

/* Makes the connections that carry what the packet repeats look full to the policy, if another
 * could take it. False if there was nothing to do; otherwise refresh_paths() undoes it. */
bool lt_session_hide_repeated(livetcp_engine *session, const lt_packet *packet);

/* A packet of the application went to these connections. */
void lt_session_repeat_placed(livetcp_engine *session, const lt_packet *packet,
                              uint32_t connections);

/* ---- session_place.c ---- */

/* Of the connections that a policy chose, those that can take a packet. A policy of the
 * application's must not be able to break a connection: one that names what is not there is counted
 * and told about, and the packet goes the way of `single`. */
uint32_t lt_session_contain(livetcp_engine *session, uint32_t chosen);

/* Puts copies into the outboxes of the connections named, the first for nothing if `first` says so
 * and the others as far as the budget goes. Returns how many. */
unsigned lt_session_put_copies(livetcp_engine *session, lt_packet *packet, uint32_t connections,
                               bool first, livetcp_usec now);

/* Whether a parity packet, or else the oldest of the send queue, was moved to at least one
 * connection's outbox. */
bool lt_session_place_next(livetcp_engine *session, livetcp_usec now);

/* ---- session_review.c ---- */

/* Whether a further copy of a packet in flight was put into at least one outbox. */
bool lt_session_review_next(livetcp_engine *session, livetcp_usec now);

void lt_session_end_review(livetcp_engine *session);

/* ---- session_bitrate.c ---- */

/* When facts have come, and before anything is written: what waits now has been waiting. */
void lt_session_look_at_bitrate(livetcp_engine *session, livetcp_usec now);

/* ---- session_protect.c ---- */

/* A packet that was placed joins a parity group. Whether it did. */
bool lt_session_protect(livetcp_engine *session, const lt_packet *packet, livetcp_usec now);

/* The connection is gone: its successor's peer has been told nothing. */
void lt_session_forget_announced(livetcp_engine *session, unsigned index);

livetcp_usec lt_session_parity_deadline(const livetcp_engine *session);
void lt_session_flush_parity(livetcp_engine *session, livetcp_usec now);

/* The oldest parity packet that waits for a connection, or NULL; the session keeps the reference.
 */
lt_packet *lt_session_next_parity(livetcp_engine *session, livetcp_usec now);

/* Bit i: the peer knows on connection i that this is parity; elsewhere it would take it for media.
 */
uint32_t lt_session_parity_known(const livetcp_engine *session, const lt_packet *parity);

/* That one went to a connection, or nowhere because the budget is spent. */
void lt_session_parity_placed(livetcp_engine *session, bool anywhere);

void lt_session_end_parity(livetcp_engine *session);

/* ---- session_drop.c ---- */

void lt_session_prepare_drops(livetcp_engine *session);

/* The application's packet enters the send queue, for which others, or it, may be dropped. Takes
 * over the reference; on failure (see lt_send_queue_reserve()) it stays the caller's. */
livetcp_result lt_session_enqueue(livetcp_engine *session, lt_packet *packet);

/* A packet goes back to the front of the send queue, and takes the room of less important ones if
 * need be. On failure, which returns false, the reference stays the caller's. */
bool lt_session_put_back(livetcp_engine *session, lt_packet *packet);

/* A packet is lost for good. */
void lt_session_note_loss(livetcp_engine *session, const lt_packet *packet);

/* Drops what would be delivered too late, and asks for the key frames that are wanted. */
void lt_session_drop_late(livetcp_engine *session, livetcp_usec now);

/* The limit in force; 0 = none. */
livetcp_usec lt_session_send_delay_limit(const livetcp_engine *session);

lt_send_delay lt_session_send_delay(const livetcp_engine *session, livetcp_usec now);

/* ---- session_flight.c ---- */

/* A packet was written whole; takes over the reference. */
void lt_session_in_flight(livetcp_engine *session, lt_connection *connection, lt_packet *packet,
                          livetcp_usec now);

/* Lets go of what the platform's facts say is acknowledged. */
void lt_session_acknowledged(livetcp_engine *session, lt_connection *connection, livetcp_usec now);

/* The connection went into recovery or timeout: the policy is asked about what no other connection
 * carries. */
void lt_session_alarm(livetcp_engine *session, const lt_connection *connection, livetcp_usec now);

/* The connection is gone: what it did not get acknowledged goes back to the send queue, in order,
 * unless another connection carries it. */
void lt_session_recover_flight(livetcp_engine *session, lt_connection *connection);

/* ---- session_fillers.c ---- */

/* The application sent something. */
void lt_session_not_idle(livetcp_engine *session, livetcp_usec now);

/* A packet of the application's was written here: what is to follow it, and when. */
void lt_session_plan_chaser(const livetcp_engine *session, lt_connection *connection,
                            livetcp_usec now);

/* Chasers and idle packets that are due; false if there were none. */
bool lt_session_send_fillers(livetcp_engine *session, livetcp_usec now);

/* ---- session_control.c ---- */

/* Queues a control frame, LENGTH included. */
void lt_session_write_control(lt_connection *connection, const lt_control *message);

/* An RTCP APP packet of ours came in. An error gives the connection up. */
livetcp_result lt_session_control(livetcp_engine *session, lt_connection *connection,
                                  const uint8_t *packet, size_t size, livetcp_usec now);

/* ---- session_parity.c ---- */

/* A PARITY message came in. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_session_parity_announced(livetcp_engine *session, const lt_control *message);

/* Delivers what can be rebuilt, once the decoder, which there must be, took a packet. */
void lt_session_deliver_rebuilt(livetcp_engine *session, const lt_arrival *piece);

/* Where a frame that is not media gets through soonest; NULL if nowhere for now. */
lt_connection *lt_session_quickest(livetcp_engine *session, livetcp_usec now);
bool lt_session_has_way(const livetcp_engine *session);

/* ---- session_feedback.c ---- */

void lt_session_prepare_feedback(livetcp_engine *session);

/* The application's packet has been given to connections: `copies` of it, and to its stream's
 * parity. */
void lt_session_observe_placed(livetcp_engine *session, const lt_packet *packet, unsigned copies,
                               bool parity);

/* A packet of the application's was written for the first time; or acknowledged for the first time,
 * on this connection, where it was written at `written_us`. */
void lt_session_observe_written(livetcp_engine *session, lt_connection *connection,
                                lt_packet *packet, livetcp_usec now);
void lt_session_observe_acknowledged(livetcp_engine *session, const lt_connection *connection,
                                     const lt_packet *packet, livetcp_usec written_us,
                                     livetcp_usec now);

/* An RTP packet is delivered to the application. */
void lt_session_observe_delivered(livetcp_engine *session, const lt_arrival *arrival,
                                  const lt_rtp_header *header);

/* A message of the peer's came. */
void lt_session_take_feedback(livetcp_engine *session, const lt_control *message, livetcp_usec now);

livetcp_usec lt_session_feedback_deadline(const livetcp_engine *session);
void lt_session_send_feedback(livetcp_engine *session, livetcp_usec now);

void lt_session_gather_feedback(const livetcp_engine *session, livetcp_session_stats *stats,
                                livetcp_usec now);

/* ---- session_stamps.c ---- */

void lt_session_prepare_stamps(livetcp_engine *session);

/* Whether the kernel is to tell about the write that comes next on this connection. */
bool lt_session_wants_stamp(livetcp_engine *session, lt_connection *connection, livetcp_usec now);

/* A packet of the application's was written whole for the first time. */
void lt_session_stamp_written(livetcp_engine *session, lt_connection *connection, lt_packet *packet,
                              livetcp_usec now);

/* So many packets were in what was read in one go. */
void lt_session_take_read_stamp(livetcp_engine *session, lt_connection *connection,
                                const livetcp_rx_timestamp *stamp, unsigned packets,
                                livetcp_usec now);

/* The legs of what is sent as far as this side knows them: as the kernel tells, or else inferred.
 */
void lt_session_sent_legs(const livetcp_engine *session, livetcp_delays *delays, livetcp_usec now);

/* What the kernel tells of the waits for repair here, or else what the peer `told`. */
livetcp_usec lt_session_arrived_repair(const livetcp_engine *session, livetcp_usec told,
                                       livetcp_usec now);

void lt_session_gather_stamps(const livetcp_engine *session, livetcp_session_stats *stats,
                              livetcp_usec now);

/* ---- session_rtcp.c ---- */

/* Errors: LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_SYSTEM (no randomness). */
livetcp_result lt_session_prepare_reports(livetcp_engine *session, const char *cname);

/* A packet of the application's was written for the first time. */
void lt_session_report_sent(livetcp_engine *session, const lt_packet *packet, livetcp_usec now);

/* A packet on its way out of reassembly to the application; `user` is the session. */
void lt_session_deliver_media(void *user, const lt_arrival *arrival);

/* Whether LiveTCP made it: an RTCP compound with the mark in it. */
bool lt_session_is_report(const livetcp_engine *session, const uint8_t *data, size_t size);

/* The peer sent RTCP that is not control; and the application sends some itself. */
void lt_session_hear_report(livetcp_engine *session, const lt_arrival *arrival);
void lt_session_note_application_rtcp(livetcp_engine *session, const uint8_t *data, size_t size);

livetcp_usec lt_session_report_deadline(const livetcp_engine *session);
void lt_session_send_report(livetcp_engine *session, livetcp_usec now);

/* BYE on this connection, unless it was said before. */
void lt_session_report_goodbye(livetcp_engine *session, lt_connection *connection,
                               livetcp_usec now);

void lt_session_gather_reports(const livetcp_engine *session, livetcp_session_stats *stats);

/* Whether the platform is asked about connections at all: the policy may want to know, and send
 * buffers are limited whatever it wants. */
static inline bool lt_session_asks_facts(const livetcp_engine *session)
{
    return session->policy->wants & LIVETCP_WANTS_PATHS || session->config.min_buf_a > 0 ||
           session->config.max_send_delay_us > 0;
}

static inline bool lt_session_plain(const livetcp_engine *session)
{
    return session->config.wire == LIVETCP_WIRE_PLAIN;
}

#endif
