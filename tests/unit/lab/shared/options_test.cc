/* SPDX-License-Identifier: MIT */
/* Command lines and the values in them. */
#include "catch.h"

extern "C" {
#include "lab/options.h"
#include "lab/suggest.h"
}

#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

namespace
{

struct Line {
    char *text = nullptr, *json = nullptr;
    char **list = nullptr;
    int number = 5, help = 0;
    std::vector<std::string> taken, rest;
    livetcp_error error = {};

    static livetcp_result take(void *user, int code, const char *value, livetcp_error *error)
    {
        auto line = static_cast<Line *>(user);
        line->taken.push_back(std::to_string(code) + value);
        return *value ? LIVETCP_OK : lt_option_refuse("--taken=", value, error, "not this");
    }

    livetcp_result read(std::vector<const char *> words, bool arguments = false,
                        bool command_follows = false)
    {
        const struct poptOption inner[] = {LT_OPTION_TEXT("text", &text, "a text", "TEXT"),
                                           LT_OPTION_TEXTS("list", &list, "texts", "TEXT"),
                                           POPT_TABLEEND};
        const struct poptOption table[] = {
            LT_OPTION_SECTION(inner, "Texts:"),
            LT_OPTION_INTEGER("number", &number, "a number", "N"),
            LT_OPTION_TAKEN("taken", 't', 7, "by hand", "TEXT"),
            LT_OPTION_JSON("a file"),
            LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &help, LT_OPTION_CODE_LAST, "help", NULL),
            POPT_TABLEEND};
        lt_command_line line = {};
        line.command = "livetcp test";
        line.usage = "[OPTION...]";
        line.table = table;
        line.command_follows = command_follows;
        line.json = &json;
        line.take = take;
        line.user = this;
        words.insert(words.begin(), "test");
        words.push_back(nullptr);
        const char **found = nullptr;
        livetcp_result result = lt_command_line_read(&line, int(words.size()) - 1, words.data(),
                                                     arguments ? &found : nullptr, &error);
        for (size_t i = 0; found && found[i]; i++)
            rest.push_back(found[i]);
        free(found);
        copy = text ? text : "";
        copies = list && list[0] && list[1] ? std::string(list[0]) + list[1] : "";
        lt_options_clear(table);
        return result;
    }

    std::string copy, copies;
    ~Line()
    {
        free(json);
    }
};

} // namespace

TEST_CASE("options: a table is read, and its texts are freed")
{
    Line line;
    REQUIRE(line.read({"--text", "a", "--list=b", "--number=7", "-t", "c", "--list", "d"}) ==
            LIVETCP_OK);
    CHECK(line.copy == "a");
    CHECK(line.copies == "bd");
    CHECK(line.number == 7);
    CHECK(line.taken == std::vector<std::string>{"7c"});
    CHECK(line.text == nullptr);
    CHECK(line.list == nullptr);
    CHECK(line.json == nullptr);
}

TEST_CASE("options: --json is a file or standard output, and the last one counts")
{
    Line none, file;
    REQUIRE(none.read({"--json"}) == LIVETCP_OK);
    CHECK(std::string(none.json) == "-");
    REQUIRE(file.read({"--json", "--json=x"}) == LIVETCP_OK);
    CHECK(std::string(file.json) == "x");
}

TEST_CASE("options: what is wrong is named")
{
    Line unknown, missing, stray, refused;
    CHECK(unknown.read({"--nothing"}) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(unknown.error.message) == "--nothing: unknown option");
    CHECK(missing.read({"--text"}) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(missing.error.message) == "--text: missing argument");
    CHECK(stray.read({"word"}) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(stray.error.message) == "'word' is not an option");
    CHECK(refused.read({"--taken=", "--nothing"}) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(refused.error.message) == "--taken=: not this");
}

