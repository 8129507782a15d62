/* SPDX-License-Identifier: MIT */
#ifndef LIVETCP_EXPORT_H
#define LIVETCP_EXPORT_H

#if defined(_WIN32)
#if defined(LIVETCP_BUILDING)
#define LIVETCP_API __declspec(dllexport)
#else
#define LIVETCP_API __declspec(dllimport)
#endif
#else
#define LIVETCP_API __attribute__((visibility("default")))
#endif

#endif
