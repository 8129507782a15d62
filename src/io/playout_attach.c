/* SPDX-License-Identifier: MIT */
/* Feeds a playout from a session: packets and path info in, reports back. All work happens on the
 * arrival of a packet, on the loop's thread; between packets there is nothing to report. */
#include "io/taps.h"

#include "base/error.h"
#include "base/sized.h"
#include "base/usec.h"
#include "io/session.h"

#include <stdlib.h>

/* Interval of path updates: until the path is known, and afterwards. */
#define PATH_SOON_US     (100 * LIVETCP_USEC_MSEC)
#define PATH_INTERVAL_US LIVETCP_USEC_SEC

/* Round-trip times that differ by less count as equal. */
#define SAME_RTT_US (2 * LIVETCP_USEC_MSEC)

#define REPORT_INTERVAL_US (100 * LIVETCP_USEC_MSEC)

/* Longest time that is reported. */
#define MAX_REPORTED_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

typedef struct attached {
    lt_io_tap tap; /* must be first: taps are cast */
    livetcp_playout *playout;
    livetcp_playout_attachment how;

    livetcp_playout_path path; /* as last passed to the playout */
    livetcp_usec path_us;      /* time of the last update; 0 = never */
    bool path_known;

    /* since the last report */
    uint64_t arrivals;
    livetcp_usec waits_us;  /* sum of the times from arrival to playout */
    livetcp_usec margin_us; /* minimum of them; negative = late */

    livetcp_usec reported_us;
    uint64_t late_before; /* late packets in the playout before this session */
} attached;

static livetcp_usec now_us(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

static void lock(const attached *a)
{
    if (a->how.lock)
        a->how.lock(a->how.user);
}

static void unlock(const attached *a)
{
    if (a->how.unlock)
        a->how.unlock(a->how.user);
}

/* ---- the path ---- */

/* Of several repair mechanisms, the fastest one. */
static livetcp_playout_repair repair_of(const livetcp_session_stats *stats)
{
    unsigned protection = stats->peer.protection;

    if (protection & LIVETCP_PROTECTION_COPIES && stats->peer.copies >= 2)
        return LIVETCP_PLAYOUT_REPAIR_DUPLICATE;
    if (protection & LIVETCP_PROTECTION_PARITY && stats->peer.parity_group >= 2)
        return LIVETCP_PLAYOUT_REPAIR_PARITY;
    return protection & LIVETCP_PROTECTION_HEDGE ? LIVETCP_PLAYOUT_REPAIR_HEDGE
                                                 : LIVETCP_PLAYOUT_REPAIR_TCP;
}

static livetcp_usec known(livetcp_usec us)
{
    return us > 0 ? us : 0;
}

/* A receiver sends little, so its peer delays acknowledgements: the minimum of its own round trips
 * is the most accurate value. */
static void read_path(const livetcp_session_stats *stats, livetcp_playout_path *path)
{
    if (stats->peer.connections == 0) {
        path->rtt_us = known(stats->min_rtt_us);
        return;
    }
    path->rtt_us = known(stats->peer.rtt_us);
    path->repair = repair_of(stats);
    path->hedge_delay_us = known(stats->peer.hedge_delay_us);
    path->copies = stats->peer.copies;
    path->parity_group = stats->peer.parity_group;
    path->copy_spacing_us = known(stats->peer.copy_spacing_us);
    for (unsigned i = 0; i < LIVETCP_PLAYOUT_REPAIRS; i++)
        path->shares[i] = stats->peer.protection_shares[i];
}

livetcp_result livetcp_session_get_playout_path(livetcp_session *session,
                                                livetcp_playout_path *path)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    livetcp_playout_path whole = {0};
    livetcp_result result = LT_CHECK_SIZED(path, livetcp_playout_path, NULL);

    if (result == LIVETCP_OK)
        result = livetcp_session_get_stats(session, &stats);
    if (result != LIVETCP_OK)
        return result;
    read_path(&stats, &whole);
    lt_sized_fill(path, &whole, sizeof whole);
    return LIVETCP_OK;
}

