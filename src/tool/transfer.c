/* SPDX-License-Identifier: MIT */
#include "tool/transfer.h"

#include "base/error.h"
#include "lab/json.h"
#include "tool/command.h"
#include "tool/token_file.h"

#include <openssl/crypto.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_NS (20 * 1000000ull) /* maximum delay of the reaction to Ctrl-C */
#define DRAIN_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

/* Set by SIGHUP: the file of --tokens is to be read again, changed or not. The loop's thread does
 * that. */
static atomic_bool hung_up;

static void on_hang_up(int number)
{
    (void)number;
    atomic_store(&hung_up, true);
}

bool lt_transfer_interrupted(void)
{
    return interrupted;
}

livetcp_usec lt_transfer_now(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

static void say(const lt_transfer *t, const char *text)
{
    if (!t->quiet)
        fprintf(stderr, "livetcp %s: %s\n", t->command, text);
}

/* ---- callbacks, on the loop's thread ---- */

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    const lt_transfer *t = user;
    (void)session;
    if (t->on_packet)
        t->on_packet(packet, t->user);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    lt_transfer *t = user;
    char text[400], remote[64] = "";
    livetcp_connection_stats stats = {.struct_size = sizeof stats};

    if (state == LIVETCP_SESSION_OPEN &&
        livetcp_session_get_connection_stats(session, 0, &stats) == LIVETCP_OK)
        snprintf(remote, sizeof remote, "%s", stats.remote);
    uv_mutex_lock(&t->lock);
    if (state == LIVETCP_SESSION_OPEN && !t->open && !t->start)
        t->start = lt_transfer_now();
    t->open = state == LIVETCP_SESSION_OPEN;
    t->closed = state == LIVETCP_SESSION_CLOSED;
    if (error && !t->failed)
        t->end = *error;
    uv_cond_broadcast(&t->changed);
    uv_mutex_unlock(&t->lock);
    if (state == LIVETCP_SESSION_OPEN)
        snprintf(text, sizeof text, "session open%s%s", *remote ? " with " : "", remote);
    else if (state == LIVETCP_SESSION_CONNECTING && error)
        snprintf(text, sizeof text, "%s; trying again", error->message);
    else
        return; /* the summary reports the end */
    say(t, text);
}

static void on_warning(livetcp_session *session, const livetcp_error *warning, void *user)
{
    (void)session;
    say(user, warning->message);
}

/* A caller ends if its first attempt fails, unless it keeps trying. Only the first connection
 * counts: the others fail for the same reason, and all retry. */
static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    lt_transfer *t = user;

    (void)session;
    (void)state;
    if (connection != 0 || !error)
        return;
    uv_mutex_lock(&t->lock);
    bool gives_up = !t->start && !t->keep && t->config.mode == LIVETCP_MODE_CALLER;
    bool again = !strcmp(t->reported, error->message);
    snprintf(t->reported, sizeof t->reported, "%s", error->message);
    if (gives_up) {
        t->end = *error;
        t->failed = true;
    }
    uv_cond_broadcast(&t->changed);
    uv_mutex_unlock(&t->lock);
    if (!gives_up && !again)
        say(t, error->message);
}

static void on_sent(livetcp_session *session, void *user)
{
    lt_transfer *t = user;
    (void)session;
    uv_mutex_lock(&t->lock);
    t->sent = true;
    uv_cond_broadcast(&t->changed);
    uv_mutex_unlock(&t->lock);
}

static const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                    .on_packet = on_packet,
                                                    .on_state = on_state,
                                                    .on_connection = on_connection,
                                                    .on_warning = on_warning,
                                                    .on_sent = on_sent};

/* Reads the token file again if it has changed. */
static void look_at_tokens(lt_transfer *t)
{
    bool asked = atomic_exchange(&hung_up, false);
    livetcp_error error;

    switch (lt_token_file_look(&t->tokens, asked, &error)) {
    case LT_TOKEN_FILE_CHANGED:
        say(t, "read the tokens again");
        break;
    case LT_TOKEN_FILE_WRONG:
        say(t, error.message);
        break;
    case LT_TOKEN_FILE_SAME:
        break;
    }
}

