/* SPDX-License-Identifier: MIT */
#include "lab/doctor/doctor.h"

#include "base/error.h"
#include "lab/doctor/gather.h"
#include "lab/doctor/report.h"
#include "lab/output.h"
#include "lab/tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static livetcp_result find_host(const char *host, struct sockaddr_storage *peer,
                                livetcp_error *error)
{
    struct addrinfo *found = NULL;
    if (!host)
        return LIVETCP_OK;
    const char *why = lt_tcp_resolve(host, NULL, AI_ADDRCONFIG, &found);
    if (why)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--host %.100s: %s", host, why);
    memcpy(peer, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return LIVETCP_OK;
}

static livetcp_result write_json(const lt_diagnosis *diagnosis, const char *path,
                                 livetcp_error *error)
{
    FILE *out = lt_output_open(path, error);
    if (!out)
        return LIVETCP_ERR_SYSTEM;
    return lt_output_close(out, path, lt_doctor_json(diagnosis, out, error), error);
}

static bool wants_colour(void)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(refused && *refused) &&
           !(terminal && !strcmp(terminal, "dumb"));
}

livetcp_result lt_doctor_run(const lt_doctor_options *options, bool *costs, livetcp_error *error)
{
    lt_facts facts;
    lt_diagnosis diagnosis;
    struct sockaddr_storage peer;
    livetcp_result result = find_host(options->host, &peer, error);
    const lt_gather_options asked = {.sysctls = "/proc/sys",
                                     .interface = options->interface,
                                     .to = options->host ? &peer : NULL};
    if (result == LIVETCP_OK)
        result = lt_gather(&facts, &asked, error);
    if (result != LIVETCP_OK)
        return result;
    lt_diagnose(&diagnosis, &facts);
    *costs = diagnosis.results[LT_CHECK_COSTS] > 0;
    if (options->json)
        result = write_json(&diagnosis, options->json, error);
    if (!options->json || strcmp(options->json, "-") != 0)
        lt_doctor_print(&diagnosis, wants_colour(), stdout);
    return result;
}
