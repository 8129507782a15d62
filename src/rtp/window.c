/* SPDX-License-Identifier: MIT */
/* A ring of bits, one for each of the last LT_WINDOW_SIZE extended sequence numbers. */
#include "rtp/window.h"

#include "base/seq.h"

#include <string.h>

static uint64_t *word_of(lt_window *window, uint64_t extended)
{
    return &window->seen[extended % LT_WINDOW_SIZE / 64];
}

static uint64_t bit_of(uint64_t extended)
{
    return UINT64_C(1) << (extended % 64);
}

/* Makes `extended`, which is ahead, the highest number; it and the skipped ones are unseen. */
static void advance(lt_window *window, uint64_t extended)
{
    uint64_t number = window->highest + 1;

    if (extended - window->highest >= LT_WINDOW_SIZE) {
        memset(window->seen, 0, sizeof window->seen);
        number = extended + 1;
    }
    while (number <= extended) {
        if (number % 64 == 0 && extended - number >= 63) {
            *word_of(window, number) = 0;
            number += 64;
        } else {
            *word_of(window, number) &= ~bit_of(number);
            number++;
        }
    }
    window->highest = extended;
}

uint64_t lt_window_start(lt_window *window, uint16_t sequence)
{
    memset(window->seen, 0, sizeof window->seen);
    /* One wrap up, so that lower numbers can be extended, too. */
    window->highest = UINT64_C(0x10000) + sequence;
    return window->highest;
}

uint64_t lt_window_move(lt_window *window, uint16_t sequence)
{
    uint64_t extended = lt_seq_extend(window->highest, sequence);

    if (extended > window->highest) {
        advance(window, extended);
    } else {
        memset(window->seen, 0, sizeof window->seen);
        window->highest = ((window->highest >> 16) + 2) << 16 | sequence;
    }
    return window->highest;
}

lt_window_place lt_window_find(const lt_window *window, uint16_t sequence, uint64_t *extended)
{
    uint64_t number = lt_seq_extend(window->highest, sequence);

    *extended = number;
    if (number > window->highest)
        return number - window->highest <= LT_WINDOW_MAX_STEP ? LT_WINDOW_NEW : LT_WINDOW_JUMP;
    if (window->highest - number >= LT_WINDOW_SIZE)
        return LT_WINDOW_BEHIND;
    return window->seen[number % LT_WINDOW_SIZE / 64] & bit_of(number) ? LT_WINDOW_SEEN
                                                                       : LT_WINDOW_NEW;
}

void lt_window_mark(lt_window *window, uint64_t extended)
{
    if (extended > window->highest)
        advance(window, extended);
    *word_of(window, extended) |= bit_of(extended);
}
