/* SPDX-License-Identifier: MIT */
/* The path MTU, the interface, and requirements of LiveTCP's own tools. R is the round trip and T
 * the interval between packets of one connection; numbers are for R = 100 ms and T = 20 ms. */
#include "lab/doctor/check_groups.h"

#include <math.h>
#include <string.h>

static void classify_mtu_probing(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_MTU_PROBING, "found and worked around", finding))
        return;
    lt_find_costs(finding, "not looked for");
    lt_find_price(finding, LT_WHEN_RARELY, NAN, 0,
                  "On a path with a smaller MTU that swallows the ICMP messages about it, as some "
                  "tunnels do, full segments never arrive: the connection stalls until it is "
                  "closed. Small packets pass.");
    lt_find_sysctl(finding, LT_SYSCTL_MTU_PROBING, "1");
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

/* TCP sizes its bursts by the pacing rate, so TSO costs no delay; without it, processor time. */
static void classify_send_offload(const lt_facts *facts, lt_finding *finding)
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

static void classify_receive_offload(const lt_facts *facts, lt_finding *finding)
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

static void classify_coalescing(const lt_facts *facts, lt_finding *finding)
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

static void classify_timestamping(const lt_facts *facts, lt_finding *finding)
{
    const lt_socket_fact *s = &facts->socket;
    if (s->how != LT_KNOWN || s->timestamps_how == LT_FAILED)
        lt_find_unknown(finding, "a connection over the loopback failed: %s",
                        strerror(s->how != LT_KNOWN ? s->error : s->timestamps_error));
    else if (s->timestamps_how == LT_ABSENT)
        lt_find_unknown(finding,
                        "this kernel has no SO_TIMESTAMPING for TCP: the components of the delay "
                        "are estimated, not measured");
    else if (s->timestamp_sent && s->timestamp_acknowledged && s->timestamp_received)
        lt_find_ok(finding, "when sent, received and acknowledged (SO_TIMESTAMPING)");
    else
        lt_find_unknown(finding, "SO_TIMESTAMPING is accepted, but there is none of: %s%s%s",
                        s->timestamp_sent ? "" : "sent ", s->timestamp_received ? "" : "received ",
                        s->timestamp_acknowledged ? "" : "acknowledged");
}

static void classify_tun(const lt_facts *facts, lt_finding *finding)
{
    if (facts->tun.how == LT_KNOWN)
        lt_find_ok(finding, "livetcp emulate and livetcp bench work here");
    else
        lt_find_unknown(finding, "livetcp emulate does not work here: %.140s", facts->tun.why);
}

/* ---- the table ---- */

#define SYSCTLS "Linux, Documentation/networking/ip-sysctl.rst"

static const lt_check checks[] = {
    {"mtu-probing", "Path MTU black holes", "RFC 4821; " SYSCTLS, classify_mtu_probing},
    {"send-offload", "Segmentation offload", "docs/guide/doctor.md#the-interface",
     classify_send_offload},
    {"receive-offload", "Receive offload", "docs/guide/doctor.md#the-interface",
     classify_receive_offload},
    {"interrupt-coalescing", "Interrupt coalescing", "docs/guide/doctor.md#the-interface",
     classify_coalescing},
    {"timestamping", "Time stamps of packets", "Linux, Documentation/networking/timestamping.rst",
     classify_timestamping},
    {"tun", "Emulated path", "docs/research/emulate.md", classify_tun},
};

const lt_check_group lt_host_checks = {checks, sizeof checks / sizeof *checks};
