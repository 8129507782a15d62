/* SPDX-License-Identifier: MIT */
#include "lab/doctor/sysctls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `major.minor` is the first kernel with it, 0.0 = any that this is likely to run on. `host` ones
 * are missing from every network namespace but the first. */
static const struct {
    const char *name;
    unsigned major, minor;
    bool host;
} table[LT_SYSCTL_COUNT] = {
    [LT_SYSCTL_ALLOWED_CC] = {"net.ipv4.tcp_allowed_congestion_control", 0, 0, true},
    [LT_SYSCTL_AUTOCORKING] = {"net.ipv4.tcp_autocorking", 3, 14, false},
    [LT_SYSCTL_AVAILABLE_CC] = {"net.ipv4.tcp_available_congestion_control", 0, 0, true},
    [LT_SYSCTL_CC] = {"net.ipv4.tcp_congestion_control", 0, 0, false},
    [LT_SYSCTL_COMP_SACK_DELAY] = {"net.ipv4.tcp_comp_sack_delay_ns", 4, 18, false},
    [LT_SYSCTL_DEFAULT_QDISC] = {"net.core.default_qdisc", 3, 12, true},
    [LT_SYSCTL_DSACK] = {"net.ipv4.tcp_dsack", 0, 0, false},
    [LT_SYSCTL_EARLY_RETRANS] = {"net.ipv4.tcp_early_retrans", 3, 5, false},
    [LT_SYSCTL_ECN] = {"net.ipv4.tcp_ecn", 0, 0, false},
    [LT_SYSCTL_MODERATE_RCVBUF] = {"net.ipv4.tcp_moderate_rcvbuf", 0, 0, false},
    [LT_SYSCTL_MTU_PROBING] = {"net.ipv4.tcp_mtu_probing", 2, 6, false},
    [LT_SYSCTL_NO_METRICS] = {"net.ipv4.tcp_no_metrics_save", 0, 0, false},
    [LT_SYSCTL_NO_SSTHRESH] = {"net.ipv4.tcp_no_ssthresh_metrics_save", 5, 6, false},
    [LT_SYSCTL_NOTSENT_LOWAT] = {"net.ipv4.tcp_notsent_lowat", 3, 12, false},
    [LT_SYSCTL_RECOVERY] = {"net.ipv4.tcp_recovery", 4, 4, false},
    [LT_SYSCTL_REORDERING] = {"net.ipv4.tcp_reordering", 0, 0, false},
    [LT_SYSCTL_RETRIES2] = {"net.ipv4.tcp_retries2", 0, 0, false},
    [LT_SYSCTL_RMEM] = {"net.ipv4.tcp_rmem", 0, 0, false},
    [LT_SYSCTL_RMEM_MAX] = {"net.core.rmem_max", 0, 0, true},
    [LT_SYSCTL_RTO_MIN] = {"net.ipv4.tcp_rto_min_us", 6, 11, false},
    [LT_SYSCTL_SACK] = {"net.ipv4.tcp_sack", 0, 0, false},
    [LT_SYSCTL_SLOW_START_AFTER_IDLE] = {"net.ipv4.tcp_slow_start_after_idle", 0, 0, false},
    [LT_SYSCTL_SYN_LINEAR] = {"net.ipv4.tcp_syn_linear_timeouts", 6, 5, false},
    [LT_SYSCTL_SYN_RETRIES] = {"net.ipv4.tcp_syn_retries", 0, 0, false},
    [LT_SYSCTL_THIN_LINEAR] = {"net.ipv4.tcp_thin_linear_timeouts", 2, 6, false},
    [LT_SYSCTL_TIMESTAMPS] = {"net.ipv4.tcp_timestamps", 0, 0, false},
    [LT_SYSCTL_WINDOW_SCALING] = {"net.ipv4.tcp_window_scaling", 0, 0, false},
    [LT_SYSCTL_WMEM] = {"net.ipv4.tcp_wmem", 0, 0, false},
    [LT_SYSCTL_WMEM_MAX] = {"net.core.wmem_max", 0, 0, true},
};

const char *lt_sysctl_name(lt_sysctl which)
{
    return table[which].name;
}

static void tidy(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

static void read_one(lt_sysctl_fact *fact, const char *root, const char *name)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/%s", root, name);
    const bool fits = length > 0 && (size_t)length < sizeof path;
    for (char *c = path + (fits ? strlen(root) : 0); fits && *c; c++)
        if (*c == '.')
            *c = '/';
    errno = ENAMETOOLONG;
    FILE *file = fits ? fopen(path, "re") : NULL;
    fact->error = file ? 0 : errno;
    if (file) {
        errno = 0;
        if (!fgets(fact->text, sizeof fact->text, file))
            fact->error = errno ? errno : ENODATA;
        tidy(fact->text);
        fclose(file);
    }
    fact->how = !fact->error ? LT_KNOWN : fact->error == ENOENT ? LT_ABSENT : LT_FAILED;
}

void lt_sysctls_read(lt_facts *facts, const char *root)
{
    for (int i = 0; i < LT_SYSCTL_COUNT; i++)
        read_one(&facts->sysctl[i], root, table[i].name);
}

/* The numbers of a line, as many as there are up to `max_count`; -1 when it holds anything else. */
static int numbers(const lt_sysctl_fact *fact, long long *values, int max_count)
{
    const char *at = fact->text;
    int count = 0;
    if (fact->how != LT_KNOWN)
        return -1;
    while (count < max_count) {
        char *end;
        values[count] = strtoll(at, &end, 10);
        if (end == at)
            break;
        count++;
        at = end;
    }
    return at[strspn(at, " ")] ? -1 : count;
}

bool lt_sysctl_number(const lt_facts *facts, lt_sysctl which, long long *value)
{
    return numbers(&facts->sysctl[which], value, 1) == 1;
}

bool lt_sysctl_three(const lt_facts *facts, lt_sysctl which, long long values[3])
{
    return numbers(&facts->sysctl[which], values, 3) == 3;
}

bool lt_sysctl_lists(const lt_facts *facts, lt_sysctl which, const char *word)
{
    const lt_sysctl_fact *fact = &facts->sysctl[which];
    const size_t length = strlen(word);
    if (fact->how != LT_KNOWN)
        return false;
    for (const char *at = fact->text; *at; at += strspn(at, " ")) {
        size_t next = strcspn(at, " ");
        if (next == length && !strncmp(at, word, length))
            return true;
        at += next;
    }
    return false;
}

bool lt_kernel_from(const lt_facts *facts, unsigned major, unsigned minor)
{
    if (!facts->kernel_major)
        return true;
    return facts->kernel_major > major ||
           (facts->kernel_major == major && facts->kernel_minor >= minor);
}

void lt_sysctl_why(const lt_facts *facts, lt_sysctl which, char *text, size_t size)
{
    const lt_sysctl_fact *fact = &facts->sysctl[which];
    const char *name = table[which].name;
    if (fact->how == LT_KNOWN)
        snprintf(text, size, "%s says '%.40s', which is not the expected format", name, fact->text);
    else if (fact->how == LT_FAILED)
        snprintf(text, size, "%s cannot be read: %s", name, strerror(fact->error));
    else if (!lt_kernel_from(facts, table[which].major, table[which].minor))
        snprintf(text, size, "this kernel has no %s, which came with Linux %u.%u", name,
                 table[which].major, table[which].minor);
    else if (table[which].host)
        snprintf(text, size, "%s is not visible in this network namespace; ask on the host itself",
                 name);
    else
        snprintf(text, size, "this kernel has no %s", name);
}
