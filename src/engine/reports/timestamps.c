/* SPDX-License-Identifier: MIT */
#include "engine/reports/timestamps.h"

/* Maximum number of packets per connection that await timestamps, with timestamps=auto and
 * timestamps=on. */
#define SAMPLES_MAX 32
#define ALL_MAX     256

/* With timestamps=auto, one packet per interval is sampled, or every packet if fewer are sent:
 * twice the rate at which the averages are reported. Each sample costs two wake-ups of the loop;
 * see docs/guide/tuning.md. */
#define SAMPLE_INTERVAL_US 100000

/* Time over which packets are counted to estimate their rate. */
#define COUNTED_US 200000

/* Averages whose last sample is older are not used. */
#define FRESH_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Maximum number of samples that a read of many packets adds to an average. */
#define READ_SAMPLES_MAX 16

/* A longer gap between packets is a pause, and is not averaged. */
#define READ_GAP_MAX_US LIVETCP_USEC_SEC

void lt_timestamps_init(lt_timestamps *timestamps, livetcp_timestamps mode, lt_rng *rng)
{
    *timestamps = (lt_timestamps){.mode = mode,
                                  .rng = rng,
                                  .skip = 1,
                                  .counted_us = INT64_MIN,
                                  .sent_us = INT64_MIN,
                                  .received_us = INT64_MIN};
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_timestamps_reset_slot(timestamps, i);
}

void lt_timestamps_clear(lt_timestamps *timestamps)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_timestamps_reset_slot(timestamps, i);
}

void lt_timestamps_reset_slot(lt_timestamps *timestamps, unsigned slot)
{
    lt_tx_timestamps_clear(&timestamps->slots[slot].waiting);
    timestamps->slots[slot] = (lt_timestamp_slot){
        .write_us = INT64_MIN, .min_round_trip_us = INT64_MAX, .read_us = INT64_MIN};
}

void lt_timestamps_available(lt_timestamps *timestamps, unsigned slot)
{
    timestamps->slots[slot].available = timestamps->mode != LIVETCP_TIMESTAMPS_OFF;
}

/* ---- sampling ---- */

static unsigned capacity(const lt_timestamps *timestamps)
{
    return timestamps->mode == LIVETCP_TIMESTAMPS_ON ? ALL_MAX : SAMPLES_MAX;
}

static void count_packet(lt_timestamps *timestamps, livetcp_usec now)
{
    bool first = timestamps->counted_us == INT64_MIN;
    livetcp_usec span = first ? COUNTED_US : now - timestamps->counted_us;

    timestamps->passed++;
    if (span < COUNTED_US)
        return;
    if (!first)
        timestamps->expected = timestamps->passed * (double)SAMPLE_INTERVAL_US / (double)span;
    timestamps->passed = 0;
    timestamps->counted_us = now;
}

/* Chooses the next sample at random among the packets of an interval. By the clock, it would always
 * be the first packet of a burst, which never waits behind it. */
static unsigned choose_next(lt_timestamps *timestamps)
{
    double expected = timestamps->expected;

    if (timestamps->mode == LIVETCP_TIMESTAMPS_ON || expected <= 1)
        return 1;
    return 1 + (unsigned)(lt_rng_uniform(timestamps->rng) * 2 * (expected - 1));
}

bool lt_timestamps_wanted(lt_timestamps *timestamps, unsigned index, const lt_packet *finishing,
                          livetcp_usec now)
{
    lt_timestamp_slot *slot = &timestamps->slots[index];
    bool wanted = slot->available && finishing && !finishing->written && !finishing->rtcp &&
                  !finishing->parity && timestamps->skip <= 1 &&
                  lt_tx_timestamps_has_space(&slot->waiting, capacity(timestamps), now);

    slot->write_us = wanted ? now : INT64_MIN;
    return wanted;
}

