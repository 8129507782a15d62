/* SPDX-License-Identifier: MIT */
/* The result of a check, and how a check fills it in. */
#ifndef LT_LAB_DOCTOR_FINDING_H
#define LT_LAB_DOCTOR_FINDING_H

#include "lab/doctor/facts.h"

typedef enum lt_check_result {
    LT_CHECK_OK,
    LT_CHECK_COSTS,   /* costs a live flow delay, in some circumstances */
    LT_CHECK_UNKNOWN, /* could not be determined */
} lt_check_result;

/* When the cost occurs, the most frequent first. */
typedef enum lt_when {
    LT_WHEN_ALWAYS,
    LT_WHEN_LOSS,
    LT_WHEN_START,
    LT_WHEN_SILENCE,
    LT_WHEN_LOAD,
    LT_WHEN_RARELY,
} lt_when;

/* Costs are for the flow of the texts: a packet every 20 ms, a round trip of 100 ms. */
typedef struct lt_finding {
    lt_check_result result;
    char found[200]; /* the value found, or why it is unknown */
    char cost[400];  /* complete sentences; "" unless it costs delay */
    char command[200];
    lt_when when;
    double cost_ms;          /* per occurrence; NAN = depends on unknown values */
    double cost_round_trips; /* part that grows with the round trip; 0 = none */
} lt_finding;

/* Order of the report, by cost. */
int lt_finding_order(const lt_finding *a, const lt_finding *b);

const char *lt_when_text(lt_when when); /* "at every loss" */

/* For checks: fill in a finding. Texts are complete sentences, formatted as by printf(). */
void lt_find_ok(lt_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lt_find_unknown(lt_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lt_find_costs(lt_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lt_find_price(lt_finding *finding, lt_when when, double ms, double round_trips,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
void lt_find_command(lt_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The command that sets a sysctl. */
void lt_find_sysctl(lt_finding *finding, lt_sysctl which, const char *value);

/* The command that sets a parameter of the route, such as "initcwnd 10". */
void lt_find_route(lt_finding *finding, const lt_facts *facts, const char *setting);

/* Reads a numeric sysctl; if it is not one, sets an unknown finding and returns false. */
bool lt_find_number(const lt_facts *facts, lt_sysctl which, long long *value, lt_finding *finding);

/* True if a switch is off. If it is on, sets the finding, with the text `on`. */
bool lt_find_off(const lt_facts *facts, lt_sysctl which, const char *on, lt_finding *finding);

#endif
