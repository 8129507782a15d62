/* SPDX-License-Identifier: MIT */
/* Text from peers and users: UTF-8 (RFC 3629) without control characters. */
#ifndef LT_BASE_UTF8_H
#define LT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* True if all `size` bytes are well-formed UTF-8 without control characters (C0, DEL, C1). Such
 * text can be logged and displayed unchanged. */
bool lt_utf8_is_text(const char *text, size_t size);

/* Length of the longest prefix of at most `limit` bytes that ends between two characters. */
size_t lt_utf8_cut(const char *text, size_t limit);

#endif
