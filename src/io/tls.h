/* SPDX-License-Identifier: MIT */
/* TLS as configured: reads keys and certificates, and reads them again when their files change. */
#ifndef LT_IO_TLS_H
#define LT_IO_TLS_H

#include "io/log.h"
#include "tls/filter.h"

#include <livetcp/config.h>

typedef struct lt_io_tls lt_io_tls;

/* Any thread; takes about 0.1 s for a passphrase. *tls is NULL for a config without TLS. Errors
 * name the setting, the file and the remedy: LIVETCP_ERR_INVALID_ARGUMENT,
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_tls_create(const livetcp_config *config, lt_io_tls **tls,
                                livetcp_error *error);
void lt_io_tls_destroy(lt_io_tls **tls);

/* Loop's thread. A filter for a new connection. A listener uses the current content of its
 * certificate file; if that is unusable, the previous one, which is logged. */
livetcp_result lt_io_tls_filter(lt_io_tls *tls, const lt_io_log *log, lt_tls_filter **filter);

/* True if another connection need not wait for the first: it can resume, or there are no
 * certificates to verify. */
bool lt_io_tls_is_cheap(const lt_io_tls *tls);

/* Wipes the passphrase in a config: the TLS object holds the derived key. The config still asks for
 * TLS. */
void lt_io_tls_forget_passphrase(livetcp_config *config);

#endif
