/* SPDX-License-Identifier: MIT */
/* Texts of peers and users: UTF-8 (RFC 3629) without control characters. */
#ifndef LT_BASE_UTF8_H
#define LT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* True if all `size` bytes are well-formed UTF-8 and no character is a control character (C0, DEL,
 * C1): such a text can be logged and shown as it is. */
bool lt_utf8_is_text(const char *text, size_t size);

/* The most bytes of the text, at most `limit`, that end between two characters. */
size_t lt_utf8_cut(const char *text, size_t limit);

#endif