/* False for a caller that is not authorized, or has the same role as this end. */
static bool is_welcome(const lt_transfer *t, livetcp_session *session)
{
    livetcp_caller caller = {.struct_size = sizeof caller};
    unsigned code = 500;
    const char *why = "the caller is not known";

    if (livetcp_session_get_caller(session, &caller) == LIVETCP_OK) {
        code = caller.role == t->role ? 403 : 0;
        why = t->role == LIVETCP_ROLE_PUBLISH ? "this listener sends: call it by livetcp receive"
                                              : "this listener receives: call it by livetcp send";
        if (!code && t->tokens.name)
            code = lt_token_file_admit(&t->tokens, &caller, &why);
    }
    OPENSSL_cleanse(caller.token, sizeof caller.token);
    if (code)
        (void)livetcp_session_reject(session, code, why);
    return !code;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    lt_transfer *t = user;
    bool first;

    (void)listener;
    (void)remote;
    look_at_tokens(t);
    if (!is_welcome(t, session))
        return false;
    uv_mutex_lock(&t->lock);
    first = !t->session;
    if (first) {
        t->session = session;
        livetcp_session_set_callbacks(session, &callbacks, t);
    }
    uv_mutex_unlock(&t->lock);
    return first;
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    char text[400];
    (void)listener;
    snprintf(text, sizeof text, "%s%s%s", remote, *remote ? ": " : "", error->message);
    say(user, text);
}

/* What no callback tells. */
static void on_log(livetcp_log_level level, const char *category, const char *text, void *user)
{
    const lt_transfer *t = user;
    if (!strcmp(category, "statistics") || !strcmp(category, "tls") ||
        !strcmp(category, "fallback"))
        fprintf(stderr, "livetcp %s: %s: %s\n", t->command, livetcp_log_level_name(level), text);
}

/* ---- opened ---- */

static livetcp_result read_tokens(lt_transfer *t, const char *name, livetcp_error *error)
{
    livetcp_result result;

    if (t->config.mode != LIVETCP_MODE_LISTENER)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--tokens is for listeners (?mode=listener): a caller has one, ?token=");
    if ((result = lt_token_file_check(&t->config, error)))
        return result;
    return lt_token_file_open(&t->tokens, name, error);
}

livetcp_result lt_transfer_take(lt_transfer *t, const lt_transfer_options *options, const char *uri,
                                livetcp_error *error)
{
    livetcp_result result;

    livetcp_config_init(&t->config);
    t->config.max_sessions = 1;
    t->keep = options->keep;
    t->quiet = options->quiet;
    t->json = options->json;
    t->duration = LIVETCP_NEVER;
    if (!uri)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "a URI is missing: livetcp://HOST:PORT calls, livetcp://:PORT?mode=listener waits "
            "for a caller");
    if ((result = livetcp_config_apply_uri(&t->config, uri, error)) ||
        (result = livetcp_config_check(&t->config, error)))
        return result;
    if (t->config.mode == LIVETCP_MODE_CALLER && t->config.role == LIVETCP_ROLE_BOTH)
        t->config.role = t->role;
    if (options->tokens && (result = read_tokens(t, options->tokens, error)))
        return result;
    return lt_option_time("--duration ", options->duration, LIVETCP_USEC_SEC, 1,
                          86400 * (livetcp_usec)LIVETCP_USEC_SEC, &t->duration, error);
}

static livetcp_result listen_or_call(lt_transfer *t, livetcp_error *error)
{
    const livetcp_listener_callbacks waiting = {
        .struct_size = sizeof waiting, .on_session = on_session, .on_rejected = on_rejected};
    char text[64];
    livetcp_result result;

    if (t->config.mode != LIVETCP_MODE_LISTENER)
        return livetcp_session_connect(t->context, &t->config, &callbacks, t, &t->session, error);
    result = livetcp_listener_create(t->context, &t->config, &waiting, t, &t->listener, error);
    if (result == LIVETCP_OK) {
        snprintf(text, sizeof text, "listening on port %u", livetcp_listener_port(t->listener));
        say(t, text);
    }
    return result;
}

livetcp_result lt_transfer_open(lt_transfer *t, livetcp_error *error)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    const struct sigaction reread = {.sa_handler = on_hang_up};
    livetcp_result result;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (t->tokens.name)
        sigaction(SIGHUP, &reread, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (uv_mutex_init(&t->lock) != 0 || uv_cond_init(&t->changed) != 0)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    result = livetcp_context_create(NULL, &t->context, error);
    if (result != LIVETCP_OK)
        return result;
    livetcp_context_set_log(t->context, t->quiet ? LIVETCP_LOG_WARNING : LIVETCP_LOG_INFO, on_log,
                            t);
    return listen_or_call(t, error);
}

/* ---- waiting ---- */

/* Under the lock. */
static void wait_slice(lt_transfer *t, uint64_t ns)
{
    uv_cond_timedwait(&t->changed, &t->lock, ns < SLICE_NS ? ns : SLICE_NS);
}

