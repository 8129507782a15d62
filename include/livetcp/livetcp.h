/* SPDX-License-Identifier: MIT */
/*
 * LiveTCP: live RTP media over TCP that arrives on time. This header includes all others.
 *
 *     livetcp_context *context;
 *     livetcp_config config;
 *     livetcp_config_init(&config);
 *     livetcp_config_apply_uri(&config, "livetcp://media.example:5004", NULL);
 *     livetcp_context_create(NULL, &context, NULL);
 *     livetcp_session_connect(context, &config, NULL, NULL, &session, NULL);
 *     livetcp_session_send(session, packet, size);
 *
 * samples/ has complete programs.
 */
#ifndef LIVETCP_LIVETCP_H
#define LIVETCP_LIVETCP_H

#include <livetcp/base.h>
#include <livetcp/config.h>
#include <livetcp/engine.h>
#include <livetcp/playout.h>
#include <livetcp/policy.h>
#include <livetcp/rtp.h>
#include <livetcp/version.h>

#if LIVETCP_HAS_IO
#include <livetcp/session.h>
#endif

#endif
