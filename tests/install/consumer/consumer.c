/* SPDX-License-Identifier: MIT */
/* A program of somebody else's: knows nothing but what the installed package tells it. */
#include <livetcp/livetcp.h>

#include <stdio.h>
#include <string.h>

/* Calls into everything that the library itself needs: OpenSSL, and libuv if it has sessions. */
static livetcp_result start_and_stop(void)
{
    livetcp_config config;
    livetcp_engine *engine = NULL;
    livetcp_engine_setup setup = {.struct_size = sizeof setup, .config = &config};
    livetcp_result result;

    livetcp_config_init(&config);
    result = livetcp_engine_create(&setup, &engine, NULL); /* without random numbers: refused */
    livetcp_engine_destroy(&engine);
#if LIVETCP_HAS_IO
    livetcp_context *context = NULL;
    result = livetcp_context_create(NULL, &context, NULL);
    livetcp_context_destroy(&context);
#endif
    return LIVETCP_HAS_IO || result == LIVETCP_ERR_INVALID_ARGUMENT ? LIVETCP_OK : result;
}

int main(void)
{
    printf("%s: %s\n", LIVETCP_VERSION, livetcp_result_text(LIVETCP_ERR_BAD_PROOF));
    if (start_and_stop() != LIVETCP_OK)
        return 1;
    return strcmp(livetcp_result_name(LIVETCP_ERR_BAD_PROOF), "bad-proof") != 0;
}
