/* SPDX-License-Identifier: MIT */
/* Parity of sent packets. Packets that the policy wants protected join a group of their SSRC; the
 * group's parity packet waits here for a connection, preferably one without packets of the group.
 * Groups end with a frame (RTP's marker) if they may, because a frame without its last parity waits
 * for the next one: on average a byte of parity for `group` bytes.
 * If losses come in bursts, several groups are in progress, so that the packets of one group are
 * `spacing_us` apart. */
#ifndef LT_ENGINE_REPAIR_PROTECTOR_H
#define LT_ENGINE_REPAIR_PROTECTOR_H

#include "engine/control_writer.h"
#include "engine/repair/parity_encoder.h"

#include <livetcp/engine.h>

/* Maximum number of protected streams, and of waiting parity packets. */
#define LT_PROTECTED_MAX    8
#define LT_PARITY_READY_MAX 16

typedef struct lt_protected {
    lt_parity_encoder *encoder;
    uint32_t ssrc;
    livetcp_importance importance; /* of the last packet */
    uint32_t announced;            /* bit i: announced on connection i */
    livetcp_usec flush_at_us;      /* time at which incomplete groups are ended */
    double paid;                   /* bytes of parity for the packets so far */
    size_t largest;                /* packet so far */
    struct {
        uint32_t carriers;    /* bit i: connection i carries a packet of the group */
        livetcp_usec last_us; /* time of adding its last packet */
        size_t largest;       /* packet of the group, and about the size of its parity */
    } lanes[LT_PARITY_LANES];
} lt_protected;

/* A parity packet that waits for its time, or for a connection. */
typedef struct lt_parity_ready {
    lt_packet *packet;
    livetcp_usec due_us;
} lt_parity_ready;

typedef struct lt_protector {
    unsigned group;
    livetcp_usec spacing_us; /* between the packets of a group, and its parity */
    size_t max_packet;
    livetcp_random_fn random;
    void *random_user;
    lt_control_writer writer;
    lt_protected streams[LT_PROTECTED_MAX];
    unsigned stream_count;
    lt_parity_ready ready[LT_PARITY_READY_MAX]; /* oldest first */
    unsigned ready_count;
    livetcp_usec tried_us; /* last call of lt_protector_next() */
    uint64_t sent, dropped;
} lt_protector;

void lt_protector_clear(lt_protector *protector);

/* `open`: slots (bit i) on which parity can be announced. False if the packet stays unprotected. */
bool lt_protector_add(lt_protector *protector, uint32_t open, const lt_packet *packet,
                      livetcp_usec now);

/* The connection has ended: parity is not announced on the slot's next one. */
void lt_protector_reset_slot(lt_protector *protector, unsigned slot);

lt_packet *lt_protector_next(lt_protector *protector, livetcp_usec now);
uint32_t lt_protector_known(const lt_protector *protector, const lt_packet *parity);
void lt_protector_placed(lt_protector *protector, bool anywhere);

livetcp_usec lt_protector_deadline(const lt_protector *protector);
void lt_protector_expire(lt_protector *protector, livetcp_usec now);

#endif
