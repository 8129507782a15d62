/* SPDX-License-Identifier: MIT */
#ifndef TV_MEDIAN_H
#define TV_MEDIAN_H

#include <stddef.h>
#include <stdint.h>

/* The rate, in kbit/s, of a quality that `count` viewers watch: what half of their paths carry,
 * less a reserve and the sound. The others are for the low quality, or miss pictures. `rates` are
 * their estimates in bit/s, 0 = not known yet, and are put in order. 0 = there is no viewer. */
int median_kbits(uint32_t *rates, size_t count);

#endif
