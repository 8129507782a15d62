/* SPDX-License-Identifier: MIT */
#include "lab/doctor/report.h"

#include "lab/doctor/sysctls.h"
#include "lab/json.h"

static const char *const result_names[] = {"ok", "costs", "unknown"};
static const char *const when_names[] = {"always", "loss", "start", "silence", "load", "rarely"};

static json_t *check_json(const lt_check *check, const lt_finding *f, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "name", lt_json_text(check->name), failed);
    lt_json_put(o, "title", lt_json_text(check->title), failed);
    lt_json_put(o, "state", lt_json_text(result_names[f->result]), failed);
    lt_json_put(o, "found", lt_json_text(f->found), failed);
    lt_json_put(o, "source", lt_json_text(check->source), failed);
    if (f->result != LT_CHECK_COSTS)
        return o;
    json_t *cost = json_object();
    lt_json_put(cost, "when", lt_json_text(when_names[f->when]), failed);
    lt_json_put(cost, "ms", lt_json_number(f->cost_ms), failed);
    lt_json_put(cost, "round_trips", json_real(f->cost_round_trips), failed);
    lt_json_put(cost, "text", lt_json_text(f->cost), failed);
    lt_json_put(o, "cost", cost, failed);
    lt_json_put(o, "command", f->command[0] ? lt_json_text(f->command) : json_null(), failed);
    return o;
}

static json_t *machine_json(const lt_facts *facts, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "date", lt_json_text(facts->machine_date), failed);
    lt_json_put(o, "kernel", lt_json_text(facts->kernel), failed);
    lt_json_put(o, "interface",
                facts->interface.name[0] ? lt_json_text(facts->interface.name) : json_null(),
                failed);
    if (facts->route.how == LT_KNOWN) {
        lt_json_put(o, "route_to", lt_json_text(facts->route.to), failed);
        lt_json_put(o, "gateway",
                    facts->route.gateway[0] ? lt_json_text(facts->route.gateway) : json_null(),
                    failed);
    }
    return o;
}

/* The values as read, for readers who classify otherwise. */
static json_t *sysctls_json(const lt_facts *facts, bool *failed)
{
    json_t *o = json_object();
    for (int i = 0; i < LT_SYSCTL_COUNT; i++)
        lt_json_put(o, lt_sysctl_name((lt_sysctl)i),
                    facts->sysctl[i].how == LT_KNOWN ? lt_json_text(facts->sysctl[i].text)
                                                     : json_null(),
                    failed);
    return o;
}

livetcp_result lt_doctor_json(const lt_diagnosis *diagnosis, FILE *out, livetcp_error *error)
{
    bool failed = false;
    json_t *root = lt_json_document("livetcp/doctor/1", &failed), *checks = json_array();
    lt_json_put(root, "machine", machine_json(diagnosis->facts, &failed), &failed);
    for (size_t i = 0; i < diagnosis->count; i++)
        lt_json_append(checks, check_json(lt_check_at(i), &diagnosis->findings[i], &failed),
                       &failed);
    lt_json_put(root, "checks", checks, &failed);
    lt_json_put(root, "sysctls", sysctls_json(diagnosis->facts, &failed), &failed);
    return lt_json_write(root, failed, out, error);
}
