/* SPDX-License-Identifier: MIT */
#include "io/tls.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/secret.h"
#include "settings/settings.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* Interval of checks for changed certificate files, made for incoming connections. */
#define LOOK_US LIVETCP_USEC_SEC

enum { FILES = 3 };

/* Properties that change when a file is replaced or written. */
typedef struct file_state {
    uint64_t inode, size;
    uv_timespec_t changed;
} file_state;

struct lt_io_tls {
    lt_tls_context *context;
    livetcp_config config;
    bool has_key;
    uint8_t key[LT_TLS_PSK_SIZE];
    file_state files[FILES];
    livetcp_usec look_us; /* time of the next check */
};

/* ---- from a config ---- */

static livetcp_result derive_key(lt_io_tls *tls, livetcp_error *error)
{
    char passphrase[sizeof tls->config.passphrase];
    livetcp_result result = lt_io_secret_read("passphrase", tls->config.passphrase, passphrase,
                                              sizeof passphrase, error);

    if (result == LIVETCP_OK)
        result = lt_tls_derive_psk(passphrase, tls->key, error);
    tls->has_key = result == LIVETCP_OK;
    OPENSSL_cleanse(passphrase, sizeof passphrase);
    OPENSSL_cleanse(tls->config.passphrase, sizeof tls->config.passphrase);
    return result;
}

static livetcp_result make_context(const lt_io_tls *tls, lt_tls_context **context,
                                   livetcp_error *error)
{
    const livetcp_config *config = &tls->config;
    lt_tls_setup setup = {.listener = config->mode == LIVETCP_MODE_LISTENER,
                          .ca_file = config->tls_ca,
                          .cert_file = config->tls_cert,
                          .key_file = config->tls_key,
                          .fingerprint = config->tls_fingerprint,
                          .name = config->tls_name[0] ? config->tls_name : config->host,
                          .websocket = config->websocket != LIVETCP_WEBSOCKET_OFF,
                          .insecure = config->tls_insecure,
                          .psk = tls->has_key ? tls->key : NULL};

    return lt_tls_context_create(&setup, tls->context, context, error);
}

/* ---- files ---- */

static file_state look_at(const char *name)
{
    file_state state = {0};
    uv_fs_t request;

    if (name[0] && uv_fs_stat(NULL, &request, name, NULL) == 0)
        state =
            (file_state){request.statbuf.st_ino, request.statbuf.st_size, request.statbuf.st_mtim};
    if (name[0])
        uv_fs_req_cleanup(&request);
    return state;
}

/* True if a file has changed since it was read. */
static bool look(lt_io_tls *tls)
{
    const char *names[FILES] = {tls->config.tls_ca, tls->config.tls_cert, tls->config.tls_key};
    bool changed = false;

    for (int i = 0; i < FILES; i++) {
        file_state now = look_at(names[i]);
        if (now.inode != tls->files[i].inode || now.size != tls->files[i].size ||
            now.changed.tv_sec != tls->files[i].changed.tv_sec ||
            now.changed.tv_nsec != tls->files[i].changed.tv_nsec)
            changed = true;
        tls->files[i] = now;
    }
    return changed;
}

/* A file may be partly written: the next check finds it changed again. */
static void reload(lt_io_tls *tls, const lt_io_log *log)
{
    lt_tls_context *context;
    livetcp_error error;

    if (make_context(tls, &context, &error) != LIVETCP_OK) {
        LT_IO_LOG(log, LIVETCP_LOG_WARNING, "tls", "the certificate before stays in use: %s",
                  error.message);
        return;
    }
    lt_tls_context_release(&tls->context);
    tls->context = context;
    LT_IO_LOG(log, LIVETCP_LOG_INFO, "tls", "%s has changed and is used for new connections",
              tls->config.tls_cert);
}

/* ---- life ---- */

livetcp_result lt_io_tls_create(const livetcp_config *config, lt_io_tls **out, livetcp_error *error)
{
    lt_io_tls *tls;
    livetcp_result result = LIVETCP_OK;

    *out = NULL;
    if (!lt_config_has_tls(config))
        return LIVETCP_OK;
    tls = calloc(1, sizeof *tls);
    if (!tls)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for TLS");
    tls->config = *config;
    if (config->passphrase[0])
        result = derive_key(tls, error);
    look(tls);
    if (result == LIVETCP_OK)
        result = make_context(tls, &tls->context, error);
    if (result == LIVETCP_OK)
        *out = tls;
    else
        lt_io_tls_destroy(&tls);
    return result;
}

void lt_io_tls_forget_passphrase(livetcp_config *config)
{
    if (config->passphrase[0] && config->tls == LIVETCP_TLS_OFF)
        config->tls = LIVETCP_TLS_ON;
    OPENSSL_cleanse(config->passphrase, sizeof config->passphrase);
}

void lt_io_tls_destroy(lt_io_tls **owner)
{
    lt_io_tls *tls = *owner;

    if (!tls)
        return;
    *owner = NULL;
    lt_tls_context_release(&tls->context);
    OPENSSL_cleanse(tls, sizeof *tls);
    free(tls);
}

livetcp_result lt_io_tls_filter(lt_io_tls *tls, const lt_io_log *log, lt_tls_filter **filter)
{
    livetcp_usec now = lt_io_now();
    uv_timeval64_t wall = {0};

    if (tls->config.mode == LIVETCP_MODE_LISTENER && now >= tls->look_us) {
        tls->look_us = now + LOOK_US;
        if (look(tls))
            reload(tls, log);
    }
    uv_gettimeofday(&wall);
    return lt_tls_filter_create(tls->context, wall.tv_sec, filter);
}

bool lt_io_tls_is_cheap(const lt_io_tls *tls)
{
    return tls->has_key || lt_tls_context_has_ticket(tls->context);
}
