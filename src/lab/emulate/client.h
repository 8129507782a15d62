/* SPDX-License-Identifier: MIT */
/* Client commands for a running emulator, through its control socket. */
#ifndef LT_LAB_EMULATE_CLIENT_H
#define LT_LAB_EMULATE_CLIENT_H

/* argv[0] is "set" or "counters". Returns the exit code. */
int lt_emulate_client(int argc, const char **argv);

#endif