bool lt_transfer_wait_open(lt_transfer *t)
{
    uv_mutex_lock(&t->lock);
    while (!interrupted && !t->open && !t->closed && !t->failed)
        wait_slice(t, SLICE_NS);
    bool open = t->open && !t->failed;
    uv_mutex_unlock(&t->lock);
    return open && !interrupted;
}

bool lt_transfer_wait_sent(lt_transfer *t)
{
    uv_mutex_lock(&t->lock);
    t->sent = false;
    uv_mutex_unlock(&t->lock);
    livetcp_session_notify_when_sent(t->session);
    uv_mutex_lock(&t->lock);
    while (!interrupted && !t->closed && !t->sent)
        wait_slice(t, SLICE_NS);
    bool sent = t->sent;
    uv_mutex_unlock(&t->lock);
    return sent;
}

bool lt_transfer_wait_until(lt_transfer *t, livetcp_usec at)
{
    uv_mutex_lock(&t->lock);
    for (;;) {
        livetcp_usec left = at - lt_transfer_now();
        if (interrupted || t->closed || left <= 0)
            break;
        wait_slice(t, (uint64_t)left * 1000);
    }
    bool good = !interrupted && !t->closed;
    uv_mutex_unlock(&t->lock);
    return good;
}

bool lt_transfer_is_over(lt_transfer *t)
{
    uv_mutex_lock(&t->lock);
    bool over =
        interrupted || t->closed ||
        (t->start && t->duration != LIVETCP_NEVER && lt_transfer_now() - t->start >= t->duration);
    uv_mutex_unlock(&t->lock);
    return over;
}

bool lt_transfer_is_closed(lt_transfer *t)
{
    uv_mutex_lock(&t->lock);
    bool closed = t->closed;
    uv_mutex_unlock(&t->lock);
    return closed;
}

/* ---- the end ---- */

static void print_rate(uint64_t bytes, double seconds, char *text, size_t size)
{
    double bits = seconds > 0 ? 8 * (double)bytes / seconds : 0;

    if (bits < 1e6)
        snprintf(text, size, "%.0f kbit/s", bits / 1e3);
    else
        snprintf(text, size, "%.2f Mbit/s", bits / 1e6);
}

/* What TCP had acknowledged. After an orderly end the last packets are without a receipt, too, and
 * have come all the same. */
static void print_lost_on_the_way(const lt_transfer *t, const livetcp_sent_stats *sent)
{
    bool lost = t->end.code != LIVETCP_OK && t->end.code != LIVETCP_ERR_CLOSED;

    if (sent->acknowledged_lost)
        fprintf(
            stderr,
            "livetcp %s: %llu packets were lost by something on the way that ends TCP, and %llu "
            "of these were sent again\n",
            t->command, (unsigned long long)sent->acknowledged_lost,
            (unsigned long long)sent->acknowledged_resent);
    if (lost && sent->unconfirmed)
        fprintf(stderr,
                "livetcp %s: %llu packets were not confirmed by the peer when the session ended\n",
                t->command, (unsigned long long)sent->unconfirmed);
}

static void print_summary(const lt_transfer *t, const livetcp_session_stats *s, double seconds)
{
    const livetcp_sent_stats *sent = &s->sent;
    const livetcp_received_stats *received = &s->received;
    char rate[48];

    if (sent->accepted) {
        print_rate(sent->accepted_bytes, seconds, rate, sizeof rate);
        fprintf(
            stderr,
            "livetcp %s: sent %llu packets in %.1f s, %s; %llu copies; dropped: %llu late, %llu "
            "queue full, %llu connection lost\n",
            t->command, (unsigned long long)sent->packets, seconds, rate,
            (unsigned long long)sent->copies, (unsigned long long)s->dropped.late,
            (unsigned long long)s->dropped.queue_full, (unsigned long long)s->dropped.connection);
    }
    if (received->packets || !sent->accepted) {
        print_rate(received->bytes, seconds, rate, sizeof rate);
        fprintf(stderr,
                "livetcp %s: received %llu packets in %.1f s, %s; %llu duplicates; missing %lld\n",
                t->command, (unsigned long long)received->packets, seconds, rate,
                (unsigned long long)received->duplicates, (long long)received->missing);
    }
    if (s->reconnects)
        fprintf(stderr, "livetcp %s: %llu connections were replaced\n", t->command,
                (unsigned long long)s->reconnects);
    if (s->rerouted)
        fprintf(stderr, "livetcp %s: %llu of them had a longer route than others\n", t->command,
                (unsigned long long)s->rerouted);
    if (s->control.outages)
        fprintf(stderr, "livetcp %s: outages, in which nothing got through: %llu\n", t->command,
                (unsigned long long)s->control.outages);
    print_lost_on_the_way(t, sent);
}

