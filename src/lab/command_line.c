/* SPDX-License-Identifier: MIT */
#include "lab/command_line.h"

#include "base/error.h"

livetcp_result lt_options_print(const struct poptOption *table, const char *command,
                                const char *usage, FILE *out, livetcp_error *error)
{
    const char *argv[] = {command, NULL};
    poptContext context = poptGetContext(command, 1, argv, table, 0);

    if (!context)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the help");
    poptSetOtherOptionHelp(context, usage);
    poptPrintHelp(context, out, 0);
    poptFreeContext(context);
    return LIVETCP_OK;
}

livetcp_result lt_options_ended(poptContext context, int code, livetcp_error *error)
{
    if (code >= -1)
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s: %s",
                   poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(code));
}

livetcp_result lt_options_ended_all(poptContext context, int code, livetcp_error *error)
{
    livetcp_result result = lt_options_ended(context, code, error);

    if (result == LIVETCP_OK && poptPeekArg(context))
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "'%s' is not an option",
                         poptPeekArg(context));
    return result;
}
