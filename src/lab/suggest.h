/* SPDX-License-Identifier: MIT */
/* "did you mean ...": the name that a mistyped word is nearest to. */
#ifndef LT_LAB_SUGGEST_H
#define LT_LAB_SUGGEST_H

#include <stddef.h>

typedef struct lt_suggestion {
    const char *word;  /* as it was typed */
    const char *name;  /* the nearest of those offered; NULL when none is near */
    unsigned distance; /* characters to insert, delete, replace, or swap with their neighbour */
} lt_suggestion;

void lt_suggestion_start(lt_suggestion *suggestion, const char *word);

/* `name` must outlive the suggestion. The first of several at one distance stays. */
void lt_suggestion_offer(lt_suggestion *suggestion, const char *name);

/* "; did you mean '--policy'?", with `prefix` before the name, or "" when nothing is near. Returns
 * `text`. */
const char *lt_suggestion_text(const lt_suggestion *suggestion, const char *prefix, char *text,
                               size_t size);

#endif