/* True if some packets were repaired; the shares are averages over time. */
static bool has_shares(const livetcp_playout_path *path)
{
    double sum = 0;

    for (unsigned i = 0; i < LIVETCP_PLAYOUT_REPAIRS; i++)
        sum += path->shares[i];
    return sum > 0;
}

static bool differs(const livetcp_playout_path *before, const livetcp_playout_path *now)
{
    livetcp_usec near_us = before->rtt_us / 8 > SAME_RTT_US ? before->rtt_us / 8 : SAME_RTT_US;

    return llabs(now->rtt_us - before->rtt_us) > near_us || now->repair != before->repair ||
           now->hedge_delay_us != before->hedge_delay_us || now->copies != before->copies ||
           now->parity_group != before->parity_group || has_shares(now);
}

static void update_path(attached *a, livetcp_session *session, livetcp_usec now)
{
    livetcp_playout_path path = {.struct_size = sizeof path};

    if (a->path_us && now - a->path_us < (a->path_known ? PATH_INTERVAL_US : PATH_SOON_US))
        return;
    a->path_us = now;
    if (livetcp_session_get_playout_path(session, &path) != LIVETCP_OK || path.rtt_us == 0 ||
        (a->path_known && !differs(&a->path, &path)))
        return;
    a->path = path;
    a->path_known = true;
    lock(a);
    livetcp_playout_set_path(a->playout, &path);
    unlock(a);
}

/* ---- packets ---- */

static void note_margin(attached *a, livetcp_usec margin_us)
{
    a->margin_us = a->arrivals > 0 && a->margin_us < margin_us ? a->margin_us : margin_us;
    a->waits_us += known(margin_us);
    a->arrivals++;
}

/* Under the lock. Packets that the playout refuses are counted there. */
static void put(attached *a, const void *data, size_t size, livetcp_usec arrival_us, unsigned flags)
{
    livetcp_playout_packet packet = {.struct_size = sizeof packet,
                                     .data = data,
                                     .size = size,
                                     .arrival_us = arrival_us,
                                     .flags = flags};
    livetcp_playout_slot slot = {.struct_size = sizeof slot};

    if (a->how.codec != LIVETCP_CODEC_UNKNOWN &&
        livetcp_importance_of(a->how.codec, data, size) == LIVETCP_IMPORTANCE_KEY)
        packet.flags |= LIVETCP_PLAYOUT_KEY_FRAME;
    if (livetcp_playout_put(a->playout, &packet, &slot) == LIVETCP_OK &&
        slot.result <= LIVETCP_PLAYOUT_LATE)
        note_margin(a, slot.play_us - arrival_us);
}

/* Under the lock. A packet without redundancy is one frame. */
static void put_frames(attached *a, const livetcp_packet *packet, livetcp_usec arrival_us)
{
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    size_t count = 0;

    livetcp_redundancy_decode(a->how.decoder, packet->data, packet->size, frames, &count, NULL);
    for (size_t i = 0; i < count; i++)
        if (!frames[i].seen)
            put(a, frames[i].packet, frames[i].size, arrival_us,
                frames[i].redundant ? LIVETCP_PLAYOUT_REDUNDANT : 0);
}

/* ---- reports ---- */

static void report(attached *a, livetcp_session *session, livetcp_usec now)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};
    livetcp_playout_report news = {.struct_size = sizeof news};

    if (a->arrivals == 0)
        return;
    lock(a);
    livetcp_playout_get_stats(a->playout, &stats);
    unlock(a);
    news.delay_us = lt_usec_clamp(a->waits_us / (livetcp_usec)a->arrivals, 0, MAX_REPORTED_US);
    news.margin_us = lt_usec_clamp(a->margin_us, -MAX_REPORTED_US, MAX_REPORTED_US);
    news.late = stats.late - a->late_before;
    livetcp_session_report_playout(session, &news);
    a->arrivals = 0;
    a->waits_us = 0;
    a->reported_us = now;
}

