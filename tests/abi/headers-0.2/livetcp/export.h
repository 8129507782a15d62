/* SPDX-License-Identifier: MIT */
/*
 * What every public header is built on: exported symbols, and structs that grow.
 *
 * Struct sizes. A program and the library that it loads may have been built with different versions
 * of these headers. Structs that can grow begin with struct_size, which is sizeof of the struct in
 * the headers that the program was built with; fields are only ever added at the end. The library
 * neither reads nor writes beyond struct_size.
 *
 * - Who sets it: the macro livetcp_x_init(x) passes sizeof *(x) to livetcp_x_init_sized(), which
 *   sets struct_size and every default. Where there is no such macro the program sets it to
 *   sizeof of the struct before the call.
 * - A smaller struct than the library's, from an older program: what is missing has its default
 *   when the library reads, and is not written when it fills in.
 * - A larger struct, from a newer program: what the library does not know is set to zero when it
 *   fills in (initializers and getters), and ignored when it reads, with one exception: functions
 *   in a livetcp_policy that it does not know must be NULL.
 * - A size that no header ever had (0 above all, or more than 64 KiB) is
 *   LIVETCP_ERR_INVALID_ARGUMENT, with a message where the function has one.
 *
 * Structs without struct_size never grow when programs make them or have arrays of them. Those that
 * the library makes and hands to a callback may grow at the end; an array of them comes with its
 * stride, see livetcp_view_path().
 */
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
