/* SPDX-License-Identifier: MIT */
/* One function a check: facts in, finding out. judge_loss.c, judge_flow.c (what decides how fast is
 * sent), judge_start.c, judge_buffers.c, judge_host.c. */
#ifndef LT_LAB_DOCTOR_JUDGES_H
#define LT_LAB_DOCTOR_JUDGES_H

#include "lab/doctor/checks.h"

#define LT_JUDGE(name) void lt_judge_##name(const lt_facts *facts, lt_finding *finding)

LT_JUDGE(kernel);
LT_JUDGE(timestamping);
LT_JUDGE(tun);
LT_JUDGE(send_offload);
LT_JUDGE(receive_offload);
LT_JUDGE(coalescing);

LT_JUDGE(sack);
LT_JUDGE(dsack);
LT_JUDGE(rack);
LT_JUDGE(tlp);
LT_JUDGE(limited_transmit);
LT_JUDGE(reordering);
LT_JUDGE(timestamps);
LT_JUDGE(rto_min);
LT_JUDGE(thin_linear);
LT_JUDGE(sack_compression);
LT_JUDGE(delayed_ack);

LT_JUDGE(congestion_control);
LT_JUDGE(choice);
LT_JUDGE(idle_restart);
LT_JUDGE(ecn);
LT_JUDGE(qdisc);

LT_JUDGE(initial_window);
LT_JUDGE(initial_receive_window);
LT_JUDGE(metrics);
LT_JUDGE(syn);
LT_JUDGE(give_up);
LT_JUDGE(mtu_probing);

LT_JUDGE(receive_buffer);
LT_JUDGE(send_buffer);
LT_JUDGE(core_buffers);
LT_JUDGE(window_scaling);
LT_JUDGE(unsent_limit);
LT_JUDGE(autocorking);

#endif