void lt_timestamps_on_written(lt_timestamps *timestamps, unsigned index, lt_packet *packet,
                              uint64_t end, livetcp_usec now)
{
    lt_timestamp_slot *slot = &timestamps->slots[index];

    count_packet(timestamps, now);
    if (timestamps->skip > 1)
        timestamps->skip--;
    if (slot->write_us == INT64_MIN)
        return;
    lt_tx_timestamps_expect(&slot->waiting, capacity(timestamps), packet, end, slot->write_us);
    slot->write_us = INT64_MIN;
    timestamps->skip = choose_next(timestamps);
}

/* ---- sent packets ---- */

/* The path, with round trips measured here where path info has none. */
static livetcp_path fill_in(const livetcp_path *path, const lt_timestamp_slot *slot)
{
    livetcp_path filled = *path;

    if (!(filled.known & LIVETCP_PATH_RTT) && slot->round_trip.known) {
        filled.known |= LIVETCP_PATH_RTT;
        filled.rtt_us = slot->round_trip.us;
    }
    if (!(filled.known & LIVETCP_PATH_MIN_RTT) || filled.min_rtt_us > slot->min_round_trip_us) {
        filled.known |= LIVETCP_PATH_MIN_RTT;
        filled.min_rtt_us = slot->min_round_trip_us;
    }
    return filled;
}

/* Head-of-line delay of a packet. It counts as under repair if TCP was repairing at the last path
 * info before its timestamps. */
static livetcp_usec repair_of(const livetcp_path *path, const lt_timestamp_slot *slot,
                              bool repairing, const lt_timestamped *complete)
{
    livetcp_path filled = fill_in(path, slot);

    return lt_delay_at_head_of_line(&filled, complete->sent_us, 0,
                                    repairing || complete->sent_again, complete->acknowledged_us,
                                    complete->acknowledged_us);
}

static livetcp_usec network_of(const livetcp_path *path, lt_timestamp_slot *slot,
                               livetcp_usec round_trip)
{
    livetcp_path filled = fill_in(path, slot);

    lt_ewma_add(&slot->round_trip, round_trip);
    filled.known |= LIVETCP_PATH_RTT;
    filled.rtt_us = round_trip;
    return lt_delay_of_network(&filled);
}

static void add_sample(lt_timestamps *timestamps, const livetcp_path *path, bool repairing,
                       const lt_timestamped *complete, livetcp_usec now)
{
    lt_timestamp_slot *slot = &timestamps->slots[path->connection];
    const lt_packet *packet = complete->packet;
    livetcp_usec round_trip = complete->acknowledged_us - complete->sent_us;

    if (round_trip < slot->min_round_trip_us)
        slot->min_round_trip_us = round_trip;

    timestamps->packets++;
    timestamps->sent_us = now;
    lt_ewma_add(&timestamps->buffer, complete->sent_us - complete->written_us);
    if (complete->scheduled_us != INT64_MIN)
        lt_ewma_add(&timestamps->interface, complete->sent_us - complete->scheduled_us);
    if (packet->delivered && packet->delivered_us < complete->acknowledged_us)
        return; /* a copy on another connection was acknowledged first */
    livetcp_usec repair = repair_of(path, slot, repairing, complete);
    lt_ewma_add(&timestamps->repair, repair);
    if (!repair)
        lt_ewma_add(&timestamps->network, network_of(path, slot, round_trip));
}

void lt_timestamps_on_tx(lt_timestamps *timestamps, const livetcp_path *path, bool repairing,
                         const livetcp_tx_timestamp *timestamp, livetcp_usec now)
{
    lt_tx_timestamps *waiting = &timestamps->slots[path->connection].waiting;
    lt_timestamped complete;

    if (!lt_tx_timestamps_take(waiting, timestamp, now))
        timestamps->invalid++;
    while (lt_tx_timestamps_next(waiting, &complete)) {
        add_sample(timestamps, path, repairing, &complete, now);
        lt_packet_unref(&complete.packet);
    }
}

/* ---- received packets ---- */

/* Packets that the kernel hands over together after the repair of a loss. It reports the arrival of
 * the newest; the others are assumed to have arrived evenly spaced before it, as media do. */
