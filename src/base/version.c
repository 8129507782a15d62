/* SPDX-License-Identifier: MIT */
/* Version of the loaded library; the headers of a program may be of another. */
#include <livetcp/version.h>

const char *livetcp_version(void)
{
    return LIVETCP_VERSION;
}

int livetcp_version_number(void)
{
    return LIVETCP_VERSION_NUMBER;
}
