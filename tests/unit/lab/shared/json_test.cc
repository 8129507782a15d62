/* SPDX-License-Identifier: MIT */
/* What all JSON documents of the lab have in common. */
#include "catch.h"

extern "C" {
#include "lab/json.h"
}

#include <livetcp/version.h>

#include <cmath>
#include <cstdlib>
#include <string>

static std::string text_of(json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    std::string out = text ? text : "";
    free(text);
    json_decref(value);
    return out;
}

TEST_CASE("json: what is infinite or unknown is null")
{
    CHECK(text_of(lt_json_number(0.25)) == "0.25");
    CHECK(text_of(lt_json_number(INFINITY)) == "null");
    CHECK(text_of(lt_json_number(NAN)) == "null");
    CHECK(text_of(lt_json_ms(1500)) == "1.5");
    CHECK(text_of(lt_json_ms(-INFINITY)) == "null");
    CHECK(text_of(lt_json_usec(250)) == "0.25");
    CHECK(text_of(lt_json_usec(LIVETCP_NEVER)) == "null");
    CHECK(text_of(lt_json_count(7)) == "7");
}

TEST_CASE("json: text that is not UTF-8 is replaced by a remark")
{
    CHECK(text_of(lt_json_text("caf\xc3\xa9")) == "\"caf\xc3\xa9\"");
    CHECK(text_of(lt_json_text("caf\xe9")) == "\"(not UTF-8)\"");
}

TEST_CASE("json: a document begins with its schema and our version")
{
    bool failed = false;
    CHECK(text_of(lt_json_document("livetcp/test/1", &failed)) ==
          "{\"schema\":\"livetcp/test/1\",\"livetcp\":\"" LIVETCP_VERSION "\"}");
    CHECK_FALSE(failed);
}

TEST_CASE("json: a value that memory did not suffice for is noticed at the end")
{
    bool failed = false;
    json_t *object = json_object(), *array = json_array();
    lt_json_put(object, "good", json_true(), &failed);
    lt_json_append(array, json_true(), &failed);
    CHECK_FALSE(failed);
    lt_json_append(array, nullptr, &failed);
    CHECK(failed);
    failed = false;
    lt_json_put(object, "array", array, &failed);
    lt_json_put(object, "bad", nullptr, &failed);
    CHECK(failed);
    livetcp_error error = {};
    CHECK(lt_json_save(object, failed, "/dev/null", &error) == LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message) == "cannot write the JSON report");
}

TEST_CASE("json: a file that cannot be written is named")
{
    livetcp_error error = {};
    CHECK(lt_json_save(json_object(), false, "/nonexistent/x", &error) == LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message).find("cannot write /nonexistent/x: ") == 0);
    CHECK(lt_json_save(json_object(), false, "/dev/full", &error) == LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message).find("cannot write /dev/full: ") == 0);
    CHECK(lt_json_save(json_object(), false, "/dev/null", &error) == LIVETCP_OK);
}