static void add_repaired(lt_timestamps *timestamps, const lt_timestamp_slot *slot,
                         livetcp_usec newest_us, unsigned packets, livetcp_usec now)
{
    livetcp_usec spacing = (newest_us - slot->read_us) / packets;

    if (spacing > slot->read_gap.us)
        spacing = slot->read_gap.us;
    for (unsigned i = packets < READ_SAMPLES_MAX ? packets : READ_SAMPLES_MAX; i-- > 0;)
        lt_ewma_add(&timestamps->arrived_repair, now - newest_us + i * spacing);
}

static void add_undisturbed(lt_timestamps *timestamps, lt_timestamp_slot *slot,
                            livetcp_usec newest_us, unsigned packets, livetcp_usec now)
{
    bool first = slot->read_us == INT64_MIN;
    livetcp_usec gap = first ? READ_GAP_MAX_US : (newest_us - slot->read_us) / packets;

    if (gap < READ_GAP_MAX_US)
        lt_ewma_add(&slot->read_gap, gap);
    lt_ewma_add(&timestamps->reading, now - newest_us);
    for (unsigned i = 0; i < packets && i < READ_SAMPLES_MAX; i++)
        lt_ewma_add(&timestamps->arrived_repair, 0);
}

void lt_timestamps_on_read(lt_timestamps *timestamps, unsigned index,
                           const livetcp_rx_timestamp *timestamp, unsigned packets,
                           livetcp_usec now)
{
    lt_timestamp_slot *slot = &timestamps->slots[index];
    livetcp_usec newest_us = timestamp->at_us < now ? timestamp->at_us : now;
    bool first = slot->read_us == INT64_MIN;

    if (!timestamp->known || !packets || !slot->available)
        return;
    if (timestamp->at_us > now + LT_TIMESTAMP_TOLERANCE_US ||
        now - timestamp->at_us > LT_TIMESTAMP_AGE_MAX_US ||
        (!first && newest_us < slot->read_us - LT_TIMESTAMP_TOLERANCE_US)) {
        timestamps->invalid++;
        return;
    }
    if (!first && newest_us < slot->read_us)
        newest_us = slot->read_us;
    timestamps->reads++;
    timestamps->received_us = now;
    if (timestamp->repaired && !first)
        add_repaired(timestamps, slot, newest_us, packets, now);
    else
        add_undisturbed(timestamps, slot, newest_us, packets, now);
    slot->read_us = newest_us;
}

/* ---- components ---- */

static bool is_fresh(livetcp_usec last_us, livetcp_usec now)
{
    return last_us != INT64_MIN && now - last_us <= FRESH_US;
}

static void refine(livetcp_usec *delay, const lt_ewma *measured)
{
    if (measured->known)
        *delay = measured->us;
}

void lt_timestamps_refine_sent(const lt_timestamps *timestamps, livetcp_delays *delays,
                               livetcp_usec now)
{
    if (!is_fresh(timestamps->sent_us, now))
        return;
    refine(&delays->send_buffer_us, &timestamps->buffer);
    refine(&delays->network_us, &timestamps->network);
    refine(&delays->head_of_line_us, &timestamps->repair);
}

livetcp_usec lt_timestamps_received_repair(const lt_timestamps *timestamps,
                                           livetcp_usec inferred_us, livetcp_usec now)
{
    if (is_fresh(timestamps->received_us, now))
        refine(&inferred_us, &timestamps->arrived_repair);
    return inferred_us;
}

void lt_timestamps_gather(const lt_timestamps *timestamps, livetcp_session_stats *stats,
                          livetcp_usec now)
{
    stats->timestamped =
        (is_fresh(timestamps->sent_us, now) ? LIVETCP_TIMESTAMPED_SENT : 0U) |
        (is_fresh(timestamps->received_us, now) ? LIVETCP_TIMESTAMPED_RECEIVED : 0U);
    stats->sent.timestamped = timestamps->packets;
    stats->received.timestamped_reads = timestamps->reads;
    stats->control.timestamps_invalid = timestamps->invalid;
    stats->sent.interface_queue_us = lt_ewma_us(&timestamps->interface);
    stats->received.reading_us = lt_ewma_us(&timestamps->reading);
}
