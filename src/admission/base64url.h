/* SPDX-License-Identifier: MIT */
/* Base 64 for URLs without padding (RFC 4648 section 5), the encoding of JSON Web Signatures. */
#ifndef LT_ADMISSION_BASE64URL_H
#define LT_ADMISSION_BASE64URL_H

#include <stddef.h>
#include <stdint.h>

/* Decodes `size` characters to `out`, which has space for 3/4 of them. Returns the number of
 * bytes, or -1 if the text is not canonical: other characters, an impossible length, non-zero
 * unused bits. */
long lt_base64url_decode(const char *text, size_t size, uint8_t *out);

#endif
