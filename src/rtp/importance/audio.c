/* SPDX-License-Identifier: MIT */
#include "rtp/importance/audio.h"

enum {
    ENOUGH = 10,      /* packets in step */
    MAX_SIZE = 500,   /* mean payload, bytes: 200 kbit/s at 20 ms */
    MIN_STEP = 40,    /* 5 ms at 8 kHz */
    MAX_STEP = 1499,  /* 1500 is 60 frames/s */
    AVERAGED_OVER = 8 /* packets, of the mean size */
};

/* Steps beyond MAX_STEP that audio has: 40 and 60 ms at 48 kHz, and the 2048 samples of HE-AAC. */
static const uint32_t long_steps[] = {1920, 2048, 2880};

static bool is_static_audio(uint8_t payload_type)
{
    return payload_type == 0 || (payload_type >= 3 && payload_type <= 18);
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_step_of_audio(uint32_t step)
{
    for (size_t i = 0; i < sizeof long_steps / sizeof *long_steps; i++) {
        if (apart(step, long_steps[i]) <= long_steps[i] / 100)
            return true;
    }
    return step >= MIN_STEP && step <= MAX_STEP;
}

/* Payloaders that follow a capture clock are a few units off. */
static bool is_multiple(uint32_t advance, uint32_t step)
{
    uint32_t rest = step ? advance % step : 0;
    return step && advance >= step - step / 16 && (rest <= step / 16 || step - rest <= step / 16);
}

static void begin(lt_audio_rhythm *rhythm, const lt_rtp_header *header, size_t payload)
{
    *rhythm = (lt_audio_rhythm){
        .timestamp = header->timestamp,
        .mean_size = (uint32_t)payload,
        .sequence = header->sequence,
        .payload_type = header->payload_type,
        .begun = true,
    };
}

static void add(lt_audio_rhythm *rhythm, const lt_rtp_header *header, size_t payload)
{
    uint32_t advance = header->timestamp - rhythm->timestamp;

    if ((int16_t)(header->sequence - rhythm->sequence) <= 0)
        return; /* out of order, or sent again */
    if (is_multiple(advance, rhythm->step)) {
        rhythm->in_step += rhythm->in_step < ENOUGH;
    } else {
        rhythm->step = advance;
        rhythm->in_step = 0;
    }
    rhythm->timestamp = header->timestamp;
    rhythm->sequence = header->sequence;
    rhythm->mean_size =
        (uint32_t)((rhythm->mean_size * (AVERAGED_OVER - 1) + payload) / AVERAGED_OVER);
}

bool lt_audio_rhythm_next(lt_audio_rhythm *rhythm, const lt_rtp_header *header, size_t payload)
{
    if (!rhythm->begun) {
        begin(rhythm, header, payload);
    } else if (header->payload_type == rhythm->payload_type) {
        rhythm->others = 0;
        add(rhythm, header, payload);
    } else if (++rhythm->others >= ENOUGH) {
        begin(rhythm, header, payload);
    }
    return is_static_audio(rhythm->payload_type) ||
           (rhythm->in_step >= ENOUGH && is_step_of_audio(rhythm->step) &&
            rhythm->mean_size <= MAX_SIZE);
}
