/* SPDX-License-Identifier: MIT */
/* X-Forwarded-For of a stranger's request. Whatever is before the last item that nobody trusts, or
 * that is no address, changes nothing. */
#include "fuzz.h"

#include "proxy/forwarded.h"

#include <string.h>

static const char trusted[] = "10.0.0.0/8,2001:db8::/32";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *list = calloc(size + 1, 1), *longer = calloc(size + 32, 1);
    lt_ip ip, again;
    uint16_t port = 0, port_again = 0;
    bool found;

    FUZZ_REQUIRE(list && longer);
    if (size)
        memcpy(list, data, size);
    found = lt_forwarded_read(list, trusted, &ip, &port);
    if (found && !lt_network_list_has(trusted, &ip)) {
        snprintf(longer, size + 32, "192.0.2.99,%s", list);
        FUZZ_REQUIRE(lt_forwarded_read(longer, trusted, &again, &port_again));
        FUZZ_REQUIRE(!memcmp(&ip, &again, sizeof ip) && port == port_again);
    }
    snprintf(longer, size + 32, "%s,198.51.100.1:7", list);
    FUZZ_REQUIRE(lt_forwarded_read(longer, trusted, &again, &port_again) && port_again == 7);
    free(list);
    free(longer);
    return 0;
}
