/* SPDX-License-Identifier: MIT */
#ifndef LIVETCP_VERSION_H
#define LIVETCP_VERSION_H

/* Version of these headers. livetcp_version() names the library that is loaded. */
#define LIVETCP_VERSION_MAJOR 0
#define LIVETCP_VERSION_MINOR 1
#define LIVETCP_VERSION_PATCH 0
#define LIVETCP_VERSION       "0.1.0"

#endif
