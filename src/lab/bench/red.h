/* SPDX-License-Identifier: MIT */
/* Redundant audio at both ends of a scheme, as in Zhang et al. (section 4.1.1): each packet repeats
 * the previous frames in an encoding of half the size (there PCM and ADPCM). */
#ifndef LT_LAB_BENCH_RED_H
#define LT_LAB_BENCH_RED_H

#include "lab/bench/plan.h"
#include "lab/bench/scheme.h"

#include <livetcp/rtp.h>

/* Zero-initialized: no redundancy. */
typedef struct lt_red {
    unsigned depth;
    unsigned streams;
    livetcp_redundancy_encoder **encoders; /* one per stream */
    livetcp_redundancy_decoder **decoders;
} lt_red;

/* Size of a redundant packet for `primary` bytes, without framing. */
size_t lt_red_size(size_t primary, unsigned depth);

/* On failure it is cleared. */
livetcp_result lt_red_init(lt_red *red, const lt_scheme *scheme, const lt_plan *plan,
                           livetcp_error *error);
void lt_red_clear(lt_red *red);

/* The packet to send instead (or the same), valid until the next call for this stream. */
void lt_red_encode(lt_red *red, unsigned stream, const void *packet, const void **sent,
                   size_t *size);

/* The frames of a received packet; 0 if it is not one of the bench. Valid until the next call. */
size_t lt_red_decode(lt_red *red, const void *packet, size_t size,
                     livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES]);

#endif
