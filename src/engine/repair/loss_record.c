/* SPDX-License-Identifier: MIT */
#include "engine/repair/loss_record.h"

/* Upper bounds of the bins in ms; the last one is LT_LOSS_LAG_MAX_US. */
static const uint8_t bin_end_ms[LT_LOSS_BINS] = {1,  2,  3,  5,  7,  10, 13,  16,  20,
                                                 25, 30, 40, 50, 65, 80, 100, 140, 200};

static lt_loss_bin *bin_of(lt_loss_record *record, livetcp_usec lag_us)
{
    unsigned i = 0;

    while (i < LT_LOSS_BINS - 1 && lag_us >= bin_end_ms[i] * (livetcp_usec)LIVETCP_USEC_MSEC)
        i++;
    return &record->bins[i];
}

static void count_follower(lt_loss_record *record, livetcp_usec lag_us, bool lost)
{
    lt_loss_bin *bin;

    if (lag_us < 0 || lag_us >= LT_LOSS_LAG_MAX_US)
        return;
    bin = bin_of(record, lag_us);
    bin->followers++;
    bin->lost += lost;
    bin->lag_us += (double)lag_us;
}

uint64_t lt_loss_record_written(lt_loss_record *record, livetcp_usec now)
{
    unsigned place = (unsigned)(record->next % LT_LOSS_RECORD_SENT);

    record->sent[place].written_us = now;
    record->sent[place].fate = LT_FATE_PENDING;
    return record->next++;
}

/* Counts the followers whose fate is known; the others are counted when theirs is. */
static void count_followers_of(lt_loss_record *record, uint64_t number, livetcp_usec written_us)
{
    for (uint64_t i = number + 1; i < record->next; i++) {
        unsigned place = (unsigned)(i % LT_LOSS_RECORD_SENT);
        livetcp_usec lag_us = record->sent[place].written_us - written_us;
        if (lag_us >= LT_LOSS_LAG_MAX_US)
            break;
        if (record->sent[place].fate == LT_FATE_ARRIVED || record->sent[place].fate == LT_FATE_LOST)
            count_follower(record, lag_us, record->sent[place].fate == LT_FATE_LOST);
    }
}

static void count_as_follower(lt_loss_record *record, uint64_t number, livetcp_usec written_us,
                              bool lost)
{
    for (unsigned i = 0; i < record->loss_count; i++)
        if (record->losses[i].number < number)
            count_follower(record, written_us - record->losses[i].written_us, lost);
}

static void add_loss(lt_loss_record *record, uint64_t number, livetcp_usec written_us)
{
    record->losses[record->next_loss].number = number;
    record->losses[record->next_loss].written_us = written_us;
    record->next_loss = (record->next_loss + 1) % LT_LOSS_RECORD_LOST;
    if (record->loss_count < LT_LOSS_RECORD_LOST)
        record->loss_count++;
}

void lt_loss_record_resolved(lt_loss_record *record, uint64_t number, lt_fate fate)
{
    unsigned place = (unsigned)(number % LT_LOSS_RECORD_SENT);
    livetcp_usec written_us = record->sent[place].written_us;

    if (record->next - number > LT_LOSS_RECORD_SENT) /* too many packets since */
        return;
    record->sent[place].fate = fate;
    if (fate != LT_FATE_ARRIVED && fate != LT_FATE_LOST)
        return;
    record->known++;
    record->recent++;
    count_as_follower(record, number, written_us, fate == LT_FATE_LOST);
    if (fate == LT_FATE_ARRIVED)
        return;
    record->lost++;
    record->recent_lost++;
    count_followers_of(record, number, written_us);
    add_loss(record, number, written_us);
}

void lt_loss_record_age(lt_loss_record *record, double factor)
{
    for (unsigned i = 0; i < LT_LOSS_BINS; i++) {
        record->bins[i].followers *= factor;
        record->bins[i].lost *= factor;
        record->bins[i].lag_us *= factor;
    }
    record->recent *= factor;
    record->recent_lost *= factor;
}
