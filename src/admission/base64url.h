/* SPDX-License-Identifier: MIT */
/* Base 64 for URLs, without padding (RFC 4648, section 5), as JSON Web Signatures have it. */
#ifndef LT_ADMISSION_BASE64URL_H
#define LT_ADMISSION_BASE64URL_H

#include <stddef.h>
#include <stdint.h>

/* Decodes `size` characters to `out`, which has room for 3/4 of them. Returns the bytes, or -1 if
 * it is not what an encoder writes: other characters, a length that none has, bits that are left
 * over. */
long lt_base64url_decode(const char *text, size_t size, uint8_t *out);

#endif
