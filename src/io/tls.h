/* SPDX-License-Identifier: MIT */
/* TLS as a config has it: keys and certificates read, and read again when their files change. */
#ifndef LT_IO_TLS_H
#define LT_IO_TLS_H

#include "io/log.h"
#include "tls/filter.h"

#include <livetcp/config.h>

typedef struct lt_io_tls lt_io_tls;

/* Any thread; may take 0.1 s for a passphrase. *tls is NULL for a config without TLS. Errors name
 * the setting, the file and the remedy: LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_tls_create(const livetcp_config *config, lt_io_tls **tls,
                                livetcp_error *error);
void lt_io_tls_destroy(lt_io_tls **tls);

/* Loop's thread. A filter for a new connection. A listener's has the certificate that is in its
 * file now, or if that cannot be read the one before, which is logged. */
livetcp_result lt_io_tls_filter(lt_io_tls *tls, const lt_io_log *log, lt_tls_filter **filter);

/* True if a further connection need not wait for the first: it can resume, or there are no
 * certificates to check. */
bool lt_io_tls_is_cheap(const lt_io_tls *tls);

/* The config's passphrase is in the TLS that was created: overwrites it, in a config that still
 * asks for TLS then. */
void lt_io_tls_forget_passphrase(livetcp_config *config);

#endif
