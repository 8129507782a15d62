/* SPDX-License-Identifier: MIT */
/* The kernel's settings: their names, and reading them from /proc/sys or a copy of it. */
#ifndef LT_LAB_DOCTOR_SYSCTLS_H
#define LT_LAB_DOCTOR_SYSCTLS_H

#include "lab/doctor/facts.h"

#include <stddef.h>

/* As sysctl(8) takes it: "net.ipv4.tcp_sack". */
const char *lt_sysctl_name(lt_sysctl which);

/* Reads all of them below `root`, which is /proc/sys or a folder laid out like it. */
void lt_sysctls_read(lt_facts *facts, const char *root);

/* Its first number; false when it is not known or not a number. */
bool lt_sysctl_number(const lt_facts *facts, lt_sysctl which, long long *value);

/* All three numbers, as in tcp_rmem. */
bool lt_sysctl_three(const lt_facts *facts, lt_sysctl which, long long values[3]);

/* True when `word` is one of the words of a setting that is a list. */
bool lt_sysctl_lists(const lt_facts *facts, lt_sysctl which, const char *word);

/* Why there is no value: the kernel is too old, this network namespace hides it, ... */
void lt_sysctl_why(const lt_facts *facts, lt_sysctl which, char *text, size_t size);

/* True for this version or later; an unknown version counts as new. */
bool lt_kernel_from(const lt_facts *facts, unsigned major, unsigned minor);

#endif
