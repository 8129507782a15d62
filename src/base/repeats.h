/* SPDX-License-Identifier: MIT */
/* Rate limit for notices that repeat. */
#ifndef LT_BASE_REPEATS_H
#define LT_BASE_REPEATS_H

#include <livetcp/base.h>

#include <stdbool.h>

/* Keys remembered at a time. The key reported longest ago is replaced. */
#define LT_REPEATS_MAX 64

#define LT_REPEATS_KEY 96 /* bytes of a name that count, the NUL included */

typedef struct lt_repeats {
    struct {
        char key[LT_REPEATS_KEY];
        livetcp_usec told_us;
        unsigned untold; /* since then */
    } items[LT_REPEATS_MAX];
    unsigned count;
} lt_repeats; /* begins zeroed */

/* True if the key is to be reported now: the last report is `pause_us` old or more. *untold is then
 * the number of occurrences since, which were not reported. */
bool lt_repeats_tell(lt_repeats *repeats, const char *key, livetcp_usec pause_us, livetcp_usec now,
                     unsigned *untold);

#endif
