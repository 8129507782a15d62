/* SPDX-License-Identifier: MIT */
/* The clients of a running emulator, on its control socket. */
#ifndef LT_LAB_EMULATE_CLIENT_H
#define LT_LAB_EMULATE_CLIENT_H

/* argv[0] is "set" or "counters". Returns the exit code. */
int lt_emulate_client(int argc, const char **argv);

#endif
