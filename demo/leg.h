/* SPDX-License-Identifier: MIT */
/* Legs of the demonstration: different transports for the same packets over the same path. */
#ifndef DEMO_LEG_H
#define DEMO_LEG_H

#include <gst/gst.h>

/* Parameters of a leg's pipeline fragments. Strings are borrowed. */
typedef struct demo_leg_options {
    const char *host;               /* of the receiver */
    guint port;                     /* the receiver's port for this leg; receiving, 0 = any */
    const char *policy;             /* LiveTCP's */
    guint connections;              /* LiveTCP's, 1..32 */
    guint min_bitrate, max_bitrate; /* LiveTCP's, limits of its estimated bit rate; 0 = none */
} demo_leg_options;

/*
 * `send` gives the elements after a tee of RTP packets, down to the sink; `receive` the elements
 * that make RTP packets again. Both are fragments for gst_parse_launch(), to be freed with
 * g_free(). The transport element that connects or listens is called "<name>-transport", the
 * element whose source pad gives the received packets "<name>-packets".
 */
typedef struct demo_leg {
    const char *name;  /* also the name of its trace: <name>.csv */
    const char *title; /* for people */
    char *(*send)(const demo_leg_options *options);
    char *(*receive)(const demo_leg_options *options);
    gboolean estimates;        /* its sending transport has the property estimated-bitrate */
    const char *port_property; /* of the listening element: its actual port */
} demo_leg;

enum { DEMO_LEGS = 2 };
extern const demo_leg demo_legs[DEMO_LEGS];

#endif
