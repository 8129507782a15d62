/* SPDX-License-Identifier: MIT */
/* One connection's stream in the symbols of Brosh et al. (Table 1), from a validated
 * configuration. */
#ifndef LT_LAB_MODEL_DELAY_PARAMS_H
#define LT_LAB_MODEL_DELAY_PARAMS_H

#include <livetcp/delay_model.h>

#include <stdbool.h>

/* Times are in seconds, windows in segments, backlogs in packets. */
typedef struct lt_delay_params {
    double f;           /* packets per second on this connection */
    double rtt;         /* RTT */
    double r;           /* packets per RTT */
    double per_mss;     /* packets per full segment: MSS / a */
    double one_way;     /* L */
    double rto;         /* T0 */
    double free_window; /* window from which on the source is not limited */
    double detect;  /* time from sending a segment to detecting its loss: RTT + 3/f in the paper */
    double p_small; /* loss probability of a segment with one packet */
    double p_full;  /* and of a full one */
    bool correlated, limited_transmit;
    bool rack;        /* losses, and lost retransmissions, are detected by time */
    unsigned dupacks; /* or after this number of duplicate acknowledgements */
    livetcp_loss_recovery recovery;
    unsigned max_window;  /* states: windows 1 .. max_window */
    unsigned max_backlog; /* and backlogs 0 .. max_backlog */
} lt_delay_params;

/* Checks every field; the error names an invalid one. */
livetcp_result lt_delay_params_make(lt_delay_params *params,
                                    const livetcp_delay_model_config *config, livetcp_error *error);

/* Converts a program's configuration of any size to the library's: missing fields get their
 * default. Errors: LIVETCP_ERR_INVALID_ARGUMENT for a struct without its size. */
livetcp_result lt_delay_config_read(livetcp_delay_model_config *to,
                                    const livetcp_delay_model_config *given, livetcp_error *error);

#endif
