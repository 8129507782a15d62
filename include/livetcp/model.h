/* SPDX-License-Identifier: MIT */
/*
 * Models of the delay of live media over TCP. This header includes all headers of liblivetcp-model,
 * as livetcp.h does for liblivetcp; neither includes the other.
 *
 * docs/research/model.md describes the models and their accuracy.
 */
#ifndef LIVETCP_MODEL_H
#define LIVETCP_MODEL_H

#include <livetcp/delay_model.h>
#include <livetcp/service_curve.h>
#include <livetcp/startup_model.h>
#include <livetcp/tcp_stack.h>
#include <livetcp/working_region.h>

#endif
