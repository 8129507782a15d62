/* SPDX-License-Identifier: MIT */
/* What a packet is to the programme it belongs to. */
#ifndef LIVETCP_MEDIA_H
#define LIVETCP_MEDIA_H

#include <livetcp/export.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ascending: what goes last when something must be dropped. */
typedef enum livetcp_importance {
    LIVETCP_IMPORTANCE_UNKNOWN = 0, /* treated as DELTA */
    LIVETCP_IMPORTANCE_DROPPABLE,   /* nothing refers to it */
    LIVETCP_IMPORTANCE_DELTA,       /* needs earlier frames, and later ones need it */
    LIVETCP_IMPORTANCE_AUDIO,       /* sound: small, and missed at once */
    LIVETCP_IMPORTANCE_KEY          /* needs nothing before it: parameter sets, key frames */
} livetcp_importance;

#ifdef __cplusplus
}
#endif

#endif
