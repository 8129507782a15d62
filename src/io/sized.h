/* SPDX-License-Identifier: MIT */
/* A config of any age made whole. */
#ifndef LT_IO_SIZED_H
#define LT_IO_SIZED_H

#include "base/sized.h"

#include <livetcp/config.h>

/* A whole config from one that may be older or newer: what is missing has its default. */
static inline void lt_copy_config(livetcp_config *to, const livetcp_config *from)
{
    livetcp_config_init(to);
    lt_copy_sized(to, sizeof *to, from, from->struct_size);
    to->struct_size = sizeof *to;
}

#endif
