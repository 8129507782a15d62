/* SPDX-License-Identifier: MIT */
/* Nonces and keys come from OpenSSL's generator, which the operating system seeds. */
#include "io/random.h"

#include <openssl/rand.h>

#include <limits.h>

livetcp_result lt_system_random(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    if (size > INT_MAX || RAND_bytes(bytes, (int)size) != 1)
        return LIVETCP_ERR_SYSTEM;
    return LIVETCP_OK;
}
