/* SPDX-License-Identifier: MIT */
#include "lab/doctor/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80 };

static const char bold[] = "\033[1m", red[] = "\033[31m", yellow[] = "\033[33m",
                  green[] = "\033[32m", plain[] = "\033[0m";

typedef struct page {
    FILE *out;
    bool colour;
} page;

static void paint(const page *p, const char *code)
{
    if (p->colour)
        fputs(code, p->out);
}

/* Words from column `at` on; further lines begin at `indent`. A word that is too long for a line
 * has one to itself. */
static void print_words(const page *p, const char *text, int at, int indent)
{
    bool first = true;
    while (*(text += strspn(text, " "))) {
        int length = (int)strcspn(text, " ");
        if (!first && at + 1 + length > COLUMNS) {
            fprintf(p->out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        fprintf(p->out, "%s%.*s", first ? "" : " ", length, text);
        at += length + !first;
        first = false;
        text += length;
    }
    fputc('\n', p->out);
}

static void print_labelled(const page *p, const char *label, const char *text)
{
    enum { INDENT = 4, WIDTH = 8 };
    if (!*text)
        return;
    fprintf(p->out, "%*s%-*s", INDENT, "", WIDTH, label);
    print_words(p, text, INDENT + WIDTH, INDENT + WIDTH);
}

/* A command stays on one line, to be copied. */
static void print_command(const page *p, const char *command)
{
    if (*command)
        fprintf(p->out, "    Change  %s\n", command);
}

static void print_cost(const page *p, const lt_check *check, const lt_finding *f)
{
    char price[64] = "";
    if (!isnan(f->cost_ms))
        snprintf(price, sizeof price, ", %g ms%s", f->cost_ms,
                 f->cost_round_trips > 0 ? " or more" : "");
    fputs("\n  ", p->out);
    paint(p, bold);
    fprintf(p->out, "%s", check->title);
    paint(p, plain);
    fputs(": ", p->out);
    print_words(p, f->found, 4 + (int)strlen(check->title), 4);
    fprintf(p->out, "    Costs   %s%s\n", lt_when_text(f->when), price);
    print_labelled(p, "", f->cost);
    print_labelled(p, "Source", check->source);
    print_command(p, f->command);
}

static void heading(const page *p, const char *colour, const char *text)
{
    fputc('\n', p->out);
    paint(p, colour);
    paint(p, bold);
    fputs(text, p->out);
    paint(p, plain);
    fputc('\n', p->out);
}

static const lt_diagnosis *sorted_one; /* qsort() passes no context */

static int compare(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = lt_finding_order(&sorted_one->findings[x], &sorted_one->findings[y]);
    return order ? order : (x > y) - (x < y);
}

static void print_costs(const page *p, const lt_diagnosis *d)
{
    size_t order[LT_DOCTOR_CHECKS_MAX], count = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->findings[i].result == LT_CHECK_COSTS)
            order[count++] = i;
    if (!count)
        return;
    sorted_one = d;
    qsort(order, count, sizeof *order, compare);
    heading(p, red, "Costs delay (with a round trip R of 100 ms and a packet every T = 20 ms):");
    for (size_t i = 0; i < count; i++)
        print_cost(p, lt_check_at(order[i]), &d->findings[order[i]]);
}

static void print_short(const page *p, const lt_diagnosis *d, lt_check_result result,
                        const char *colour, const char *title)
{
    enum { WIDTH = 33 };
    if (!d->results[result])
        return;
    heading(p, colour, title);
    for (size_t i = 0; i < d->count; i++) {
        if (d->findings[i].result != result)
            continue;
        fprintf(p->out, "  %-*s", WIDTH, lt_check_at(i)->title);
        print_words(p, d->findings[i].found, WIDTH + 2, WIDTH + 2);
    }
}

static void print_host(const page *p, const lt_facts *facts)
{
    const lt_route_fact *r = &facts->route;
    fprintf(p->out, "Linux %s", facts->kernel[0] ? facts->kernel : "(version not known)");
    if (r->how == LT_KNOWN)
        fprintf(p->out, ", %s%s%s%s", strcmp(r->to, "default") ? "to " : "default route",
                strcmp(r->to, "default") ? r->to : "", r->gateway[0] ? " via " : "", r->gateway);
    if (facts->interface.name[0])
        fprintf(p->out, ", interface %s", facts->interface.name);
    fputc('\n', p->out);
}

void lt_doctor_print(const lt_diagnosis *diagnosis, bool colour, FILE *out)
{
    const page p = {out, colour};
    const unsigned *n = diagnosis->results;
    fprintf(out, "%u of %zu checks found something that costs delay, %u nothing, %u unknown.\n",
            n[LT_CHECK_COSTS], diagnosis->count, n[LT_CHECK_OK], n[LT_CHECK_UNKNOWN]);
    print_host(&p, diagnosis->facts);
    print_costs(&p, diagnosis);
    print_short(&p, diagnosis, LT_CHECK_UNKNOWN, yellow, "Unknown:");
    print_short(&p, diagnosis, LT_CHECK_OK, green, "Costs nothing:");
    if (n[LT_CHECK_COSTS])
        fputs("\nNothing was changed. Commands take root and last until the next start;\n"
              "docs/guide/doctor.md explains how to make them permanent.\n",
              out);
}
