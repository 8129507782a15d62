/* SPDX-License-Identifier: MIT */
/* The pipelines in the elements' documentation can be pasted into a shell as they stand. */
#include "catch.h"
#include "support.h"

#include <fstream>
#include <vector>

using namespace lt;

namespace
{

struct Block {
    std::string text; /* as a shell reads it */
    std::string description;
};

/* The lines of a file's comment, without the star before each. */
std::vector<std::string> comment_lines(const char *file)
{
    std::ifstream source(std::string(LIVETCP_PLUGIN_SOURCE "/") + file);
    std::vector<std::string> lines;
    std::string line;

    REQUIRE(source);
    while (std::getline(source, line) && line.rfind("#include", 0) != 0)
        lines.push_back(line.rfind(" * ", 0) == 0 ? line.substr(3) : "");
    return lines;
}

std::vector<Block> pipelines(const char *file)
{
    std::vector<Block> blocks;
    bool inside = false;

    for (const std::string &line : comment_lines(file)) {
        if (line == "|[") {
            inside = true;
            blocks.emplace_back();
        } else if (inside && line.rfind("]|", 0) == 0) {
            inside = false;
            blocks.back().description = line.substr(2);
        } else if (inside) {
            blocks.back().text += line + "\n";
        }
    }
    return blocks;
}

/* Otherwise a shell takes each line for a command. */
void check_joined(const std::string &command)
{
    for (size_t i = 1; i + 1 < command.size(); i++)
        if (command[i] == '\n')
            CHECK(command[i - 1] == '\\');
}

/* A warning where an element of another plugin is not installed. */
void check_syntax(const std::string &command)
{
    gchar **words = nullptr;
    int count = 0;
    GError *error = nullptr;

    INFO(command);
    REQUIRE(g_shell_parse_argv(command.c_str(), &count, &words, nullptr));
    REQUIRE(count > 1);
    CHECK(std::string(words[0]) == "gst-launch-1.0");
    GstElement *pipeline = gst_parse_launchv_full((const gchar **)words + 1, nullptr,
                                                  GST_PARSE_FLAG_FATAL_ERRORS, &error);
    g_strfreev(words);
    if (error) {
        std::string message = error->message;
        bool missing = g_error_matches(error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT) &&
                       message.find("livetcp") == std::string::npos;
        g_clear_error(&error);
        if (!missing)
            FAIL(message);
        WARN(message);
    }
    if (pipeline)
        gst_object_unref(pipeline);
}

} // namespace

TEST_CASE("every pipeline of the elements' documentation can be pasted")
{
    init();
    for (const char *file : {"gstlivetcpsink.c", "gstlivetcpsrc.c", "gstlivetcpplayout.c"}) {
        INFO(file);
        std::vector<Block> blocks = pipelines(file);
        CHECK(blocks.size() >= 2);
        for (const Block &block : blocks) {
            INFO(block.text);
            CHECK(block.description.size() > 10);
            CHECK(block.description.back() == '.');
            CHECK(block.text.find("gst-launch-1.0", 1) == std::string::npos);
            check_joined(block.text);
            check_syntax(block.text);
        }
    }
}
