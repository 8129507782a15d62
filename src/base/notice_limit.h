/* SPDX-License-Identifier: MIT */
/* Rate limit for repeated notices: one per key and pause, with the number of suppressed ones. */
#ifndef LT_BASE_NOTICE_LIMIT_H
#define LT_BASE_NOTICE_LIMIT_H

#include <livetcp/base.h>

#include <stdbool.h>

/* Maximum number of keys. The key with the oldest report is replaced. */
#define LT_NOTICE_KEYS_MAX 64

#define LT_NOTICE_KEY_SIZE 96 /* bytes of a key that are compared, NUL included */

typedef struct lt_notice_limit {
    struct {
        char key[LT_NOTICE_KEY_SIZE];
        livetcp_usec reported_us;
        unsigned suppressed; /* since the last report */
    } items[LT_NOTICE_KEYS_MAX];
    unsigned count;
} lt_notice_limit; /* begins zeroed */

/* True if a notice with this key may be reported now: its last report is at least `pause_us` old.
 * *suppressed is then the number of occurrences since that report. */
bool lt_notice_limit_allow(lt_notice_limit *limit, const char *key, livetcp_usec pause_us,
                           livetcp_usec now, unsigned *suppressed);

#endif
