/* SPDX-License-Identifier: MIT */
#include "lab/emulate/report.h"

#include "lab/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const direction_names[2] = {
    [LT_FORWARD] = "forward",
    [LT_BACKWARD] = "backward",
};

/* "forward"; for other links "2:forward" */
static void lane_name(unsigned lane, char *name, size_t size)
{
    if (lane < 2)
        snprintf(name, size, "%s", direction_names[lane]);
    else
        snprintf(name, size, "%u:%s", lane / 2 + 1, direction_names[lane % 2]);
}

/* One table for both formats. */
static const struct {
    const char *name;
    size_t offset; /* offset of a 64-bit value in lt_path_counters */
    const char *text;
} rows[] = {
#define ROW(name, member, text)                                                                    \
    {                                                                                              \
        name, offsetof(lt_path_counters, member), text                                             \
    }
    ROW("in_packets", link.in_packets, "packets in"),
    ROW("in_bytes", link.in_bytes, "bytes in"),
    ROW("out_packets", link.out_packets, "packets out"),
    ROW("out_bytes", link.out_bytes, "bytes out"),
    ROW("lost_random", link.lost_random, "lost, independent"),
    ROW("lost_burst", link.lost_burst, "lost, in bursts"),
    ROW("lost_outage", link.lost_outage, "lost, link cut"),
    ROW("dropped_policer", link.dropped_policer, "dropped, policer"),
    ROW("dropped_queue", link.dropped_queue, "dropped, queue full"),
    ROW("dropped_aqm", link.dropped_aqm, "dropped, AQM"),
    ROW("dropped_held", link.dropped_held, "dropped, emulator full"),
    ROW("dropped_read", read_dropped, "dropped, emulator slow"),
    ROW("dropped_write", write_failed, "dropped, receiver refused"),
    ROW("marked", link.marked, "ECN marked"),
    ROW("queue_packets", link.queue_packets, "queue now, packets"),
    ROW("queue_max_packets", link.queue_max_packets, "queue at most, packets"),
    ROW("queue_max_bytes", link.queue_max_bytes, "queue at most, bytes"),
    ROW("queue_max_delay_us", link.queue_max_delay, "queue at most, us"),
    ROW("flight_packets", link.flight_packets, "in flight, packets"),
    ROW("lateness_p50_us", lateness_p50, "lateness p50, us"),
    ROW("lateness_p99_us", lateness_p99, "lateness p99, us"),
    ROW("lateness_p999_us", lateness_p999, "lateness p99.9, us"),
    ROW("lateness_max_us", lateness_max, "lateness max, us"),
#undef ROW
};

static int64_t value_of(const lt_path_counters *counters, size_t row)
{
    int64_t value;
    memcpy(&value, (const char *)counters + rows[row].offset, sizeof value);
    return value;
}

static json_t *direction_report(lt_path *path, lt_direction direction, bool *failed)
{
    char text[LT_PARAMS_TEXT];
    lt_link_params params;
    lt_path_counters counters;
    lt_path_get(path, direction, &params);
    lt_path_get_counters(path, direction, &counters);
    json_t *out = json_object();
    lt_json_put(out, "params", json_string(lt_link_params_format(&params, text, sizeof text)),
                failed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        lt_json_put(out, rows[i].name, json_integer(value_of(&counters, i)), failed);
    return out;
}

json_t *lt_emulate_report(lt_path *path, bool *failed)
{
    lt_path_health health;
    lt_path_get_health(path, &health);
    json_t *out = json_object(), *stalls = json_object();
    for (unsigned i = 0; i < 2 * lt_path_links(path); i++) {
        char name[16];
        lane_name(i, name, sizeof name);
        lt_json_put(out, name, direction_report(path, (lt_direction)i, failed), failed);
    }
    lt_json_put(out, "realtime", json_boolean(health.realtime), failed);
    lt_json_put(out, "ipv6", json_boolean(health.ipv6), failed);
    lt_json_put(stalls, "count", lt_json_count(health.stalls), failed);
    lt_json_put(stalls, "total_us", json_integer(health.stalled), failed);
    lt_json_put(stalls, "longest_us", json_integer(health.longest_stall), failed);
    lt_json_put(out, "stalls", stalls, failed);
    return out;
}

static void print_health(const lt_path_health *health)
{
    if (!health->realtime)
        fputs("The forwarder ran without real-time priority (needs root or RLIMIT_RTPRIO).\n",
              stderr);
    if (health->stalls)
        fprintf(stderr,
                "The machine stalled %" PRIu64 " time%s, %.1f ms at the longest: measurements "
                "across a stall are in doubt.\n",
                health->stalls, health->stalls == 1 ? "" : "s",
                (double)health->longest_stall / 1e3);
}

void lt_emulate_print_table(lt_path *path)
{
    char text[LT_PARAMS_TEXT], name[16];
    lt_link_params params;
    lt_path_counters counters[LT_PATH_LANES];
    lt_path_health health;
    const unsigned lanes = 2 * lt_path_links(path);
    for (unsigned i = 0; i < lanes; i++) {
        lt_path_get(path, (lt_direction)i, &params);
        lt_path_get_counters(path, (lt_direction)i, &counters[i]);
        lane_name(i, name, sizeof name);
        fprintf(stderr, "%-9s %s\n", name, lt_link_params_format(&params, text, sizeof text));
    }
    fprintf(stderr, "%-26s", "");
    for (unsigned i = 0; i < lanes; i++) {
        lane_name(i, name, sizeof name);
        fprintf(stderr, " %14s", name);
    }
    fputc('\n', stderr);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        fprintf(stderr, "%-26s", rows[row].text);
        for (unsigned i = 0; i < lanes; i++)
            fprintf(stderr, " %14" PRId64, value_of(&counters[i], row));
        fputc('\n', stderr);
    }
    lt_path_get_health(path, &health);
    print_health(&health);
}

void lt_emulate_print_line(lt_path *path, livetcp_usec elapsed)
{
    fprintf(stderr, "%8.1f s", (double)elapsed / 1e6);
    for (unsigned i = 0; i < 2 * lt_path_links(path); i++) {
        char name[16];
        lt_path_counters counters;
        lt_path_get_counters(path, (lt_direction)i, &counters);
        const lt_link_counters *link = &counters.link;
        lane_name(i, name, sizeof name);
        fprintf(stderr,
                "  %s in %" PRIu64 " out %" PRIu64 " lost %" PRIu64 " dropped %" PRIu64
                " queue %" PRIu64,
                name, link->in_packets, link->out_packets,
                link->lost_random + link->lost_burst + link->lost_outage,
                link->dropped_queue + link->dropped_aqm + link->dropped_policer,
                link->queue_packets);
    }
    fputc('\n', stderr);
}

bool lt_emulate_write_json(json_t *report, bool failed, const char *file)
{
    livetcp_error error;
    if (lt_json_save(report, failed, file, &error) == LIVETCP_OK)
        return true;
    fprintf(stderr, "livetcp emulate: %s\n", error.message);
    return false;
}
