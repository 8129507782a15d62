/* SPDX-License-Identifier: MIT */
/* The legs of the delay by the kernel's own times: which packets it is asked about, and what its
 * answers say. */
#include "engine/session_internal.h"

/* Packets that wait for their stamps, a connection: of some, and of all. */
#define SAMPLES_MAX 32
#define ALL_MAX     256

/* With timestamps=auto one packet in this time, or every one if fewer come; the means need no more.
 * docs/tuning.md has what it costs. */
#define SAMPLE_INTERVAL_US 20000

/* How long packets are counted for that. */
#define COUNTED_US 100000

/* Means older than this say nothing about now. */
#define FRESH_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* What the means of reads are made of, at most, of each. */
#define READ_SAMPLES_MAX 16

/* Longer than this and it was a pause. */
#define READ_GAP_MAX_US LIVETCP_USEC_SEC

void lt_session_prepare_stamps(livetcp_engine *session)
{
    session->stamped.sent_us = session->stamped.received_us = INT64_MIN;
    session->stamped.counted_us = INT64_MIN;
    session->stamped.skip = 1;
}

void livetcp_engine_has_timestamps(livetcp_engine *session, unsigned index)
{
    session->connections[index].has_stamps = session->config.timestamps != LIVETCP_TIMESTAMPS_OFF;
}

/* ---- which packets ---- */

static unsigned capacity(const livetcp_engine *session)
{
    return session->config.timestamps == LIVETCP_TIMESTAMPS_ON ? ALL_MAX : SAMPLES_MAX;
}

static void count_packet(lt_stamped_legs *stamped, livetcp_usec now)
{
    bool first = stamped->counted_us == INT64_MIN;
    livetcp_usec span = first ? COUNTED_US : now - stamped->counted_us;

    stamped->passed++;
    if (span < COUNTED_US)
        return;
    if (!first)
        stamped->expected = stamped->passed * (double)SAMPLE_INTERVAL_US / (double)span;
    stamped->passed = 0;
    stamped->counted_us = now;
}

/* The first of a burst never waits behind it, so the clock must not choose: it is one of as many
 * packets as come in the interval, at random. */
static unsigned choose_next(livetcp_engine *session)
{
    double expected = session->stamped.expected;

    if (session->config.timestamps == LIVETCP_TIMESTAMPS_ON || expected <= 1)
        return 1;
    return 1 + (unsigned)(lt_rng_uniform(&session->jitter) * 2 * (expected - 1));
}

bool lt_session_wants_stamp(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    const lt_packet *packet = lt_outbox_finishing(&connection->outbox);
    bool wants = connection->has_stamps && packet && !packet->written && !packet->rtcp &&
                 !packet->parity && session->stamped.skip <= 1 &&
                 lt_stamps_room(&connection->stamps, capacity(session), now);

    connection->stamp_from_us = wants ? now : INT64_MIN;
    return wants;
}

void lt_session_stamp_written(livetcp_engine *session, lt_connection *connection, lt_packet *packet,
                              livetcp_usec now)
{
    lt_stamped_legs *stamped = &session->stamped;

    if (packet->rtcp)
        return;
    count_packet(stamped, now);
    if (stamped->skip > 1)
        stamped->skip--;
    if (connection->stamp_from_us == INT64_MIN)
        return;
    lt_stamps_expect(&connection->stamps, capacity(session), packet, connection->stream_bytes,
                     connection->stamp_from_us);
    connection->stamp_from_us = INT64_MIN;
    stamped->skip = choose_next(session);
}

/* ---- what they say of what is sent ---- */

/* What the platform was not asked about, the round trips that were seen here tell. */
static livetcp_path path_of(const lt_connection *connection)
{
    livetcp_path path = *connection->path;

    if (!(path.known & LIVETCP_PATH_RTT) && connection->round_trip.known) {
        path.known |= LIVETCP_PATH_RTT;
        path.rtt_us = connection->round_trip.us;
    }
    if (!(path.known & LIVETCP_PATH_MIN_RTT) || path.min_rtt_us > connection->least_round_us) {
        path.known |= LIVETCP_PATH_MIN_RTT;
        path.min_rtt_us = connection->least_round_us;
    }
    return path;
}

/* How TCP was when last looked at counts for what was on its way then. */
static livetcp_usec repair(const lt_connection *connection, const lt_stamped *whole)
{
    livetcp_path path = path_of(connection);

    return lt_delay_at_head_of_line(&path, whole->sent_us, 0,
                                    connection->repairing || whole->sent_again,
                                    whole->acknowledged_us, whole->acknowledged_us);
}

static livetcp_usec network(lt_connection *connection, livetcp_usec round_trip)
{
    livetcp_path path = path_of(connection);

    lt_smooth(&connection->round_trip, round_trip);
    path.known |= LIVETCP_PATH_RTT;
    path.rtt_us = round_trip;
    return lt_delay_of_network(&path);
}

static void take_sample(livetcp_engine *session, lt_connection *connection, const lt_stamped *whole,
                        livetcp_usec now)
{
    lt_stamped_legs *stamped = &session->stamped;
    const lt_packet *packet = whole->packet;
    livetcp_usec round_trip = whole->acknowledged_us - whole->sent_us;

    if (round_trip < connection->least_round_us)
        connection->least_round_us = round_trip;

    stamped->packets++;
    stamped->sent_us = now;
    lt_smooth(&stamped->buffer, whole->sent_us - whole->written_us);
    if (whole->scheduled_us != INT64_MIN)
        lt_smooth(&stamped->interface, whole->sent_us - whole->scheduled_us);
    if (packet->delivered && packet->delivered_us < whole->acknowledged_us)
        return; /* a copy on another connection came first: nobody waited for this one */
    livetcp_usec waited = repair(connection, whole);
    lt_smooth(&stamped->repair, waited);
    if (!waited)
        lt_smooth(&stamped->network, network(connection, round_trip));
}

