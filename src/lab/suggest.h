/* SPDX-License-Identifier: MIT */
/* "did you mean ...": the name closest to a mistyped word. */
#ifndef LT_LAB_SUGGEST_H
#define LT_LAB_SUGGEST_H

#include <stddef.h>

typedef struct lt_suggestion {
    const char *word;  /* as typed */
    const char *name;  /* closest of those offered; NULL = none is close */
    unsigned distance; /* insertions, deletions, replacements and transpositions */
} lt_suggestion;

void lt_suggestion_start(lt_suggestion *suggestion, const char *word);

/* `name` must outlive the suggestion. Of names at equal distance the first stays. */
void lt_suggestion_offer(lt_suggestion *suggestion, const char *name);

/* "; did you mean '--policy'?", with `prefix` before the name, or "" if none is close. Returns
 * `text`. */
const char *lt_suggestion_text(const lt_suggestion *suggestion, const char *prefix, char *text,
                               size_t size);

#endif
