/* SPDX-License-Identifier: MIT */
#include "lab/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 40 }; /* longer words are not compared */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned min = a < b ? a : b;
    return min < c ? min : c;
}

/* Damerau-Levenshtein distance of words up to LENGTH_MAX. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned row[3][LENGTH_MAX + 1];
    unsigned *before = row[0], *above = row[1], *at = row[2];

    for (size_t j = 0; j <= b_length; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        at[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            at[j] = min3(above[j] + 1, at[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < at[j])
                at[j] = before[j - 2] + 1;
        }
        unsigned *last = before;
        before = above;
        above = at;
        at = last;
    }
    return above[b_length];
}

void lt_suggestion_start(lt_suggestion *suggestion, const char *word)
{
    *suggestion = (lt_suggestion){.word = word, .distance = LENGTH_MAX};
}

void lt_suggestion_offer(lt_suggestion *suggestion, const char *name)
{
    size_t typed = strlen(suggestion->word), offered = strlen(name);

    if (!typed || typed > LENGTH_MAX || offered > LENGTH_MAX)
        return;
    unsigned apart = distance(suggestion->word, typed, name, offered);
    /* A prefix counts as near, whatever its length. */
    if (typed >= 3 && typed < offered && !strncmp(suggestion->word, name, typed))
        apart = 1;
    if (apart > (typed < 4 ? 1 : 2) || apart >= suggestion->distance)
        return;
    suggestion->distance = apart;
    suggestion->name = name;
}

const char *lt_suggestion_text(const lt_suggestion *suggestion, const char *prefix, char *text,
                               size_t size)
{
    text[0] = '\0';
    if (suggestion->name)
        snprintf(text, size, "; did you mean '%s%s'?", prefix, suggestion->name);
    return text;
}
