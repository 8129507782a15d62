/* SPDX-License-Identifier: MIT */
/*
 * The legs. Before each is an unbounded queue, and neither drops: a leg that falls behind is late,
 * and the demonstration measures its delay. The plain leg has exactly the elements and settings in
 * common use today: it is made neither worse (a bounded queue that blocks the other leg, a small
 * buffer) nor better (TCP_NODELAY).
 */
#include "leg.h"

#define UNBOUNDED_QUEUE "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"

/* The maximum: at their start encoders may use all processors. */
enum { HANDSHAKE_TIMEOUT_MS = 60000 };

static char *plain_send(const demo_leg_options *options)
{
    return g_strdup_printf(UNBOUNDED_QUEUE
                           " ! rtpstreampay"
                           " ! tcpclientsink name=plain-transport host=%s port=%u sync=false"
                           " async=false",
                           options->host, options->port);
}

static char *plain_receive(const demo_leg_options *options)
{
    return g_strdup_printf("tcpserversrc name=plain-transport host=:: port=%u"
                           " ! application/x-rtp-stream"
                           " ! rtpstreamdepay name=plain-packets",
                           options->port);
}

/* The media are files, sent in real time. */
static char *livetcp_send(const demo_leg_options *options)
{
    return g_strdup_printf(UNBOUNDED_QUEUE " ! livetcpsink name=livetcp-transport host=%s port=%u"
                                           " connections=%u policy=%s"
                                           " estimated-bitrate-min=%u estimated-bitrate-max=%u"
                                           " handshake-timeout=%u sync=false async=false"
                                           " leaky=upstream max-send-delay=0",
                           options->host, options->port, options->connections,
                           options->policy != NULL ? options->policy : "auto", options->min_bitrate,
                           options->max_bitrate, HANDSHAKE_TIMEOUT_MS);
}

static char *livetcp_receive(const demo_leg_options *options)
{
    return g_strdup_printf("livetcpsrc name=livetcp-transport mode=listener port=%u"
                           " handshake-timeout=%u rtcp=off caps=application/x-rtp"
                           " ! identity name=livetcp-packets silent=true",
                           options->port, HANDSHAKE_TIMEOUT_MS);
}

const demo_leg demo_legs[DEMO_LEGS] = {
    {"plain", "plain TCP", plain_send, plain_receive, FALSE, "current-port"},
    {"livetcp", "LiveTCP", livetcp_send, livetcp_receive, TRUE, "bound-port"},
};