TEST_CASE("options: arguments are handed out, and those of a command stay its own")
{
    Line mixed, command;
    REQUIRE(mixed.read({"a", "--number=1", "b"}, true) == LIVETCP_OK);
    CHECK(mixed.rest == std::vector<std::string>{"a", "b"});
    REQUIRE(command.read({"--number=1", "a", "--number=2"}, true, true) == LIVETCP_OK);
    CHECK(command.rest == std::vector<std::string>{"a", "--number=2"});
    CHECK(command.number == 1);
}

TEST_CASE("options: nothing is looked at behind --help")
{
    Line line;
    REQUIRE(line.read({"--help", "--nothing"}) == LIVETCP_OK);
    CHECK(line.help == 1);
}

TEST_CASE("options: a value that was not given changes nothing")
{
    livetcp_usec time = 3;
    double share = 0.5, number = 4, rate = 5;
    unsigned size = 6;
    int choice = 1;
    const char *const names[] = {"a", "b", nullptr};
    CHECK(lt_option_duration("--x=", nullptr, 9, &time, "", nullptr) == LIVETCP_OK);
    CHECK(lt_option_share("--x=", nullptr, LT_SHARE_INSIDE, &share, "", nullptr) == LIVETCP_OK);
    CHECK(lt_option_number("--x=", nullptr, &number, nullptr) == LIVETCP_OK);
    CHECK(lt_option_rate("--x=", nullptr, 1, &rate, nullptr) == LIVETCP_OK);
    CHECK(lt_option_size("--x=", nullptr, 1, &size, nullptr) == LIVETCP_OK);
    CHECK(lt_option_choice("--x=", nullptr, names, &choice, nullptr) == LIVETCP_OK);
    CHECK(time == 3);
    CHECK(share == 0.5);
    CHECK(number == 4);
    CHECK(rate == 5);
    CHECK(size == 6);
    CHECK(choice == 1);
}

TEST_CASE("options: values are checked")
{
    livetcp_usec time;
    double share, rate;
    unsigned size, count;
    CHECK(lt_option_duration("--x=", "50ms", 50000, &time, "", nullptr) == LIVETCP_OK);
    CHECK(time == 50000);
    CHECK(lt_option_duration("--x=", "50ms", 50001, &time, "", nullptr));
    CHECK(lt_option_duration("--x=", "50", 0, &time, "", nullptr));
    CHECK(lt_option_share("--x=", "0", LT_SHARE_BELOW_1, &share, "", nullptr) == LIVETCP_OK);
    CHECK(lt_option_share("--x=", "0", LT_SHARE_INSIDE, &share, "", nullptr));
    CHECK(lt_option_share("--x=", "100%", LT_SHARE_BELOW_1, &share, "", nullptr));
    CHECK(lt_option_rate("--x=", "2mbit", 100, &rate, nullptr) == LIVETCP_OK);
    CHECK(rate == 2e6);
    CHECK(lt_option_rate("--x=", "10pps", 100, &rate, nullptr) == LIVETCP_OK);
    CHECK(rate == 8000);
    CHECK(lt_option_rate("--x=", "0", 100, &rate, nullptr));
    CHECK(lt_option_size("--x=", "100", 100, &size, nullptr) == LIVETCP_OK);
    CHECK(size == 100);
    CHECK(lt_option_size("--x=", "101", 100, &size, nullptr));
    CHECK(lt_option_size("--x=", "1.5", 100, &size, nullptr));
    CHECK(lt_option_count("--x=", 3, 1, 3, &count, nullptr) == LIVETCP_OK);
    CHECK(count == 3);
    CHECK(lt_option_time("--x ", "1.5", LIVETCP_USEC_SEC, 0, 2000000, &time, nullptr) ==
          LIVETCP_OK);
    CHECK(time == 1500000);
}

