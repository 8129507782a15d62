/* SPDX-License-Identifier: MIT */
/* Exit codes, the same for every command. */
#ifndef LT_LAB_EXIT_CODE_H
#define LT_LAB_EXIT_CODE_H

enum {
    LT_EXIT_OK = 0,
    LT_EXIT_FAILED = 1, /* it ran and did not succeed */
    LT_EXIT_USAGE = 2,  /* wrong command line or environment; nothing was done */
};

#endif
