/* SPDX-License-Identifier: MIT */
#ifndef LIVETCP_VERSION_H
#define LIVETCP_VERSION_H

#include <livetcp/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of these headers. livetcp_version() names the library that is loaded. */
#define LIVETCP_VERSION_MAJOR 0
#define LIVETCP_VERSION_MINOR 2
#define LIVETCP_VERSION_PATCH 0
#define LIVETCP_VERSION       "0.2.0"

/* 1 if the library has sessions over sockets of its own (livetcp/session.h), 0 if it was built with
 * LIVETCP_IO=OFF: the engine (livetcp/engine.h) and all that needs no socket. */
#define LIVETCP_HAS_IO 1

/* Version of the library that is loaded, for example "0.1.0". */
LIVETCP_API const char *livetcp_version(void);

#ifdef __cplusplus
}
#endif

#endif
