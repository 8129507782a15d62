/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <string>

extern "C" {
#include "base/utf8.h"
}

static bool is_text(const std::string &text)
{
    return lt_utf8_is_text(text.data(), text.size());
}

TEST_CASE("utf8: texts of all planes")
{
    for (const char *text :
         {"", "a b~", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
          "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        CHECK(is_text(text));
}

TEST_CASE("utf8: cut, overlong, surrogates, beyond the end, control characters")
{
    for (const char *text : {"\xc2",
                             "\xe0\xa0",
                             "\xf0\x90\x80",
                             "\x80",
                             "\xbf",
                             "\xc0\x80",
                             "\xc1\xbf",
                             "\xe0\x9f\xbf",
                             "\xf0\x8f\xbf\xbf",
                             "\xed\xa0\x80",
                             "\xed\xbf\xbf",
                             "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80",
                             "\xff",
                             "\n",
                             "\x1b[0m",
                             "\x7f",
                             "\xc2\x80",
                             "\xc2\x9f",
                             "\xc3(",
                             "ok\xe2\x28\xa1"})
        CHECK_FALSE(is_text(text));
    CHECK_FALSE(is_text(std::string(1, '\0')));
}

TEST_CASE("utf8: a text is cut between characters")
{
    CHECK(lt_utf8_cut("abc", 3) == 3);
    CHECK(lt_utf8_cut("abc", 2) == 2);
    CHECK(lt_utf8_cut("a\xc3\xa9", 2) == 1);
    CHECK(lt_utf8_cut("a\xe2\x82\xac", 3) == 1);
    CHECK(lt_utf8_cut("\xf0\x9f\x98\x80", 3) == 0);
}
