/* SPDX-License-Identifier: MIT */
/* The kernel, the interface, and what LiveTCP's own tools need. */
#include "lab/doctor/judges.h"
#include "lab/doctor/sysctls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What came when, that a live flow notices. */
void lt_judge_kernel(const lt_facts *facts, lt_finding *finding)
{
    if (!facts->kernel_major) {
        lt_find_unknown(finding, "its version is not known");
    } else if (lt_kernel_from(facts, 4, 18)) {
        lt_find_ok(finding, "Linux %s: RACK by default, pacing in TCP", facts->kernel);
    } else {
        lt_find_costs(finding, "Linux %s", facts->kernel);
        lt_find_price(finding, LT_WHEN_LOSS, 31, 0,
                      "Before 4.18 losses are found by counting duplicate acknowledgements first, "
                      "R + 3T; before 4.13 bbr needs the qdisc fq; before 4.9 there is none.");
        lt_find_command(finding, "(a newer kernel)");
    }
}

static bool has_interface(const lt_facts *facts, lt_finding *finding)
{
    if (!facts->interface.name[0])
        lt_find_unknown(finding, "no interface to look at; name one with --interface");
    return facts->interface.name[0] != '\0';
}

static const char *on_off(const lt_interface_fact *i, lt_offload which)
{
    return !i->offload_known[which] ? "not known" : i->offload[which] ? "on" : "off";
}

/* TCP sizes its bursts by the pacing rate, so this costs processor time when off and nothing when
 * on. */
void lt_judge_send_offload(const lt_facts *facts, lt_finding *finding)
{
    const lt_interface_fact *i = &facts->interface;
    if (!has_interface(facts, finding))
        return;
    if (!i->offload_known[LT_OFFLOAD_TSO] && !i->offload_known[LT_OFFLOAD_GSO])
        lt_find_unknown(finding, "%s does not say", i->name);
    else
        lt_find_ok(finding, "TSO %s, GSO %s on %s; bursts follow the pacing rate",
                   on_off(i, LT_OFFLOAD_TSO), on_off(i, LT_OFFLOAD_GSO), i->name);
}

void lt_judge_receive_offload(const lt_facts *facts, lt_finding *finding)
{
    const lt_interface_fact *i = &facts->interface;
    if (!has_interface(facts, finding))
        return;
    if (!i->offload_known[LT_OFFLOAD_GRO] && !i->offload_known[LT_OFFLOAD_LRO]) {
        lt_find_unknown(finding, "%s does not say", i->name);
    } else if (i->offload[LT_OFFLOAD_LRO]) {
        lt_find_costs(finding, "LRO on, on %s", i->name);
        lt_find_price(
            finding, LT_WHEN_ALWAYS, 1, 0,
            "The interface waits for more segments to merge, and acknowledgements come in "
            "clumps: up to a millisecond, and the peer sends in bursts. GRO does not wait.");
        lt_find_command(finding, "ethtool -K %s lro off", i->name);
    } else {
        lt_find_ok(finding, "GRO %s, LRO %s on %s", on_off(i, LT_OFFLOAD_GRO),
                   on_off(i, LT_OFFLOAD_LRO), i->name);
    }
}

void lt_judge_coalescing(const lt_facts *facts, lt_finding *finding)
{
    enum { MUCH_US = 500 };
    const lt_interface_fact *i = &facts->interface;
    if (!has_interface(facts, finding))
        return;
    if (!i->coalescing_known) {
        lt_find_ok(finding, "%s has no such setting", i->name);
    } else if (i->coalesce_us <= MUCH_US) {
        lt_find_ok(finding, "received packets wait %u us at most on %s", i->coalesce_us, i->name);
    } else {
        lt_find_costs(finding, "received packets wait up to %u us on %s", i->coalesce_us, i->name);
        lt_find_price(finding, LT_WHEN_ALWAYS, i->coalesce_us / 1e3, 0,
                      "Every packet, and every acknowledgement, comes up to %.1f ms later.",
                      i->coalesce_us / 1e3);
        lt_find_command(finding, "ethtool -C %s rx-usecs 50", i->name);
    }
}

void lt_judge_timestamping(const lt_facts *facts, lt_finding *finding)
{
    const lt_socket_fact *s = &facts->socket;
    if (s->how != LT_KNOWN || s->stamps_how == LT_FAILED)
        lt_find_unknown(finding, "a connection over the loopback failed: %s",
                        strerror(s->how != LT_KNOWN ? s->error : s->stamps_error));
    else if (s->stamps_how == LT_ABSENT)
        lt_find_unknown(finding,
                        "this kernel has no SO_TIMESTAMPING for TCP: the legs of the delay "
                        "are estimated, not measured");
    else if (s->stamp_sent && s->stamp_acknowledged && s->stamp_received)
        lt_find_ok(finding, "when sent, received and acknowledged (SO_TIMESTAMPING)");
    else
        lt_find_unknown(finding, "SO_TIMESTAMPING is accepted, but there is none of: %s%s%s",
                        s->stamp_sent ? "" : "sent ", s->stamp_received ? "" : "received ",
                        s->stamp_acknowledged ? "" : "acknowledged");
}

void lt_judge_tun(const lt_facts *facts, lt_finding *finding)
{
    if (facts->tun.how == LT_KNOWN)
        lt_find_ok(finding, "livetcp emulate and livetcp bench work here");
    else
        lt_find_unknown(finding, "livetcp emulate does not work here: %.140s", facts->tun.why);
}
