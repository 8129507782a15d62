/* SPDX-License-Identifier: MIT */
/* Routes of a relay. The first byte of the input says what the rest is: a URI at IN, one at OUT, or
 * a file in YAML. What is refused has a message; what is accepted equals itself, read again. */
#include "fuzz.h"

#include "relay/plan/plan.h"

#include <string.h>

static void read_uri(const char *uri, lt_relay_side side)
{
    lt_relay_location l;
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_result result = lt_relay_location_read(&l, side, uri, &error);

    if (result != LIVETCP_OK) {
        FUZZ_REQUIRE(error.code == result && error.message[0]);
        return;
    }
    FUZZ_REQUIRE(memchr(l.host, 0, sizeof l.host) && memchr(l.text, 0, sizeof l.text));
    FUZZ_REQUIRE(l.scheme != LT_RELAY_LIVETCP ||
                 livetcp_config_check(&l.session, NULL) == LIVETCP_OK);
}

static void read_file(const char *text, size_t size)
{
    lt_relay_plan plan, again;
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_result result = lt_relay_plan_yaml(&plan, "x", text, size, &error);

    if (result != LIVETCP_OK) {
        FUZZ_REQUIRE(error.code == result && error.message[0]);
        FUZZ_REQUIRE(!plan.count && !plan.routes);
        return;
    }
    FUZZ_REQUIRE(lt_relay_plan_yaml(&again, "x", text, size, &error) == LIVETCP_OK);
    FUZZ_REQUIRE(plan.count && plan.count == again.count);
    for (unsigned i = 0; i < plan.count; i++)
        FUZZ_REQUIRE(plan.routes[i].count >= 2 &&
                     lt_relay_plan_route_equal(&plan.routes[i], &again.routes[i]));
    lt_relay_plan_clear(&plan);
    lt_relay_plan_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;

    if (!size || !(text = malloc(size)))
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (data[0] % 3 == 2)
        read_file(text, size - 1);
    else
        read_uri(text, data[0] % 3 ? LT_RELAY_OUT : LT_RELAY_IN);
    free(text);
    return 0;
}
