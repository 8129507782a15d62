/* SPDX-License-Identifier: MIT */
/* Parity on its way out: packets that the policy wants protected join a group of their SSRC, and
 * the group's parity packet waits here for a connection, away from those that carry the group. */
#ifndef LT_ENGINE_REPAIR_PROTECTOR_H
#define LT_ENGINE_REPAIR_PROTECTOR_H

#include "engine/control_writer.h"
#include "engine/repair/parity_encoder.h"

#include <livetcp/engine.h>

/* Streams that are protected, and parity packets that wait. */
#define LT_PROTECTED_MAX    8
#define LT_PARITY_READY_MAX 8

typedef struct lt_protected {
    lt_parity_encoder *encoder;
    uint32_t ssrc;
    uint32_t announced;       /* bit i: the peer knows, on connection i */
    uint32_t carriers;        /* bit i: connection i carries one of the group */
    livetcp_usec flush_at_us; /* when the group is closed as it is */
} lt_protected;

typedef struct lt_protector {
    unsigned group;
    size_t max_packet;
    livetcp_random_fn random;
    void *random_user;
    lt_control_writer writer;
    lt_protected streams[LT_PROTECTED_MAX];
    unsigned stream_count;
    lt_packet *ready[LT_PARITY_READY_MAX]; /* oldest first */
    unsigned ready_count;
    uint64_t sent, dropped;
} lt_protector;

void lt_protector_clear(lt_protector *protector);

/* `open`: slots (bit i) on which the peer can be told about parity. False if the packet stays
 * without protection. */
bool lt_protector_add(lt_protector *protector, uint32_t open, const lt_packet *packet,
                      livetcp_usec now);

/* The connection is gone: its successor's peer has been told nothing. */
void lt_protector_reset_slot(lt_protector *protector, unsigned slot);

lt_packet *lt_protector_next(lt_protector *protector, livetcp_usec now);
uint32_t lt_protector_known(const lt_protector *protector, const lt_packet *parity);
void lt_protector_placed(lt_protector *protector, bool anywhere);

livetcp_usec lt_protector_deadline(const lt_protector *protector);
void lt_protector_expire(lt_protector *protector, livetcp_usec now);

#endif
