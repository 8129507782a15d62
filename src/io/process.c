/* SPDX-License-Identifier: MIT */
/* State per process. Nonces and keys come from OpenSSL's generator, which the operating system
 * seeds. */
#include "io/process.h"

#include "rtp/rtcp/reporter.h"

#include <limits.h>
#include <openssl/rand.h>
#include <uv.h>

livetcp_result lt_io_random(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    if (size > INT_MAX || RAND_bytes(bytes, (int)size) != 1)
        return LIVETCP_ERR_SYSTEM;
    return LIVETCP_OK;
}

static char cname[LT_CNAME_SIZE];

static void make_cname(void)
{
    uint8_t random[12];

    if (lt_io_random(NULL, random, sizeof random) == LIVETCP_OK)
        lt_reporter_cname(random, cname);
}

const char *lt_io_cname(void)
{
    static uv_once_t once = UV_ONCE_INIT;

    uv_once(&once, make_cname);
    return cname[0] ? cname : NULL;
}
