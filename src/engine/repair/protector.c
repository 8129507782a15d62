/* SPDX-License-Identifier: MIT */
#include "engine/repair/protector.h"

#include <math.h>

/* A group without further packets for this time is ended; its packets would otherwise stay
 * unprotected past the end of a talkspurt. */
#define FLUSH_US (50 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Parity packets that may be paid at most: one is kept for the end of the frame. */
#define PAID_MAX 2.0
#define ROUNDING 0.01 /* bytes */

/* Parity that found no connection for this time is too late. */
#define STALE_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

static lt_protected *find(lt_protector *protector, uint32_t ssrc)
{
    for (unsigned i = 0; i < protector->stream_count; i++)
        if (protector->streams[i].ssrc == ssrc)
            return &protector->streams[i];
    return NULL;
}

/* NULL if there are too many streams, or without memory or randomness: the packet stays
 * unprotected. */
static lt_protected *begin(lt_protector *protector, uint32_t ssrc)
{
    uint64_t seed;

    if (protector->stream_count == LT_PROTECTED_MAX ||
        protector->random(protector->random_user, (uint8_t *)&seed, sizeof seed) != LIVETCP_OK)
        return NULL;
    lt_parity_encoder *encoder =
        lt_parity_encoder_create(LT_PARITY_GROUP_MAX, ssrc, protector->max_packet, seed);
    if (!encoder)
        return NULL;
    lt_protected *made = &protector->streams[protector->stream_count++];
    *made = (lt_protected){.encoder = encoder, .ssrc = ssrc, .flush_at_us = LIVETCP_NEVER};
    return made;
}

/* Announces parity on every connection, before packets that it may help to rebuild. */
static void announce(lt_protector *protector, lt_protected *of, uint32_t open)
{
    lt_control message;

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if (!(open & ~of->announced & bit))
            continue;
        lt_parity_encoder_announce(of->encoder, &message);
        if (lt_control_write(&protector->writer, i, &message))
            of->announced |= bit;
    }
}

void lt_protector_reset_slot(lt_protector *protector, unsigned slot)
{
    for (unsigned i = 0; i < protector->stream_count; i++)
        protector->streams[i].announced &= ~(UINT32_C(1) << slot);
}

static void forget_oldest_ready(lt_protector *protector)
{
    lt_packet_unref(&protector->ready[0].packet);
    protector->ready_count--;
    for (unsigned i = 0; i < protector->ready_count; i++)
        protector->ready[i] = protector->ready[i + 1];
}

static void drop_oldest_ready(lt_protector *protector)
{
    forget_oldest_ready(protector);
    protector->dropped++;
}

static void finish_group(lt_protector *protector, lt_protected *of, unsigned lane, livetcp_usec now)
{
    lt_packet *parity;

    lt_parity_encoder_use(of->encoder, lane);
    parity = lt_parity_encoder_finish(of->encoder, now);
    if (parity) {
        livetcp_usec due = of->lanes[lane].last_us + protector->spacing_us;
        parity->parity = true;
        parity->avoid = of->lanes[lane].carriers;
        parity->review_us = LIVETCP_NEVER;
        parity->importance = of->importance;
        if (protector->ready_count == LT_PARITY_READY_MAX)
            drop_oldest_ready(protector);
        protector->ready[protector->ready_count++] =
            (lt_parity_ready){.packet = parity, .due_us = due};
    }
    of->lanes[lane].carriers = 0;
    of->paid = fmax(of->paid - (double)of->lanes[lane].largest, 0);
    of->lanes[lane].largest = 0;
}

static void finish_all(lt_protector *protector, lt_protected *of, livetcp_usec now)
{
    for (unsigned i = 0; i < LT_PARITY_LANES; i++)
        finish_group(protector, of, i, now);
    of->flush_at_us = LIVETCP_NEVER;
}

/* The lane for the next packet: the group in progress with the oldest last packet, if that is far
 * enough away; otherwise an empty lane; otherwise the first. */
static unsigned choose_lane(const lt_protector *protector, lt_protected *of, livetcp_usec now)
{
    unsigned begun = LT_PARITY_LANES, empty = LT_PARITY_LANES;

    for (unsigned i = 0; i < LT_PARITY_LANES; i++) {
        lt_parity_encoder_use(of->encoder, i);
        if (!lt_parity_encoder_count(of->encoder))
            empty = empty == LT_PARITY_LANES ? i : empty;
        else if (begun == LT_PARITY_LANES || of->lanes[i].last_us < of->lanes[begun].last_us)
            begun = i;
    }
    if (begun == LT_PARITY_LANES)
        return empty;
    return empty != LT_PARITY_LANES && now - of->lanes[begun].last_us < protector->spacing_us
               ? empty
               : begun;
}