void livetcp_engine_tx_timestamp(livetcp_engine *session, unsigned index,
                                 const livetcp_tx_timestamp *stamp, livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];
    lt_stamped whole;

    if (!lt_connection_has_socket(connection))
        return;
    if (!lt_stamps_take(&connection->stamps, stamp, now))
        session->stamped.invalid++;
    while (lt_stamps_next(&connection->stamps, &whole)) {
        take_sample(session, connection, &whole, now);
        lt_packet_unref(&whole.packet);
    }
}

/* ---- what they say of what is received ---- */

/* Packets came evenly, as media do, so far as it is not known better: of what the kernel hands out
 * together it tells when the newest came, and no more. */
static void smooth_repaired(livetcp_engine *session, const lt_connection *connection,
                            livetcp_usec newest_us, unsigned packets, livetcp_usec now)
{
    livetcp_usec spacing = (newest_us - connection->read_stamp_us) / packets;

    if (spacing > connection->read_gap.us)
        spacing = connection->read_gap.us;
    for (unsigned i = packets < READ_SAMPLES_MAX ? packets : READ_SAMPLES_MAX; i-- > 0;)
        lt_smooth(&session->stamped.arrived_repair, now - newest_us + i * spacing);
}

static void smooth_undisturbed(livetcp_engine *session, lt_connection *connection,
                               livetcp_usec newest_us, unsigned packets, livetcp_usec now)
{
    bool first = connection->read_stamp_us == INT64_MIN;
    livetcp_usec gap = first ? READ_GAP_MAX_US : (newest_us - connection->read_stamp_us) / packets;

    if (gap < READ_GAP_MAX_US)
        lt_smooth(&connection->read_gap, gap);
    lt_smooth(&session->stamped.reading, now - newest_us);
    for (unsigned i = 0; i < packets && i < READ_SAMPLES_MAX; i++)
        lt_smooth(&session->stamped.arrived_repair, 0);
}

void lt_session_take_read_stamp(livetcp_engine *session, lt_connection *connection,
                                const livetcp_rx_timestamp *stamp, unsigned packets,
                                livetcp_usec now)
{
    livetcp_usec newest_us = stamp->at_us < now ? stamp->at_us : now;

    if (!stamp->known || !packets || !connection->has_stamps)
        return;
    if (stamp->at_us > now + LT_STAMP_TOLERANCE_US || now - stamp->at_us > LT_STAMP_AGE_MAX_US ||
        (connection->read_stamp_us != INT64_MIN &&
         newest_us < connection->read_stamp_us - LT_STAMP_TOLERANCE_US)) {
        session->stamped.invalid++;
        return;
    }
    if (connection->read_stamp_us != INT64_MIN && newest_us < connection->read_stamp_us)
        newest_us = connection->read_stamp_us;
    session->stamped.reads++;
    session->stamped.received_us = now;
    if (stamp->repaired && connection->read_stamp_us != INT64_MIN)
        smooth_repaired(session, connection, newest_us, packets, now);
    else
        smooth_undisturbed(session, connection, newest_us, packets, now);
    connection->read_stamp_us = newest_us;
}

/* ---- the legs ---- */

static bool fresh(livetcp_usec last_us, livetcp_usec now)
{
    return last_us != INT64_MIN && now - last_us <= FRESH_US;
}

static livetcp_usec better(bool stamped, const lt_smoothed *measured, livetcp_usec inferred)
{
    return stamped && measured->known ? measured->us : inferred;
}

void lt_session_sent_legs(const livetcp_engine *session, livetcp_delays *delays, livetcp_usec now)
{
    const lt_stamped_legs *stamped = &session->stamped;
    bool use = fresh(stamped->sent_us, now);

    *delays = (livetcp_delays){
        .send_queue_us = lt_smoothed_us(&session->queue_leg),
        .send_buffer_us = better(use, &stamped->buffer, lt_smoothed_us(&session->buffer_leg)),
        .network_us = better(use, &stamped->network, lt_smoothed_us(&session->network_leg)),
        .head_of_line_us = better(use, &stamped->repair, lt_smoothed_us(&session->repair_leg)),
        .playout_us = -1,
    };
}

livetcp_usec lt_session_arrived_repair(const livetcp_engine *session, livetcp_usec told,
                                       livetcp_usec now)
{
    return better(fresh(session->stamped.received_us, now), &session->stamped.arrived_repair, told);
}

void lt_session_gather_stamps(const livetcp_engine *session, livetcp_session_stats *stats,
                              livetcp_usec now)
{
    const lt_stamped_legs *stamped = &session->stamped;

    stats->stamped = (fresh(stamped->sent_us, now) ? LIVETCP_STAMPED_SENT : 0U) |
                     (fresh(stamped->received_us, now) ? LIVETCP_STAMPED_RECEIVED : 0U);
    stats->sent.stamped = stamped->packets;
    stats->received.stamped_reads = stamped->reads;
    stats->control.stamps_invalid = stamped->invalid;
    stats->sent.interface_queue_us = lt_smoothed_us(&stamped->interface);
    stats->received.reading_us = lt_smoothed_us(&stamped->reading);
}
