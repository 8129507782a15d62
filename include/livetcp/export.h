/* SPDX-License-Identifier: MIT */
#ifndef LIVETCP_EXPORT_H
#define LIVETCP_EXPORT_H

/* LIVETCP_STATIC: the library is a static one; pkg-config and CMake define it. */
#if defined(_WIN32) && !defined(LIVETCP_STATIC)
#if defined(LIVETCP_BUILDING)
#define LIVETCP_API __declspec(dllexport)
#else
#define LIVETCP_API __declspec(dllimport)
#endif
#elif defined(_WIN32)
#define LIVETCP_API
#else
#define LIVETCP_API __attribute__((visibility("default")))
#endif

#endif
