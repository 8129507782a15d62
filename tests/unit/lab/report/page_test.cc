/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/report/page.h"
}

#include <cstdio>
#include <cstdlib>
#include <string>

static std::string page_with(json_t *data)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    CHECK(lt_page_write(data, out, nullptr) == LIVETCP_OK);
    fclose(out);
    std::string page(text, size);
    std::free(text);
    json_decref(data);
    return page;
}

static size_t count(const std::string &text, const std::string &what)
{
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        n++;
    return n;
}

TEST_CASE("the page is whole: nothing in it is a place to be filled in, or elsewhere")
{
    std::string page = page_with(json_object());
    CHECK(page.find("<!doctype html>") == 0);
    CHECK(page.rfind("</html>\n") == page.size() - 8);
    for (const char *place : {"@data@", "@css@", "@js@", "@uplot_css@", "@uplot_js@"})
        CHECK(page.find(place) == std::string::npos);
    CHECK(page.find("var uPlot=") != std::string::npos);
    CHECK(page.find(" src=") == std::string::npos);
    CHECK(page.find("<link") == std::string::npos);
    CHECK(page.find("url(") == std::string::npos);
}

TEST_CASE("no text of the data ends its element")
{
    const char *const nasty = "</script><script>alert(1)</script><!-- \\u003c";
    const size_t scripts = count(page_with(json_object()), "<script");
    std::string page = page_with(json_pack("{s:s}", nasty, nasty));
    CHECK(count(page, "<script") == scripts);
    CHECK(count(page, "<!--") == 0);

    const std::string begin = "id=\"data\">", end = "</script>";
    size_t from = page.find(begin) + begin.size();
    std::string data = page.substr(from, page.find(end, from) - from);
    json_t *read = json_loads(data.c_str(), 0, nullptr);
    REQUIRE(read);
    CHECK(json_string_value(json_object_get(read, nasty)) == std::string(nasty));
    json_decref(read);
}
