/* SPDX-License-Identifier: MIT */
#include "lab/model/command/forms.h"

#include "lab/clock.h"
#include "lab/exit_code.h"

#include <stdio.h>
#include <string.h>

bool lt_model_json_only(const lt_model_arguments *a)
{
    return a->json && !strcmp(a->json, "-");
}

void lt_model_print_path(const lt_model_arguments *a)
{
    const livetcp_delay_model_config *c = &a->config;

    printf("path: RTT %g ms, %g%% %s loss%s\n", (double)c->rtt_us / 1e3, 100 * c->loss,
           c->loss_model == LIVETCP_LOSS_CORRELATED ? "correlated" : "random",
           c->queue_unit == LIVETCP_QUEUE_BYTES ? " at a queue limited in bytes" : "");
}

const char *lt_model_stack_text(const lt_model_arguments *a)
{
    if (a->paper)
        return "the paper";
    return a->config.constants == LIVETCP_TCP_CONSTANTS_LINUX ? "Linux today"
                                                              : "Linux without SACK";
}

void lt_model_print_stream(const lt_model_arguments *a)
{
    const livetcp_delay_model_config *c = &a->config;

    printf("stream: %u bytes every %g ms, %u connection%s", c->packet_bytes,
           (double)c->interval_us / 1e3, c->connections, c->connections == 1 ? "" : "s");
    if (c->split > 1)
        printf(", packets split in %u", c->split);
    printf("; TCP of %s\n", lt_model_stack_text(a));
}

int lt_model_run(const lt_model_form *form, int argc, const char **argv,
                 livetcp_result (*answer)(const lt_model_arguments *arguments,
                                          livetcp_error *error))
{
    lt_model_arguments arguments;
    lt_model_texts texts;
    livetcp_error error = {.code = LIVETCP_OK};
    int code = LT_EXIT_OK;
    livetcp_result result = lt_model_arguments_read(&arguments, &texts, form, argc, argv, &error);

    if (result == LIVETCP_OK && !arguments.help)
        result = answer(&arguments, &error);
    if (result != LIVETCP_OK) {
        fprintf(stderr, "livetcp model %s: %s\n", form->name, error.message);
        code = result == LIVETCP_ERR_INVALID_ARGUMENT ? LT_EXIT_USAGE : LT_EXIT_FAILED;
    }
    lt_model_texts_clear(&texts, form);
    return code;
}

double lt_model_ms_since(int64_t start)
{
    return (double)(lt_clock_nsec(CLOCK_MONOTONIC) - start) / 1e6;
}
