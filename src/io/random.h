/* SPDX-License-Identifier: MIT */
/* Secrets from the operating system, as the engine asks for them. */
#ifndef LT_IO_RANDOM_H
#define LT_IO_RANDOM_H

#include "wire/proof.h"

/* An livetcp_random_fn; `user` is not used. */
livetcp_result lt_system_random(void *user, uint8_t *bytes, size_t size);

#endif
