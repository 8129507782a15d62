/* SPDX-License-Identifier: MIT */
/* A program of somebody else's: knows nothing but what the installed package tells it. */
#include <livetcp/livetcp.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("%s: %s\n", LIVETCP_VERSION, livetcp_result_text(LIVETCP_ERR_BAD_PROOF));
    return strcmp(livetcp_result_name(LIVETCP_ERR_BAD_PROOF), "bad-proof") != 0;
}
