/* SPDX-License-Identifier: MIT */
/* A file that somebody says holds packets of livetcp bench --raw. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "lab/report/raw.h"

#include <string.h>

static void check_scheme(const json_t *scheme)
{
    const json_t *points = json_object_get(scheme, "ccdf");
    double ms = -1, share = 2;
    size_t index;
    json_t *point;

    json_array_foreach(points, index, point)
    {
        double x = json_number_value(json_array_get(point, 0));
        double y = json_number_value(json_array_get(point, 1));
        FUZZ_REQUIRE(x > ms && y <= share && y > 0 && y <= 1);
        ms = x;
        share = y;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char header[] =
        "scheme,direction,flow,index,measured,near_stall,due_us,sent_us,arrival_us,delay_us\n";
    livetcp_error error = {.message = ""};
    char text[sizeof header + 65536];
    size_t index;
    json_t *scheme;

    /* With the right first line, which mutations would rarely find, unless the input has its own.
     */
    size_t length = size && data[0] == 's' ? 0 : sizeof header - 1;
    if (size > 65536)
        size = 65536;
    memcpy(text, header, length);
    memcpy(text + length, data, size);
    FILE *in = length + size ? fmemopen(text, length + size, "r") : NULL;
    if (!in)
        return 0;
    json_t *document = lt_raw_read(in, "fuzz", &error);
    fclose(in);
    FUZZ_REQUIRE(document || error.message[0]);
    json_array_foreach(json_object_get(document, "schemes"), index, scheme) check_scheme(scheme);
    json_decref(document);
    return 0;
}
