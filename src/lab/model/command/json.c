/* SPDX-License-Identifier: MIT */
/* Common parts of the documents of all forms. */
#include "lab/model/command/json.h"

#include <math.h>

json_t *lt_model_json_ms(double us)
{
    return lt_json_number(round(us * 10) / 1e4);
}

json_t *lt_model_json_config(const lt_model_arguments *a, bool *failed)
{
    const livetcp_delay_model_config *c = &a->config;
    json_t *o = json_object();

    lt_json_put(o, "rtt_ms", lt_model_json_ms((double)c->rtt_us), failed);
    lt_json_put(o, "loss", json_real(c->loss), failed);
    lt_json_put(o, "one_way_ms",
                lt_model_json_ms(c->one_way_us < 0 ? (double)c->rtt_us / 2 : (double)c->one_way_us),
                failed);
    lt_json_put(o, "packet_bytes", json_integer(c->packet_bytes), failed);
    lt_json_put(o, "interval_ms", lt_model_json_ms((double)c->interval_us), failed);
    lt_json_put(o, "connections", json_integer(c->connections), failed);
    lt_json_put(o, "split", json_integer(c->split), failed);
    lt_json_put(o, "mss_bytes", json_integer(c->mss_bytes), failed);
    lt_json_put(o, "loss_model",
                json_string(c->loss_model == LIVETCP_LOSS_CORRELATED ? "correlated" : "random"),
                failed);
    lt_json_put(o, "queue", json_string(c->queue_unit == LIVETCP_QUEUE_BYTES ? "bytes" : "packets"),
                failed);
    lt_json_put(o, "limited_transmit", json_boolean(c->limited_transmit), failed);
    lt_json_put(o, "constants", json_string(a->constants), failed);
    return o;
}

json_t *lt_model_json_percentiles(const double *percents, const double *us, size_t count,
                                  bool *failed)
{
    json_t *o = json_object();

    for (size_t i = 0; i < count; i++) {
        char key[16];
        snprintf(key, sizeof key, "%g", percents[i]);
        lt_json_put(o, key, lt_model_json_ms(us[i]), failed);
    }
    return o;
}
