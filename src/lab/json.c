/* SPDX-License-Identifier: MIT */
#include "lab/json.h"

#include "base/error.h"
#include "lab/output.h"

#include <livetcp/version.h>

#include <math.h>

void lt_json_put(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value))
        *failed = true;
}

void lt_json_append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value))
        *failed = true;
}

json_t *lt_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *lt_json_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *lt_json_ms(double us)
{
    return lt_json_number(us / 1e3);
}

json_t *lt_json_usec(livetcp_usec time)
{
    return time == LIVETCP_NEVER ? json_null() : lt_json_ms((double)time);
}

json_t *lt_json_text(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("(not UTF-8)");
}

json_t *lt_json_document(const char *schema, bool *failed)
{
    json_t *root = json_object();
    lt_json_put(root, "schema", json_string(schema), failed);
    lt_json_put(root, "livetcp", json_string(LIVETCP_VERSION), failed);
    return root;
}

livetcp_result lt_json_write(json_t *root, bool failed, FILE *out, livetcp_error *error)
{
    if (failed || json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) ||
        fputc('\n', out) == EOF)
        failed = true;
    json_decref(root);
    return failed ? lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot write the JSON report") : LIVETCP_OK;
}

livetcp_result lt_json_save(json_t *root, bool failed, const char *path, livetcp_error *error)
{
    FILE *out = lt_output_open(path, error);
    if (!out) {
        json_decref(root);
        return LIVETCP_ERR_SYSTEM;
    }
    return lt_output_close(out, path, lt_json_write(root, failed, out, error), error);
}
