/* SPDX-License-Identifier: MIT */
#include "engine/rate/proved_share.h"

/* Ticks of the mean, and of a proof at least. */
#define MEAN_TICKS 100
#define MIN_TICKS  50

/* Ten times a policer's bucket of 10 kB. After a proof that came to nothing it takes so many times
 * as much: a bucket may hide a little more than the rate for long. */
#define BYTES       100e3
#define BYTES_TIMES 4
#define BYTES_MAX   1.6e6

/* Less is no proof on a link of hardly more than the media, which its own packets fill. */
#define SHARE_MIN 0.1

#define CALM_TICKS 30
#define BACK_PART  0.8

void lt_proved_share_init(lt_proved_share *proved)
{
    *proved = (lt_proved_share){.needed = BYTES};
}

void lt_proved_share_on_tick(lt_proved_share *p, double share, double bytes)
{
    p->ticks++;
    p->mean += (share - p->mean) / (p->ticks < MEAN_TICKS ? p->ticks : MEAN_TICKS);
    p->bytes += bytes > 0 ? bytes : 0;
}

double lt_proved_share_get(const lt_proved_share *p, bool wide)
{
    bool long_enough = p->ticks >= MIN_TICKS && p->bytes >= p->needed;

    return long_enough && p->mean > (wide ? 0 : SHARE_MIN) ? p->mean : 0;
}

void lt_proved_share_on_full(lt_proved_share *p, double share)
{
    p->next = BACK_PART * share;
    p->mean = p->bytes = 0;
    p->ticks = p->calm = 0;
    if (share > 0 && p->needed < BYTES_MAX)
        p->needed *= BYTES_TIMES;
}

double lt_proved_share_ask(lt_proved_share *p, bool waits)
{
    double share = p->next;

    p->calm = waits ? 0 : p->calm + 1;
    if (p->calm < CALM_TICKS)
        return 0;
    p->next = 0;
    return share;
}
