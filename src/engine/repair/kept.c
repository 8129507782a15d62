/* SPDX-License-Identifier: MIT */
#include "engine/repair/kept.h"

/* ---- entries ---- */

/* Removes a packet from a connection's list; takes over that reference. */
static void let_go(lt_kept *kept, lt_packet *packet)
{
    kept->bytes -= packet->frame_size;
    packet->kept--;
    lt_packet_unref(&packet);
}

static void let_all_go(lt_kept *kept, lt_kept_connection *connection)
{
    lt_packet *packet;

    while ((packet = lt_unacked_take_last(&connection->packets)))
        let_go(kept, packet);
    lt_unacked_clear(&connection->packets);
}

static void release(lt_kept *kept, lt_kept_connection *connection, uint64_t packets)
{
    lt_unacked_entry entry;

    while (lt_unacked_take(&connection->packets, packets, &entry)) {
        entry.packet->received = true;
        let_go(kept, entry.packet);
    }
}

void lt_kept_close(lt_kept *kept)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        kept->unconfirmed += lt_unacked_write_off(&kept->live[i].packets);
    for (unsigned i = 0; i < LT_KEPT_ENDED; i++)
        kept->unconfirmed += lt_unacked_write_off(&kept->ended[i].packets);
}

void lt_kept_clear(lt_kept *kept)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        let_all_go(kept, &kept->live[i]);
    for (unsigned i = 0; i < LT_KEPT_ENDED; i++)
        let_all_go(kept, &kept->ended[i]);
}

/* ---- connections ---- */

void lt_kept_start(lt_kept *kept, unsigned slot, uint32_t number)
{
    kept->live[slot].number = number;
}

uint64_t lt_kept_written(lt_kept *kept, unsigned slot)
{
    return ++kept->live[slot].written;
}

static void make_room(lt_kept *kept, lt_kept_connection *connection)
{
    lt_unacked_entry oldest;

    while ((kept->bytes > LT_KEPT_BYTES || connection->packets.count == LT_UNACKED_MAX) &&
           lt_unacked_take(&connection->packets, UINT64_MAX, &oldest))
        let_go(kept, oldest.packet);
}

void lt_kept_add(lt_kept *kept, unsigned slot, const lt_unacked_entry *entry)
{
    lt_kept_connection *connection = &kept->live[slot];
    lt_unacked_entry kept_entry = *entry;
    lt_packet *packet = entry->packet;
    size_t before;

    if (!connection->number) {
        lt_packet_unref(&packet);
        return;
    }
    make_room(kept, connection);
    kept_entry.end = entry->place;
    before = connection->packets.count;
    packet->kept++;
    kept->bytes += packet->frame_size;
    lt_packet_ref(packet);
    lt_unacked_add(&connection->packets, &kept_entry);
    if (connection->packets.count == before) /* without memory */
        let_go(kept, packet);
    else
        lt_packet_unref(&packet);
}

void lt_kept_end(lt_kept *kept, unsigned slot)
{
    lt_kept_connection *connection = &kept->live[slot];
    lt_kept_connection *ended = &kept->ended[kept->next];

    if (connection->number) {
        let_all_go(kept, ended);
        *ended = *connection;
        kept->next = (kept->next + 1) % LT_KEPT_ENDED;
    } else {
        let_all_go(kept, connection);
    }
    *connection = (lt_kept_connection){.number = 0};
}

void lt_kept_forget(lt_kept *kept, unsigned slot)
{
    kept->unconfirmed += lt_unacked_write_off(&kept->live[slot].packets);
    let_all_go(kept, &kept->live[slot]);
    for (unsigned i = 0; i < LT_KEPT_ENDED; i++) {
        kept->unconfirmed += lt_unacked_write_off(&kept->ended[i].packets);
        let_all_go(kept, &kept->ended[i]);
    }
}

/* ---- receipts ---- */

lt_kept_connection *lt_kept_find(lt_kept *kept, const lt_receipt *receipt, uint64_t *packets,
                                 int *slot)
{
    lt_kept_connection *found = NULL;

    *slot = -1;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS && !found; i++) {
        if (kept->live[i].number == receipt->number) {
            found = &kept->live[i];
            *slot = (int)i;
        } else if (kept->ended[i].number == receipt->number) {
            found = &kept->ended[i];
        }
    }
    if (!found)
        return NULL;
    *packets = found->written - (uint32_t)(found->written - receipt->packets);
    return *packets <= found->written ? found : NULL; /* below the first packet */
}

void lt_kept_on_receipt(lt_kept *kept, const lt_receipt *receipt)
{
    int slot;
    uint64_t packets;
    lt_kept_connection *connection = lt_kept_find(kept, receipt, &packets, &slot);

    if (connection)
        release(kept, connection, packets);
}

/* Another connection has delivered the packet, or may still do so. */
static bool is_elsewhere(const lt_packet *packet)
{
    return packet->received || packet->kept || packet->carried;
}

lt_packet *lt_kept_next_missing(lt_kept *kept, lt_kept_connection *connection, uint64_t packets)
{
    lt_packet *packet;

    release(kept, connection, packets);
    while ((packet = lt_unacked_take_last(&connection->packets))) {
        lt_packet_ref(packet);
        let_go(kept, packet);
        if (!is_elsewhere(packet) && !packet->parity)
            return packet;
        lt_packet_unref(&packet);
    }
    lt_unacked_clear(&connection->packets);
    return NULL;
}

void lt_kept_settle(lt_kept *kept, lt_kept_connection *connection, uint32_t missing, uint32_t again)
{
    connection->settled = true;
    connection->missing = missing;
    connection->again = again;
    kept->missing += missing;
    kept->again += again;
}

bool lt_kept_is_settled(const lt_kept_connection *connection)
{
    return connection->settled;
}

void lt_kept_outcome(const lt_kept_connection *connection, lt_resent *outcome)
{
    *outcome = (lt_resent){
        .number = connection->number, .missing = connection->missing, .again = connection->again};
}