TEST_CASE("options: an error repeats the option as it is typed and says what would be right")
{
    const char *const names[] = {"forward", "backward", "both", nullptr};
    livetcp_error error;
    livetcp_usec time;
    unsigned count;
    int choice;
    char text[4];
    CHECK(lt_option_choice("--way ", "up", names, &choice, &error));
    CHECK(std::string(error.message) == "--way up: it is forward, backward or both");
    CHECK(lt_option_choice("--way ", "up", names + 1, &choice, &error));
    CHECK(std::string(error.message) == "--way up: it is backward or both");
    CHECK(lt_option_count("--n=", 7, 1, 3, &count, &error));
    CHECK(std::string(error.message) == "--n=7: 1 to 3 are possible");
    CHECK(lt_option_count("--n ", 0, 1, INT_MAX, &count, &error));
    CHECK(std::string(error.message) == "--n 0: at least 1");
    CHECK(lt_option_time("--drain ", "-1", LIVETCP_USEC_SEC, 0, 60000000, &time, &error));
    CHECK(std::string(error.message) == "--drain -1: it is a time such as 20ms or 5s, 0s to 60s");
    CHECK(lt_option_copy("--file", "", text, sizeof text, nullptr, &error));
    CHECK(std::string(error.message) == "--file: 1 to 3 characters are possible");
    CHECK(lt_option_copy("--file", "long", text, sizeof text, "too long", &error));
    CHECK(std::string(error.message) == "--file: too long");
    CHECK(lt_option_refuse("--x=", std::string(90, 'y').c_str(), &error, "no %d", 3));
    CHECK(std::string(error.message) == "--x=" + std::string(40, 'y') + ": no 3");
}

TEST_CASE("options: a time has a unit, or the one that plain numbers always had")
{
    const struct {
        const char *text;
        livetcp_usec us;
    } good[] = {{"20ms", 20000}, {"5s", 5000000}, {"250us", 250}, {"1.5", 1500000}, {"0", 0}};
    for (auto &one : good) {
        livetcp_usec us = -1;
        CAPTURE(one.text);
        CHECK(lt_option_time("--t ", one.text, LIVETCP_USEC_SEC, 0, 10 * LIVETCP_USEC_SEC, &us,
                             nullptr) == LIVETCP_OK);
        CHECK(us == one.us);
    }
    for (const char *bad : {"11s", "11", "-1", "nan", "", "5 s", "5m", "1e99"}) {
        livetcp_error error = {};
        livetcp_usec us = 7;
        CAPTURE(bad);
        CHECK(lt_option_time("--t ", bad, LIVETCP_USEC_SEC, 0, 10 * LIVETCP_USEC_SEC, &us,
                             &error) != LIVETCP_OK);
        CHECK(us == 7);
        CHECK(std::string(error.message).find("0s to 10s") != std::string::npos);
    }
}

TEST_CASE("options: --json alone is standard output")
{
    for (auto words : std::vector<std::vector<const char *>>{
             {"--json", "-"}, {"--json=-"}, {"--json"}, {"--json", "--number=7"}}) {
        Line line;
        REQUIRE(line.read(words) == LIVETCP_OK);
        CHECK(std::string(line.json) == "-");
    }
    Line value; /* "--json" is the text of --text here */
    REQUIRE(value.read({"--text", "--json", "-t", "-"}) == LIVETCP_OK);
    CHECK(value.copy == "--json");
    CHECK(value.json == nullptr);
    Line command; /* what follows is the command's */
    REQUIRE(command.read({"--number", "7", "run", "--json", "-"}, true, true) == LIVETCP_OK);
    CHECK(command.rest == std::vector<std::string>{"run", "--json", "-"});
}

TEST_CASE("suggestions: the nearest name, if one is near")
{
    auto nearest = [](const char *word) {
        lt_suggestion s;
        lt_suggestion_start(&s, word);
        for (const char *name : {"bench", "doctor", "receive", "report", "send", "connections"})
            lt_suggestion_offer(&s, name);
        return std::string(s.name ? s.name : "");
    };
    CHECK(nearest("doktor") == "doctor");
    CHECK(nearest("recieve") == "receive");
    CHECK(nearest("snd") == "send");
    CHECK(nearest("conn") == "connections");
    CHECK(nearest("play") == "");
    CHECK(nearest("") == "");
    CHECK(nearest(std::string(5000, 'x').c_str()) == "");
}
