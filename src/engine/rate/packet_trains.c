/* SPDX-License-Identifier: MIT */
#include "engine/rate/packet_trains.h"

/* Few bytes measure single packets. The end of a train is seen up to one look of the platform too
 * late, so the look before it counts, where the train is long enough without the rest; else the
 * train is to be long. */
#define BYTES_MIN 4500
#define TIME_MIN  4500
#define BYTES_ALL 2000
#define TIME_ALL  30000
#define TIME_MAX  160000

/* A train that is so long shows a rate before its end: not precise, and better than nothing. */
#define LONG_US 40000

static double rate_of(uint64_t bytes, livetcp_usec time)
{
    return (double)bytes * (double)LIVETCP_USEC_SEC / (double)time;
}

static void add_rate(lt_packet_trains *trains, double rate)
{
    trains->rates[trains->count++ % LT_PACKET_TRAINS] = rate;
}

static void end_train(lt_packet_trains *trains)
{
    uint64_t bytes = trains->before - trains->from, all = trains->to - trains->from;
    livetcp_usec time = trains->before_us - trains->from_us;

    trains->open = false;
    if (bytes < BYTES_MIN || time < TIME_MIN) {
        bytes = all;
        time = trains->to_us - trains->from_us;
        if (bytes < BYTES_ALL || time < TIME_ALL)
            return;
    }
    add_rate(trains, rate_of(bytes, time));
}

void lt_packet_trains_add(lt_packet_trains *trains, const lt_congestion_sample *sample,
                          livetcp_usec busy_us)
{
    if (sample->busy_us == LIVETCP_NEVER)
        return;
    if (sample->busy_us < busy_us) {
        end_train(trains);
        return;
    }
    /* Who has waited for less time than has gone since the one before met nobody. */
    if (trains->open && sample->now_us - trains->to_us > sample->busy_us)
        end_train(trains);
    if (!trains->open) {
        trains->open = true;
        trains->from_us = trains->to_us = sample->now_us;
        trains->from = trains->to = sample->delivered;
    }
    trains->before_us = trains->to_us;
    trains->before = trains->to;
    trains->to_us = sample->now_us;
    trains->to = sample->delivered;
    if (trains->to_us - trains->from_us > TIME_MAX)
        end_train(trains);
}

void lt_packet_trains_on_told(lt_packet_trains *trains, double rate)
{
    if (rate > 0)
        add_rate(trains, rate);
}

void lt_packet_trains_forget(lt_packet_trains *trains)
{
    *trains = (lt_packet_trains){.count = 0};
}

double lt_packet_trains_rate(const lt_packet_trains *trains)
{
    unsigned count = trains->count < LT_PACKET_TRAINS ? trains->count : LT_PACKET_TRAINS;
    double sorted[LT_PACKET_TRAINS];

    for (unsigned i = 0; i < count; i++) {
        unsigned place = i;
        for (; place && sorted[place - 1] > trains->rates[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = trains->rates[i];
    }
    return count ? sorted[count / 2] : 0;
}

double lt_packet_trains_early_rate(const lt_packet_trains *trains)
{
    uint64_t bytes = trains->before - trains->from;
    livetcp_usec time = trains->before_us - trains->from_us;

    if (trains->count || !trains->open || time < LONG_US || bytes < BYTES_MIN)
        return lt_packet_trains_rate(trains);
    return rate_of(bytes, time);
}
