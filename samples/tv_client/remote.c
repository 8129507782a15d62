/* SPDX-License-Identifier: MIT */
#include "remote.h"

#include <stdio.h>

#define LEAST_WAIT_US 200000

uint32_t remote_ask(remote *r, tv_command command, int32_t value, const char *text, int64_t now_us)
{
    if (r->count == REMOTE_REQUESTS)
        return 0;
    const unsigned at = (r->first + r->count) % REMOTE_REQUESTS;
    tv_request *request = &r->waiting[at];
    *request = (tv_request){.number = ++r->number, .command = command, .value = value};
    snprintf(request->text, sizeof request->text, "%s", text ? text : "");
    r->asked_us[at] = now_us;
    r->count++;
    return request->number;
}

size_t remote_due(remote *r, uint32_t ssrc, int64_t now_us, int64_t round_trip_us, uint8_t *out)
{
    const int64_t wait = 2 * round_trip_us > LEAST_WAIT_US ? 2 * round_trip_us : LEAST_WAIT_US;

    if (r->count == 0 || (r->sent_us != 0 && now_us - r->sent_us < wait))
        return 0;
    r->repeated += r->sent_us != 0;
    r->sent_us = now_us;
    return tv_write_request(out, ssrc, &r->waiting[r->first]);
}

bool remote_take(remote *r, const tv_answer *answer, tv_request *request, int64_t *asked_us)
{
    if (r->count == 0 || r->waiting[r->first].number != answer->number)
        return false;
    *request = r->waiting[r->first];
    *asked_us = r->asked_us[r->first];
    r->first = (r->first + 1) % REMOTE_REQUESTS;
    r->count--;
    r->sent_us = 0;
    return true;
}
