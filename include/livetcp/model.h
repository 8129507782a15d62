/* SPDX-License-Identifier: MIT */
/*
 * Models of the delay of live media over TCP. This header includes all
 * of liblivetcp-model; livetcp.h includes all of liblivetcp, and neither includes the other.
 *
 * docs/research/model.md describes the models and how accurate they are.
 */
#ifndef LIVETCP_MODEL_H
#define LIVETCP_MODEL_H

#include <livetcp/delay_model.h>
#include <livetcp/service_curve.h>
#include <livetcp/startup_model.h>
#include <livetcp/tcp_stack.h>
#include <livetcp/working_region.h>

#endif
