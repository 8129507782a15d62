/* SPDX-License-Identifier: MIT */
/*
 * What the engine writes, delivers and tells is what it has always been, byte for byte and
 * microsecond for microsecond: for changes that must not change behaviour.
 *
 * transcript.txt has one line a scene: name, writes, bytes written, packets delivered, events, and
 * the SHA-256 of the transcript (transcript.h).
 *
 * LIVETCP_TRANSCRIPT=DIR writes the transcript of every scene to DIR/<name>.txt: do it before and
 * after a change, and diff says what the first difference is. LIVETCP_TRANSCRIPT_UPDATE=1 writes
 * transcript.txt anew, for a change that is meant to be seen on the wire:
 *
 *     LIVETCP_TRANSCRIPT_UPDATE=1 build/dev/tests/scenario/scenario_tests 'transcript*'
 */
#include "catch.h"
#include "transcript.h"

#include <cstdlib>
#include <fstream>

using namespace scenario;

namespace
{

const char *const head =
    "# What the engine does in each scene of test_transcript.cc, whose head comment says how to\n"
    "# compare and how to write this file anew.\n"
    "# name writes bytes packets events sha256\n";

std::vector<Scene> all_scenes()
{
    std::vector<Scene> scenes;

    add_policy_scenes(scenes);
    add_talk_scenes(scenes);
    add_trouble_scenes(scenes);
    return scenes;
}

/* Name and summary, in the order of the file. */
using Lines = std::vector<std::pair<std::string, std::string>>;

Lines read_golden()
{
    std::ifstream file(LT_TRANSCRIPT_FILE);
    Lines lines;

    for (std::string line; std::getline(file, line);) {
        size_t space = line.find(' ');
        if (!line.empty() && line[0] != '#' && space != std::string::npos)
            lines.emplace_back(line.substr(0, space), line.substr(space + 1));
    }
    return lines;
}

void write_golden(const Lines &lines)
{
    std::ofstream file(LT_TRANSCRIPT_FILE);

    file << head;
    for (const auto &line : lines)
        file << line.first << ' ' << line.second << '\n';
    REQUIRE(file.flush());
}

void write_text(const std::string &folder, const std::string &name, const std::string &text)
{
    std::ofstream file(folder + "/" + name + ".txt");

    file << text;
    INFO("LIVETCP_TRANSCRIPT must name a folder: " << folder);
    REQUIRE(file.flush());
}

} // namespace

TEST_CASE("transcripts: what is written, delivered and told does not change")
{
    const char *folder = getenv("LIVETCP_TRANSCRIPT");
    const char *update = getenv("LIVETCP_TRANSCRIPT_UPDATE");
    Lines now;

    for (const Scene &scene : all_scenes()) {
        INFO("scene " << scene.name);
        Transcript transcript;
        SimCall call(scene.path.c_str(), scene.config, 1, scene.send_buffer);
        transcript.listen(call);
        scene.play(call);
        now.emplace_back(scene.name, transcript.summary());
        if (folder)
            write_text(folder, scene.name, transcript.text());
    }
    if (update)
        write_golden(now);

#ifdef __FP_FAST_FMA
    WARN("not compared: this compiler may round a * b + c once, where transcript.txt rounds twice");
#else
    Lines golden = read_golden();
    REQUIRE(golden.size() == now.size());
    for (size_t i = 0; i < now.size(); i++) {
        INFO("scene " << now[i].first
                      << " (writes, bytes, packets, events, SHA-256). To see where it differs, run "
                         "this test before and after the change with LIVETCP_TRANSCRIPT=DIR, and "
                         "diff DIR/"
                      << now[i].first << ".txt of the two");
        CHECK(golden[i].first == now[i].first);
        CHECK(golden[i].second == now[i].second);
    }
#endif
}
