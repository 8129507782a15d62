/* SPDX-License-Identifier: MIT */
/* Changing a path by text: shared by the control socket and the schedule. */
#include "lab/emulate/run.h"

#include <string.h>

unsigned lt_emulate_directions(const char *text)
{
    if (!strcmp(text, "forward"))
        return 1u << LT_FORWARD;
    if (!strcmp(text, "backward"))
        return 1u << LT_BACKWARD;
    return strcmp(text, "both") ? 0 : 1u << LT_FORWARD | 1u << LT_BACKWARD;
}

livetcp_result lt_emulate_apply(lt_path *path, unsigned directions, const char *spec,
                                livetcp_error *error)
{
    lt_link_params params[2];
    livetcp_result result = LIVETCP_OK;
    for (int i = 0; i < 2 && !result; i++) {
        lt_path_get(path, (lt_direction)i, &params[i]);
        if (directions & 1u << i)
            result = lt_link_params_parse(&params[i], spec, error);
    }
    for (int i = 0; i < 2 && !result; i++)
        if (directions & 1u << i)
            result = lt_path_set(path, (lt_direction)i, &params[i], error);
    return result;
}