/* ---- the tap ---- */

static void on_packet(lt_io_tap *tap, livetcp_session *session, const livetcp_packet *packet)
{
    attached *a = (attached *)tap;
    livetcp_usec now = now_us(), arrival_us = packet->arrival_us;

    if (packet->rtcp || (a->how.wants && !a->how.wants(packet, a->how.user)))
        return;
    update_path(a, session, now);
    /* A packet that waited in the reorder buffer counts as arriving now: with its read time it
     * would seem late by a wait that the playout does not know. */
    if (session->config.order == LIVETCP_ORDER_SEQUENCE)
        arrival_us = now;
    lock(a);
    if (a->how.decoder)
        put_frames(a, packet, arrival_us);
    else
        put(a, packet->data, packet->size, arrival_us, 0);
    unlock(a);
    if (now - a->reported_us >= REPORT_INTERVAL_US)
        report(a, session, now);
}

static void on_end(lt_io_tap *tap)
{
    free(tap);
}

/* ---- attached and detached, on the loop's thread ---- */

typedef struct attach_call {
    livetcp_playout *playout;
    livetcp_session *session;
    livetcp_playout_attachment how;
    livetcp_result result;
} attach_call;

/* The link to this playout's tap; *NULL if it is not attached. */
static lt_io_tap **find(livetcp_session *session, const livetcp_playout *playout)
{
    lt_io_tap **link = &session->taps;

    while (*link && ((attached *)*link)->playout != playout)
        link = &(*link)->next;
    return link;
}

static void run_attach(void *argument)
{
    attach_call *call = argument;
    lt_io_tap **link = find(call->session, call->playout);
    livetcp_playout_stats stats = {.struct_size = sizeof stats};
    attached *a;

    call->result = LIVETCP_ERR_BAD_STATE;
    if (*link)
        return;
    call->result = LIVETCP_ERR_NO_MEMORY;
    a = calloc(1, sizeof *a);
    if (!a)
        return;
    a->tap.on_packet = on_packet;
    a->tap.on_end = on_end;
    a->playout = call->playout;
    a->how = call->how;
    lock(a);
    livetcp_playout_get_stats(a->playout, &stats);
    unlock(a);
    a->late_before = stats.late;
    *link = &a->tap;
    call->result = LIVETCP_OK;
}

livetcp_result livetcp_playout_attach(livetcp_playout *playout, livetcp_session *session,
                                      const livetcp_playout_attachment *attachment)
{
    attach_call call = {.playout = playout, .session = session};

    if (!playout || !session)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_%s is NULL",
                       playout ? "session" : "playout");
    if (attachment)
        call.result = LT_CHECK_SIZED(attachment, livetcp_playout_attachment, NULL);
    if (call.result != LIVETCP_OK)
        return call.result;
    if (attachment)
        lt_sized_read(&call.how, sizeof call.how, attachment);
    if (!call.how.lock != !call.how.unlock)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a livetcp_playout_attachment has both lock and unlock, or neither");
    lt_io_context_run(session->context, run_attach, &call);
    if (call.result == LIVETCP_ERR_BAD_STATE)
        lt_fail(NULL, call.result, "this playout is attached to this session already");
    return call.result;
}

static void run_detach(void *argument)
{
    attach_call *call = argument;
    lt_io_tap **link = find(call->session, call->playout), *tap = *link;

    if (!tap)
        return;
    *link = tap->next;
    report((attached *)tap, call->session, now_us());
    tap->on_end(tap);
}

void livetcp_playout_detach(livetcp_playout *playout, livetcp_session *session)
{
    attach_call call = {.playout = playout, .session = session};

    if (playout && session)
        lt_io_context_run(session->context, run_detach, &call);
}
