/* SPDX-License-Identifier: MIT */
/*
 * Which rates a path with flow control carries, and with which delays: the search of Lübben and
 * Fidler, section III-B. Knows no clock and no socket. Its owner sends packets at a constant rate
 * and hands in the delays of some, picked at random:
 *
 *     while ((rate = lt_estimator_rate(e)) > 0)
 *         start a train at that rate, wait until the path has settled;
 *         do lt_estimator_add(e, delay of one more packet of the train);
 *         while (it says LT_TRAIN_GOES_ON);
 *
 * Rates are step, 2 step, 3 step, ... At each, `samples` delays are tested for a steady state
 * (DF-GLS) and for independence (runs test). If both hold, they are the delay distribution of that
 * rate. If not, the train goes on for as many samples again, of which every second, then every
 * third, ... is tested. The first rate without a steady state ends the search.
 *
 * A train that has had its `extensions` and is not stationary may still be short against the time
 * scale of the delays: near the attainable rate a backlog takes minutes to pass. It goes on until
 * it is stationary, doubling its length each time, up to `patience` extensions in all.
 *
 * Delays whose quantile is no more than `resolution` above their minimum are as good as constant: a
 * real clock's noise, which may wander, is not tested. A rate that is too high by 0.04 % leaves 2
 * ms in 5 s.
 *
 * Where this deviates: the paper goes on with a train only if the samples are stationary. A train
 * that is short against the swings of the congestion window fails that test at rates that the path
 * carries, so here either test may ask for more. And the paper's trains have no end: here a train
 * that is stationary at its longest, but not independent, counts as LT_TRAIN_DEPENDENT.
 */
#ifndef LT_LAB_MODEL_SERVICE_CURVE_ESTIMATOR_H
#define LT_LAB_MODEL_SERVICE_CURVE_ESTIMATOR_H

#include "lab/model/service_curve/quantile.h"
#include "lab/model/service_curve/runs_test.h"
#include "lab/model/service_curve/unit_root.h"

#include <livetcp/service_curve.h>

#include <stdbool.h>

#define LT_ESTIMATOR_MIN_SAMPLES    LT_UNIT_ROOT_MIN
#define LT_ESTIMATOR_MAX_SAMPLES    1000000
#define LT_ESTIMATOR_MAX_EXTENSIONS 10000
#define LT_ESTIMATOR_MAX_RATES      1000

typedef struct lt_estimator_config {
    double step;     /* r_acc, > 0; in the unit of all rates here */
    double max_rate; /* the last rate is the highest multiple of the step up to this; INFINITY: no
                        maximum */
    size_t samples;  /* I */
    unsigned extensions; /* maximum for a train that is stationary but dependent */
    unsigned patience; /* maximum for any train; at least `extensions`. samples * (patience + 1) <=
                          ..._MOST_SAMPLES */
    double violation;  /* xi, 0 <= xi < 1; 0 takes the largest delay for the quantile */
    livetcp_usec resolution;  /* of the measured delays, >= 0: see above */
    livetcp_usec delay_limit; /* a delay above it means no steady state; 0: no limit */
} lt_estimator_config;

typedef enum lt_train_state {
    LT_TRAIN_GOES_ON,
    LT_TRAIN_STEADY,      /* stationary, and the samples are independent */
    LT_TRAIN_DEPENDENT,   /* stationary; the samples are dependent to the end */
    LT_TRAIN_UNSTEADY,    /* no steady state: the rate is above the path's capacity */
    LT_TRAIN_INTERRUPTED, /* stopped before a result */
} lt_train_state;

/* "steady", "dependent", ... */
const char *lt_train_state_name(lt_train_state state);

typedef struct lt_train_result {
    double rate;
    lt_train_state state;
    unsigned extensions;
    bool even;              /* constant within the resolution, without the tests */
    bool over_limit;        /* unsteady because of the delay limit, without the tests */
    lt_unit_root unit_root; /* of the last test */
    lt_runs_test runs;
    lt_quantile quantile; /* us; of STEADY and DEPENDENT trains */
    const double
        *delays; /* us, in ascending order: tested samples; of DEPENDENT trains all samples */
    size_t count;
} lt_train_result;

typedef struct lt_estimator lt_estimator;

/* Errors: LIVETCP_ERR_INVALID_ARGUMENT with a message that names the field,
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_estimator_create(const lt_estimator_config *config, lt_estimator **estimator,
                                   livetcp_error *error);
void lt_estimator_destroy(lt_estimator **estimator);

/* Rate of the train to send; 0 after the end of the search. */
double lt_estimator_rate(const lt_estimator *estimator);

/* Maximum number of samples of a train. */
size_t lt_estimator_max(const lt_estimator *estimator);

/* Number of samples until the next test. */
size_t lt_estimator_wanted(const lt_estimator *estimator);

/* Adds a delay, >= 0, in sending order, while there is a rate. *state is GOES_ON, or the result of
 * the train. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_estimator_add(lt_estimator *estimator, livetcp_usec delay, lt_train_state *state,
                                livetcp_error *error);

/* Ends the search. A train in progress is classified if it was tested once, else interrupted. */
void lt_estimator_stop(lt_estimator *estimator);

/* The finished trains, in order; NULL after the last. Valid until the next call that is not
 * const. */
const lt_train_result *lt_estimator_train(const lt_estimator *estimator, size_t position);

/* The points of the service curve: the STEADY and DEPENDENT trains. */
const livetcp_service_point *lt_estimator_points(const lt_estimator *estimator, size_t *count);

#endif
