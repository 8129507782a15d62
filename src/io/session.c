/* SPDX-License-Identifier: MIT */
/* Life of a session: creation, its timer, service on the loop's thread, destruction. */
#include "io/session.h"

#include "base/error.h"
#include "engine/pending.h"
#include "io/clock.h"
#include "io/process.h"
#include "io/session_connect.h"
#include "io/session_slots.h"
#include "io/session_stats.h"
#include "io/stats_socket.h"
#include "wire/authenticator.h"

#include <stdio.h>
#include <stdlib.h>

void lt_io_session_wake_if_needed(livetcp_session *session)
{
    if (!session->has_event)
        session->has_event = livetcp_engine_next_event(session->engine, &session->event);
    if (session->has_event || session->channels_changed ||
        livetcp_engine_deadline(session->engine) < session->armed_us)
        lt_io_context_schedule(session->context, &session->work);
}

/* ---- life ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    lt_io_session_release(handle->data);
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_session *session = timer->data;

    if (lt_io_put_off(&session->put_off_us, session->armed_us)) {
        uv_timer_start(timer, on_timer, LT_IO_AFTER_INPUT_MS, 0);
        return;
    }
    lt_io_session_reference(session);
    uv_mutex_lock(&session->lock);
    livetcp_engine_set_wall_clock(session->engine, lt_io_wall_clock_ahead());
    livetcp_engine_expire(session->engine, lt_io_now());
    uv_mutex_unlock(&session->lock);
    lt_io_session_service(session);
    lt_io_session_release(session);
}

static void run_work(lt_io_work *work)
{
    lt_io_session_service(LT_LIST_ELEMENT(work, livetcp_session, work));
}

/* The timeout of an incomplete burst: sends it. */
static void end_burst(lt_io_work *work)
{
    lt_io_session_service(LT_LIST_ELEMENT(work, livetcp_session, burst_end));
}

static void end_member(lt_io_member *member)
{
    lt_io_session_end(LT_LIST_ELEMENT(member, livetcp_session, member));
}

static livetcp_result create_engine(livetcp_session *session, bool caller,
                                    const livetcp_pending *pending, livetcp_error *error)
{
    livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                  .config = &session->config,
                                  .caller = caller,
                                  .pending = pending,
                                  .random = lt_io_random,
                                  .on_packet = lt_io_arrivals_collect,
                                  .user = &session->arrivals,
                                  .cname = lt_io_cname()};
    livetcp_result result = livetcp_engine_create(&setup, &session->engine, error);

    if (result == LIVETCP_OK) {
        livetcp_engine_set_wall_clock(session->engine, lt_io_wall_clock_ahead());
        lt_engine_share_memory(session->engine, &session->context->memory);
    }
    return result;
}

livetcp_result lt_io_session_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **out, livetcp_error *error)
{
    livetcp_session *session = calloc(1, sizeof *session);
    livetcp_result result;

    *out = NULL;
    if (!session || uv_mutex_init(&session->lock) != 0) {
        free(session);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    }
    session->context = context;
    session->number = ++context->sessions_made;
    session->caller = caller;
    session->created_us = lt_io_now();
    session->config = *config;
    snprintf(session->policy, sizeof session->policy, "%s", config->policy);
    session->service = lt_io_session_service;
    session->work.run = run_work;
    session->burst_end.run = end_burst;
    session->member.end = end_member;
    session->member.describe = lt_io_session_describe;
    session->introduced.struct_size = sizeof session->introduced;
    result = create_engine(session, caller, pending, error);
    lt_wipe(session->config.token, sizeof session->config.token); /* the engine keeps a copy */
    if (result == LIVETCP_OK && caller)
        result = lt_io_session_create_links(session, error);
    if (result != LIVETCP_OK) {
        livetcp_engine_destroy(&session->engine);
        uv_mutex_destroy(&session->lock);
        free(session->links);
        free(session);
        return result;
    }
    uv_timer_init(context->loop, &session->timer);
    session->timer.data = session;
    session->armed_us = LIVETCP_NEVER;
    session->references = 2; /* the owner and the timer */
    lt_io_context_reference(context);
    lt_list_insert_first(&context->members, &session->member.in_context);
    lt_io_session_init_connecting(session);
    lt_io_stats_open(context);
    *out = session;
    return LIVETCP_OK;
}

void lt_io_session_use_tls(livetcp_session *session, lt_io_tls *tls)
{
    session->tls = tls;
}

void lt_io_session_use_proxy(livetcp_session *session, lt_io_proxy *proxy)
{
    session->proxy = proxy;
}

void lt_io_session_end(livetcp_session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    lt_io_taps_end(&session->taps);
    uv_mutex_lock(&session->lock);
    session->closed_here = true;
    livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, 0, lt_io_now());
    lt_io_session_flush(session);
    lt_io_session_close_slots(session);
    uv_mutex_unlock(&session->lock);
    lt_io_session_stop_connecting(session);
    if (session->on_answer)
        session->on_answer(session);
    if (session->on_ended)
        session->on_ended(session);
    lt_io_context_unschedule(session->context, &session->work);
    lt_io_context_unschedule(session->context, &session->burst_end);
    lt_list_remove(&session->member.in_context);
    uv_close((uv_handle_t *)&session->timer, on_timer_closed);
    lt_io_session_release(session);
}

/* ---- service ---- */

static void arm_timer(livetcp_session *session)
{
    livetcp_usec deadline = livetcp_engine_deadline(session->engine);
    bool armed = uv_is_active((uv_handle_t *)&session->timer);

    if (deadline == session->armed_us && (armed || deadline == LIVETCP_NEVER))
        return;
    session->armed_us = deadline;
    if (deadline == LIVETCP_NEVER)
        uv_timer_stop(&session->timer);
    else
        uv_timer_start(&session->timer, on_timer,
                       lt_io_timeout_ms(session->context->loop, deadline), 0);
}

static void watch_channels(livetcp_session *session)
{
    session->channels_changed = false;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (session->slots[i].channel)
            lt_io_channel_watch(session->slots[i].channel);
}

void lt_io_session_service(livetcp_session *session)
{
    if (session->ended)
        return;
    lt_io_session_reference(session);
    uv_mutex_lock(&session->lock);
    lt_io_session_flush_and_close(session);
    lt_io_session_connect(session);
    watch_channels(session);
    arm_timer(session);
    bool changes = session->changes[0] != '\0';
    uv_mutex_unlock(&session->lock);
    if (changes)
        lt_io_log_changes(session);
    lt_io_notify(session);
    lt_io_session_release(session);
}
