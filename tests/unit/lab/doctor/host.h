/* SPDX-License-Identifier: MIT */
/* A host that was never there: one where nothing costs delay, for tests to change. */
#ifndef LT_TESTS_DOCTOR_HOST_H
#define LT_TESTS_DOCTOR_HOST_H

#include "catch.h"

extern "C" {
#include "lab/doctor/report.h"
#include "lab/doctor/sysctls.h"
}

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

struct Host {
    lt_facts facts = {};

    Host()
    {
        kernel(6, 18);
        std::strcpy(facts.machine_date, "2026-01-02T03:04:05Z");
        default_sysctls();
        facts.route.how = LT_KNOWN;
        std::strcpy(facts.route.to, "default");
        std::strcpy(facts.route.gateway, "192.0.2.1");
        std::strcpy(facts.route.device, "eth7");
        lt_interface_fact &i = facts.interface;
        std::strcpy(i.name, "eth7");
        for (int which = 0; which < LT_OFFLOAD_COUNT; which++)
            i.offload_known[which] = true, i.offload[which] = which != LT_OFFLOAD_LRO;
        i.coalescing_known = true;
        i.coalesce_us = 50;
        i.queue_packets = 1000;
        std::strcpy(i.qdisc, "fq_codel");
        lt_socket_fact &s = facts.socket;
        std::strcpy(s.selectable, "reno cubic bbr");
        s.rto_min = s.delack_max = s.notsent_lowat = s.thin_linear = true;
        s.timestamp_sent = s.timestamp_acknowledged = s.timestamp_received = true;
    }

    void kernel(unsigned major, unsigned minor)
    {
        facts.kernel_major = major;
        facts.kernel_minor = minor;
        std::snprintf(facts.kernel, sizeof facts.kernel, "%u.%u.0-test", major, minor);
    }

    void set(lt_sysctl which, const char *text)
    {
        facts.sysctl[which] = {};
        std::snprintf(facts.sysctl[which].text, sizeof facts.sysctl[which].text, "%s", text);
    }

    void lose(lt_sysctl which, int error = ENOENT)
    {
        facts.sysctl[which] = {};
        facts.sysctl[which].how = error == ENOENT ? LT_ABSENT : LT_FAILED;
        facts.sysctl[which].error = error;
    }

    lt_finding classify(const char *name) const
    {
        for (size_t i = 0; lt_check_at(i); i++)
            if (!std::strcmp(lt_check_at(i)->name, name)) {
                lt_finding finding = {};
                lt_check_at(i)->classify(&facts, &finding);
                return finding;
            }
        FAIL("there is no check " << name);
        return {};
    }

  private:
    void default_sysctls()
    {
        static const struct {
            lt_sysctl which;
            const char *text;
        } usual[] = {
            {LT_SYSCTL_ALLOWED_CC, "reno cubic bbr"},
            {LT_SYSCTL_AUTOCORKING, "1"},
            {LT_SYSCTL_AVAILABLE_CC, "reno cubic bbr"},
            {LT_SYSCTL_CC, "cubic"},
            {LT_SYSCTL_COMP_SACK_DELAY, "1000000"},
            {LT_SYSCTL_DEFAULT_QDISC, "fq_codel"},
            {LT_SYSCTL_DSACK, "1"},
            {LT_SYSCTL_EARLY_RETRANS, "3"},
            {LT_SYSCTL_ECN, "1"},
            {LT_SYSCTL_MODERATE_RCVBUF, "1"},
            {LT_SYSCTL_MTU_PROBING, "1"},
            {LT_SYSCTL_NO_METRICS, "0"},
            {LT_SYSCTL_NO_SSTHRESH, "1"},
            {LT_SYSCTL_NOTSENT_LOWAT, "4294967295"},
            {LT_SYSCTL_RECOVERY, "1"},
            {LT_SYSCTL_REORDERING, "3"},
            {LT_SYSCTL_RETRIES2, "15"},
            {LT_SYSCTL_RMEM, "4096 131072 6291456"},
            {LT_SYSCTL_RMEM_MAX, "212992"},
            {LT_SYSCTL_RTO_MIN, "200000"},
            {LT_SYSCTL_SACK, "1"},
            {LT_SYSCTL_SLOW_START_AFTER_IDLE, "0"},
            {LT_SYSCTL_SYN_LINEAR, "4"},
            {LT_SYSCTL_SYN_RETRIES, "6"},
            {LT_SYSCTL_THIN_LINEAR, "1"},
            {LT_SYSCTL_TIMESTAMPS, "1"},
            {LT_SYSCTL_WINDOW_SCALING, "1"},
            {LT_SYSCTL_WMEM, "4096 16384 4194304"},
            {LT_SYSCTL_WMEM_MAX, "212992"},
        };
        static_assert(sizeof usual / sizeof *usual == LT_SYSCTL_COUNT, "every sysctl has a value");
        for (const auto &one : usual)
            set(one.which, one.text);
    }
};

#endif