static livetcp_result write_json(const lt_transfer *t, double seconds, bool success,
                                 livetcp_error *error)
{
    size_t size = livetcp_session_stats_json(t->session, NULL, 0) + 1024; /* counters may grow */
    char *text = malloc(size), schema[32];
    bool failed = false;
    json_t *root;

    snprintf(schema, sizeof schema, "livetcp/%s/1", t->command);
    root = lt_json_document(schema, &failed);
    lt_json_put(root, "seconds", lt_json_number(seconds), &failed);
    lt_json_put(root, "success", json_boolean(success), &failed);
    lt_json_put(root, "end", lt_json_text(t->end.message), &failed);
    if (text)
        livetcp_session_stats_json(t->session, text, size);
    lt_json_put(root, "session", text ? json_loads(text, 0, NULL) : NULL, &failed);
    free(text);
    return lt_json_save(root, failed, t->json, error);
}

/* Ends the session and waits until it is closed. */
static void end_session(lt_transfer *t)
{
    const livetcp_usec limit = lt_transfer_now() + 2 * DRAIN_US;

    livetcp_session_close(t->session, interrupted ? 0 : DRAIN_US);
    uv_mutex_lock(&t->lock);
    while (!t->closed && lt_transfer_now() < limit)
        wait_slice(t, SLICE_NS);
    uv_mutex_unlock(&t->lock);
}

/* True if this end or the peer ended it in order. */
static bool is_good_end(const lt_transfer *t)
{
    return t->end.code == LIVETCP_OK || t->end.code == LIVETCP_ERR_CANCELLED ||
           t->end.code == LIVETCP_ERR_CLOSED;
}

/* True if the listener's application refused it, with a text. */
static bool was_turned_away(const lt_transfer *t)
{
    livetcp_rejection rejection = {.struct_size = sizeof rejection};

    return livetcp_session_get_rejection(t->session, &rejection) == LIVETCP_OK &&
           (rejection.code || *rejection.text);
}

static void forget_session(lt_transfer *t)
{
    livetcp_session *session;

    uv_mutex_lock(&t->lock);
    session = t->session;
    uv_mutex_unlock(&t->lock);
    livetcp_session_destroy(&session);
    uv_mutex_lock(&t->lock);
    t->session = NULL;
    t->open = t->closed = t->sent = t->failed = false;
    t->reported[0] = '\0';
    t->start = 0;
    t->end = (livetcp_error){.code = LIVETCP_OK};
    uv_mutex_unlock(&t->lock);
}

bool lt_transfer_goes_on(const lt_transfer *t)
{
    return t->keep && t->listener && !interrupted;
}

int lt_transfer_finish(lt_transfer *t)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    livetcp_error error = {.message = ""};
    bool success;

    if (!t->session && t->served)
        return t->code;
    if (!t->session) {
        fprintf(stderr, "livetcp %s: no session: there was no caller\n", t->command);
        return LT_EXIT_FAILED;
    }
    end_session(t);
    const double seconds = t->start ? (double)(lt_transfer_now() - t->start) / 1e6 : 0;
    success = t->start && !t->failed && is_good_end(t);
    livetcp_session_get_stats(t->session, &stats);
    if (!success)
        fprintf(stderr, "livetcp %s: %s\n", t->command,
                t->end.code != LIVETCP_OK &&
                        (t->end.code != LIVETCP_ERR_CANCELLED || was_turned_away(t))
                    ? t->end.message
                    : "there was no session: no answer");
    if (!t->quiet && t->start)
        print_summary(t, &stats, seconds);
    if (t->json && write_json(t, seconds, success, &error) != LIVETCP_OK) {
        lt_command_failed(t->command, &error);
        success = false;
    }
    forget_session(t);
    t->served = true;
    t->code = success ? LT_EXIT_OK : LT_EXIT_FAILED;
    return t->code;
}

void lt_transfer_close(lt_transfer *t)
{
    if (!t->context) {
        lt_token_file_close(&t->tokens);
        return;
    }
    livetcp_listener_destroy(&t->listener);
    livetcp_session_destroy(&t->session);
    livetcp_context_destroy(&t->context);
    lt_token_file_close(&t->tokens);
    uv_cond_destroy(&t->changed);
    uv_mutex_destroy(&t->lock);
}