/* Where losses come in bursts, a group lasts as long as its spacing wants. */
static bool is_complete(const lt_protector *protector, const lt_protected *of, unsigned lane,
                        bool ends_frame)
{
    unsigned count = lt_parity_encoder_count(of->encoder);
    size_t cost = of->lanes[lane].largest;

    if (protector->spacing_us)
        return count >= protector->group;
    return (ends_frame && count > 1 && of->paid >= (double)cost) ||
           (count >= protector->group && of->paid >= PAID_MAX * (double)cost);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The first packet pays for a whole one. */
static void pay(const lt_protector *protector, lt_protected *of, unsigned lane, size_t size)
{
    bool first = !of->largest;

    of->lanes[lane].largest = larger(of->lanes[lane].largest, size);
    of->largest = larger(of->largest, size);
    of->paid += first ? (double)size : (double)size / protector->group + ROUNDING;
    of->paid = fmin(of->paid, PAID_MAX * (double)of->largest);
}

bool lt_protector_add(lt_protector *protector, uint32_t open, const lt_packet *packet,
                      livetcp_usec now)
{
    lt_protected *of = find(protector, packet->ssrc);
    lt_parity_added added;
    unsigned lane;

    if (!of)
        of = begin(protector, packet->ssrc);
    if (!of)
        return false;
    announce(protector, of, open);
    lane = choose_lane(protector, of, now);
    lt_parity_encoder_use(of->encoder, lane);
    added = lt_parity_encoder_add(of->encoder, packet);
    if (added == LT_PARITY_CLOSED) {
        finish_group(protector, of, lane, now);
        added = lt_parity_encoder_add(of->encoder, packet);
    }
    if (added == LT_PARITY_LEFT_OUT)
        return false;
    of->importance = packet->importance;
    of->lanes[lane].carriers |= packet->carried;
    of->lanes[lane].last_us = now;
    of->flush_at_us = now + FLUSH_US;
    pay(protector, of, lane, lt_packet_size(packet));
    if (added == LT_PARITY_FULL || is_complete(protector, of, lane, packet->marker))
        finish_group(protector, of, lane, now);
    return true;
}

livetcp_usec lt_protector_deadline(const lt_protector *protector)
{
    livetcp_usec due = protector->ready_count ? protector->ready[0].due_us : LIVETCP_NEVER;

    if (due <= protector->tried_us) /* it waits for a connection, not for time */
        due = LIVETCP_NEVER;
    for (unsigned i = 0; i < protector->stream_count; i++)
        if (protector->streams[i].flush_at_us < due)
            due = protector->streams[i].flush_at_us;
    return due;
}

void lt_protector_expire(lt_protector *protector, livetcp_usec now)
{
    for (unsigned i = 0; i < protector->stream_count; i++)
        if (now >= protector->streams[i].flush_at_us)
            finish_all(protector, &protector->streams[i], now);
}

uint32_t lt_protector_known(const lt_protector *protector, const lt_packet *parity)
{
    for (unsigned i = 0; i < protector->stream_count; i++)
        if (lt_parity_encoder_ssrc(protector->streams[i].encoder) == parity->ssrc)
            return protector->streams[i].announced;
    return 0;
}

lt_packet *lt_protector_next(lt_protector *protector, livetcp_usec now)
{
    protector->tried_us = now;
    while (protector->ready_count && now - protector->ready[0].due_us > STALE_US)
        drop_oldest_ready(protector);
    return protector->ready_count && protector->ready[0].due_us <= now ? protector->ready[0].packet
                                                                       : NULL;
}

void lt_protector_placed(lt_protector *protector, bool anywhere)
{
    if (!anywhere) {
        drop_oldest_ready(protector);
        return;
    }
    forget_oldest_ready(protector);
    protector->sent++;
}

void lt_protector_clear(lt_protector *protector)
{
    while (protector->ready_count)
        forget_oldest_ready(protector);
    for (unsigned i = 0; i < protector->stream_count; i++)
        lt_parity_encoder_destroy(&protector->streams[i].encoder);
    protector->stream_count = 0;
}
