/* SPDX-License-Identifier: MIT */
#ifndef LIVETCP_VERSION_H
#define LIVETCP_VERSION_H

#include <livetcp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Version of these headers, and of the library that is loaded: they differ when a program meets a
 * library that was installed later.
 *
 *     #if LIVETCP_VERSION_CHECK(0, 2, 0)     for the compiler
 *     if (livetcp_version_number() < LIVETCP_VERSION_ENCODE(0, 2, 0))     at run time
 */

/* ---- of these headers ---- */

#define LIVETCP_VERSION_MAJOR 0
#define LIVETCP_VERSION_MINOR 2
#define LIVETCP_VERSION_PATCH 0
#define LIVETCP_VERSION       "0.2.0"

/* A version as one number, which orders versions: 0x000200 for 0.2.0. Parts are 0..255. */
#define LIVETCP_VERSION_ENCODE(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define LIVETCP_VERSION_NUMBER                                                                     \
    LIVETCP_VERSION_ENCODE(LIVETCP_VERSION_MAJOR, LIVETCP_VERSION_MINOR, LIVETCP_VERSION_PATCH)

/* True if these headers are of that version or a later one; also in #if. */
#define LIVETCP_VERSION_CHECK(major, minor, patch)                                                 \
    (LIVETCP_VERSION_NUMBER >= LIVETCP_VERSION_ENCODE(major, minor, patch))

/* 1 if the library has sessions over sockets of its own (livetcp/session.h), 0 if it was built with
 * LIVETCP_IO=OFF: the engine (livetcp/engine.h) and all that needs no socket. */
#define LIVETCP_HAS_IO 1

/* ---- of the library that is loaded ---- */

/* For example "0.2.0"; never NULL. Any thread. */
LIVETCP_API const char *livetcp_version(void);

/* The same as LIVETCP_VERSION_ENCODE() makes it. Any thread. */
LIVETCP_API int livetcp_version_number(void);

#ifdef __cplusplus
}
#endif

#endif
