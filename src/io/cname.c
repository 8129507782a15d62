/* SPDX-License-Identifier: MIT */
#include "io/cname.h"

#include "io/random.h"
#include "rtp/rtcp/reporter.h"

#include <uv.h>

static char cname[LT_CNAME_SIZE];

static void draw(void)
{
    uint8_t random[12];

    if (lt_system_random(NULL, random, sizeof random) == LIVETCP_OK)
        lt_reporter_cname(random, cname);
}

const char *lt_cname(void)
{
    static uv_once_t once = UV_ONCE_INIT;

    uv_once(&once, draw);
    return cname[0] ? cname : NULL;
}
