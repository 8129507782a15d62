/* SPDX-License-Identifier: MIT */
#include "lab/report/report.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/output.h"
#include "lab/report/input.h"
#include "lab/report/page.h"

#include <livetcp/version.h>

#include <stdio.h>
#include <string.h>

static json_t *read_files(const char *const *paths, livetcp_error *error)
{
    json_t *files = json_array();
    for (; files && *paths; paths++) {
        json_t *document = lt_report_read(*paths, error);
        json_t *one = NULL;
        if (document && !(one = json_pack("{s:s,s:o}", "name", *paths, "document", document)))
            lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.120s: its name is not UTF-8", *paths);
        if (!one || json_array_append_new(files, one)) {
            json_decref(files);
            return NULL;
        }
    }
    if (!files)
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    return files;
}

static json_t *page_data(const char *title, json_t *files)
{
    char date[LT_CLOCK_DATE];
    lt_clock_date(date);
    return json_pack("{s:s,s:s,s:s*,s:o}", "livetcp", LIVETCP_VERSION, "date", date, "title", title,
                     "files", files);
}

livetcp_result lt_report_make(const lt_report_options *options, livetcp_error *error)
{
    const char *path = options->output;
    json_t *files = read_files(options->paths, error);
    if (!files)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    json_t *data = page_data(options->title, files);
    if (!data)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--title: it is not UTF-8");
    livetcp_result result = LIVETCP_ERR_SYSTEM;
    FILE *out = lt_output_open(path, error);
    if (out)
        result = lt_output_close(out, path, lt_page_write(data, out, error), error);
    if (result == LIVETCP_OK && strcmp(path, "-") != 0)
        printf("%s: %zu file%s\n", path, json_array_size(files),
               json_array_size(files) == 1 ? "" : "s");
    json_decref(data);
    return result;
}
