/* SPDX-License-Identifier: MIT */
#include "lab/report/page.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Escapes '<' in JSON: a script element must contain neither "</script" nor "<!--". */
static void write_escaped(const char *text, FILE *out)
{
    for (const char *next; (next = strchr(text, '<')); text = next + 1) {
        fwrite(text, 1, (size_t)(next - text), out);
        fputs("\\u003c", out);
    }
    fputs(text, out);
}

livetcp_result lt_page_write(const json_t *data, FILE *out, livetcp_error *error)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(7));
    if (!text)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the page");
    fwrite(lt_page_begin, 1, lt_page_begin_size, out);
    write_escaped(text, out);
    fwrite(lt_page_end, 1, lt_page_end_size, out);
    free(text);
    return LIVETCP_OK; /* write errors are found when `out` is closed */
}
