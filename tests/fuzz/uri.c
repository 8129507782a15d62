/* SPDX-License-Identifier: MIT */
/* URIs: what is refused changes nothing; what is accepted passes the range checks, and comes back
 * from the URI that is written for it. The input is the URI. */
#include "fuzz.h"

#include "settings/settings.h"

#include <string.h>

/* Longer than any URI that is accepted: a host and three texts, all percent-encoded. */
#define URI_SIZE 4096

/* Secrets are not written, except the names of files and variables that have them. */
static void forget(char *secret, size_t size)
{
    if (!lt_setting_is_reference(secret))
        memset(secret, 0, size);
}

static void forget_secrets(livetcp_config *config)
{
    forget(config->passphrase, sizeof config->passphrase);
    forget(config->token, sizeof config->token);
    forget(config->websocket_headers, sizeof config->websocket_headers);
    if (strchr(config->proxy, '@'))
        forget(config->proxy, sizeof config->proxy);
}

static void check_accepted(const livetcp_config *config)
{
    char uri[URI_SIZE], again[URI_SIZE];
    livetcp_config back, shown = *config;

    FUZZ_REQUIRE(lt_settings_check(config, NULL) == LIVETCP_OK);
    FUZZ_REQUIRE(livetcp_config_to_uri(config, uri, sizeof uri, NULL) == LIVETCP_OK);
    livetcp_config_init(&back);
    FUZZ_REQUIRE(livetcp_config_apply_uri(&back, uri, NULL) == LIVETCP_OK);
    FUZZ_REQUIRE(livetcp_config_to_uri(&back, again, sizeof again, NULL) == LIVETCP_OK);
    FUZZ_REQUIRE(!strcmp(uri, again));
    forget_secrets(&shown);
    FUZZ_REQUIRE(!memcmp(&shown, &back, sizeof back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    livetcp_config config, before;
    livetcp_error error = {.code = LIVETCP_OK};
    char *uri = malloc(size + 1);
    livetcp_result result;

    if (!uri)
        return 0;
    if (size)
        memcpy(uri, data, size);
    uri[size] = 0;
    livetcp_config_init(&config);
    memcpy(&before, &config, sizeof before);
    result = livetcp_config_apply_uri(&config, uri, &error);
    if (result == LIVETCP_OK) {
        check_accepted(&config);
    } else {
        FUZZ_REQUIRE(!memcmp(&config, &before, sizeof config));
        FUZZ_REQUIRE(error.code == result && error.message[0]);
        FUZZ_REQUIRE(memchr(error.message, 0, sizeof error.message));
    }
    free(uri);
    return 0;
}
