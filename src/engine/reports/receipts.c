/* SPDX-License-Identifier: MIT */
#include "engine/reports/receipts.h"

void lt_receipts_init(lt_receipts *receipts)
{
    *receipts = (lt_receipts){.stopped = false};
}

void lt_receipts_forget_peer(lt_receipts *receipts)
{
    uint64_t lost = receipts->lost, again = receipts->again;

    lt_receipts_init(receipts);
    receipts->lost = lost;
    receipts->again = again;
}

void lt_receipts_stop(lt_receipts *receipts)
{
    lt_receipts_forget_peer(receipts);
    receipts->stopped = true;
}

void lt_receipts_on_number(lt_receipts *receipts, unsigned slot, uint32_t number)
{
    if (!receipts->stopped)
        receipts->numbers[slot] = number;
}

void lt_receipts_on_packets(lt_receipts *receipts, unsigned slot, uint64_t packets)
{
    receipts->packets[slot] = packets;
}

void lt_receipts_on_ended(lt_receipts *receipts, unsigned slot, uint64_t packets, livetcp_usec now)
{
    lt_receipts_ended *ended = &receipts->ended[receipts->next];

    if (!receipts->numbers[slot])
        return;
    receipts->next = (receipts->next + 1) % LT_RECEIPT_ENDED;
    *ended = (lt_receipts_ended){
        .receipt = {.number = receipts->numbers[slot], .packets = (uint32_t)packets},
        .waiting = true,
        .tries = LT_RECEIPT_TRIES,
        .due_us = now};
    receipts->numbers[slot] = 0;
    receipts->packets[slot] = receipts->reported[slot] = 0;
}

static lt_receipts_ended *find_ended(lt_receipts *receipts, uint32_t number)
{
    for (unsigned i = 0; i < LT_RECEIPT_ENDED; i++)
        if (receipts->ended[i].waiting && receipts->ended[i].receipt.number == number)
            return &receipts->ended[i];
    return NULL;
}

void lt_receipts_on_answer(lt_receipts *receipts, const lt_resent *answer)
{
    lt_receipts_ended *ended = find_ended(receipts, answer->number);

    if (!ended)
        return;
    ended->waiting = false;
    receipts->lost += answer->missing;
    receipts->again += answer->again;
}

livetcp_usec lt_receipts_deadline(const lt_receipts *receipts)
{
    livetcp_usec due = LIVETCP_NEVER;

    for (unsigned i = 0; i < LT_RECEIPT_ENDED; i++)
        if (receipts->ended[i].waiting && receipts->ended[i].due_us < due)
            due = receipts->ended[i].due_us;
    return due;
}

uint8_t lt_receipts_fill(lt_receipts *receipts, lt_receipt out[LT_RECEPTION_RECEIPTS])
{
    uint8_t count = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS && count < LT_RECEPTION_RECEIPTS; i++) {
        unsigned slot = (receipts->from + i) % LIVETCP_MAX_CONNECTIONS;
        if (!receipts->numbers[slot] || receipts->packets[slot] == receipts->reported[slot])
            continue;
        receipts->reported[slot] = receipts->packets[slot];
        out[count++] = (lt_receipt){receipts->numbers[slot], (uint32_t)receipts->packets[slot]};
        if (count == LT_RECEPTION_RECEIPTS)
            receipts->from = slot + 1;
    }
    return count;
}

bool lt_receipts_next(lt_receipts *receipts, lt_receipt *receipt, livetcp_usec now)
{
    for (unsigned i = 0; i < LT_RECEIPT_ENDED; i++) {
        lt_receipts_ended *ended = &receipts->ended[i];
        if (!ended->waiting || now < ended->due_us)
            continue;
        ended->waiting = ended->tries > 0;
        if (!ended->waiting)
            continue;
        ended->tries--;
        ended->due_us = now + LT_RECEIPT_AGAIN_US;
        *receipt = ended->receipt;
        return true;
    }
    return false;
}
