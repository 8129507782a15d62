/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/trace_file.h"
}

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

struct file {
    std::string path = "/tmp/livetcp-trace-XXXXXX";
    explicit file(const std::string &text)
    {
        close(mkstemp(&path[0]));
        std::ofstream(path) << text;
    }
    ~file()
    {
        unlink(path.c_str());
    }
};

static std::string failure(const std::string &text)
{
    livetcp_trace_frame *frames;
    size_t count;
    livetcp_error error;
    file trace(text);
    REQUIRE(lt_trace_read(trace.path.c_str(), &frames, &count, &error) != LIVETCP_OK);
    CHECK(frames == nullptr);
    return error.message;
}

TEST_CASE("a trace has a frame a line, in any of the usual spellings")
{
    livetcp_trace_frame *frames;
    size_t count;
    file trace("time_us,bytes\n# made by hand\n0 100\n\n40000,200\r\n40000 ; 300 \n");

    REQUIRE(lt_trace_read(trace.path.c_str(), &frames, &count, nullptr) == LIVETCP_OK);
    REQUIRE(count == 3);
    CHECK(frames[0].bytes == 100);
    CHECK(frames[1].time_us == 40000);
    CHECK(frames[2].bytes == 300);
    free(frames);
}

TEST_CASE("what is no frame is named by its line")
{
    for (const char *line : {"5", "5 0", "-1 5", "5 -5", "5 5 5", "1.5 7", "5x5", "5 2000000000",
                             "99999999999999999999 5", "frame 5"})
        CHECK(failure(std::string("0 1\n") + line + "\n").find("line 2") != std::string::npos);
    CHECK(failure("5 1\n4 1\n").find("sort") != std::string::npos);
    CHECK(failure("# nothing\n").find("no frames") != std::string::npos);
}

TEST_CASE("a trace that is not there is an error")
{
    livetcp_trace_frame *frames;
    size_t count;
    livetcp_error error;

    CHECK(lt_trace_read("/nonexistent/trace", &frames, &count, &error) == LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message).find("/nonexistent/trace") != std::string::npos);
}
