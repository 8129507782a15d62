/* SPDX-License-Identifier: MIT */
/*
 * `auto` against `single` and `shortest-queue` on many paths, in virtual time: one line a path and
 * budget, with the delays and a verdict. Not a test; test_routes.cc holds some of it.
 *
 * usage: path-table [--thin | --speech | --policers | --speech-policers | --random FROM-TO | --hard
 * FROM-TO | --longer FROM-TO | PATH...] [--police KBIT] [--seeds N]
 *                   [--seconds S] [--warmup S] [--budget B]... [--set KEY=VALUE]... [--failed]
 *                   [--by-second] [--below NAME] [--chance SEED]
 * --thin: links of 1.05 to 2.2 times the media, buffers of 20 to 400 ms, 0 and 1 % of loss.
 * --speech: the same with speech instead of video.
 * --policers: token buckets of as much; --speech-policers: with speech. --police: one on the paths
 * named after it.
 * --random: paths that draw_course() draws for these seeds; --hard: draw_hard_course(), with
 * policers, bursts, changes, outages and second links; --longer: draw_longer_route().
 * --budget: of auto; -1 is the default. --failed: only paths where auto is worse.
 * --below: TCP's congestion control, instead of NewReno's: cubic or bbr.
 * X: worse, and not by chance. --by-second: the largest delay of each second, too.
 * --chance: how many rows are worse by chance all the same: instead of auto, with any budget, these
 * two themselves with other seeds from SEED on, whichever is better.
 */
#include "sim_course.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;

struct Options {
    std::vector<Course> courses;
    std::vector<double> budgets;
    std::vector<std::string> settings;
    unsigned seeds = 3;
    livetcp_usec warmup = 5 * second, length = 30 * second;
    bool failed = false, by_second = false;
    unsigned chance = 0; /* first seed; 0 = auto is measured */
    std::string below = "reno";
};

struct Count {
    unsigned rows = 0, worse95 = 0, worse99 = 0, worse999 = 0;
};

std::vector<Course> thin_links(size_t size, double media)
{
    std::vector<Course> courses;
    for (double times : {1.05, 1.2, 1.4, 1.6, 2.0, 2.2})
        for (double buffer : {0.02, 0.1, 0.4})
            for (double loss : {0.0, 1.0}) {
                char spec[96];
                double rate = media * times;
                snprintf(spec, sizeof spec, "delay=30ms,rate=%.0fkbit,queue=%.0fB", rate / 1000,
                         std::max(3100.0, rate / 8 * buffer));
                courses.emplace_back(spec, "", loss);
                courses.back().size = size;
            }
    return courses;
}

std::vector<Course> policers(size_t size, double media)
{
    std::vector<Course> courses;
    for (double times : {1.05, 1.2, 1.4, 1.6, 2.0, 2.2})
        for (double loss : {0.0, 1.0}) {
            Course course("delay=30ms", "", loss);
            course.police = static_cast<uint64_t>(media * times);
            course.size = size;
            courses.push_back(course);
        }
    return courses;
}

std::vector<Course> drawn(const char *range, Course (*draw)(uint64_t))
{
    std::vector<Course> courses;
    unsigned from = 1, to = 0;
    if (sscanf(range, "%u-%u", &from, &to) != 2 || from > to) {
        fprintf(stderr,
                "path-table: --random, --hard and --longer take FROM-TO, e.g. 1-200, not \"%s\"\n",
                range);
        exit(2);
    }
    for (unsigned i = from; i <= to; i++)
        courses.push_back(draw(i));
    return courses;
}

Delays measure(const Course &course, livetcp_config config, const Options &options, bool own,
               unsigned first_seed = 1)
{
    Delays all;
    livetcp_error error = {};
    for (const std::string &setting : options.settings) {
        size_t equals = setting.find('=');
        if (own && livetcp_config_set(&config, setting.substr(0, equals).c_str(),
                                      setting.substr(equals + 1).c_str(), &error)) {
            fprintf(stderr, "path-table: %s\n", error.message);
            exit(2);
        }
    }
    for (unsigned seed = first_seed; seed < first_seed + options.seeds; seed++) {
        std::vector<double> by_second;
        all.add(drive(course, config, seed, &by_second));
        if (!own || !options.by_second)
            continue;
        printf("    seed %u:", seed);
        for (double delay : by_second)
            printf(" %.0f", delay);
        printf("\n");
    }
    return all;
}

/* One policy, or several: it counts as worse where all of them are. */
void judge(const Course &course, const std::vector<Delays> &own, const Delays &single,
           const Delays &queue, const Options &options, const char *name, bool &named, Count &count)
{
    bool worse = false;
    char verdict[3] = {'.', '.', '.'};
    unsigned *counters[] = {&count.worse95, &count.worse99, &count.worse999};
    const double ps[] = {0.95, 0.99, 0.999};
    for (unsigned i = 0; i < 3; i++)
        if (std::all_of(own.begin(), own.end(), [&](const Delays &delays) {
                return is_worse(delays, single, queue, ps[i]);
            })) {
            verdict[i] = 'X';
            ++*counters[i];
            worse = true;
        }
    count.rows++;
    if (options.failed && !worse)
        return;
    if (!named)
        printf("%s\n", course.describe().c_str());
    named = true;
    printf("  %s %.3s", name, verdict);
    for (const Delays *of : {&single, &queue, &own.back()})
        printf("  %7.1f %7.1f %7.1f", of->quantile(0.95), of->quantile(0.99), of->quantile(0.999));
    printf("  %.3f\n", own.back().cost);
    fflush(stdout);
}

void compare(const Course &course, const Options &options, Count &count)
{
    livetcp_config one = course_config("single", 1, 0),
                   several = course_config("shortest-queue", course.connections, 0);
    Delays single = measure(course, one, options, false);
    Delays queue = measure(course, several, options, false);
    bool named = false;
    if (options.chance) {
        judge(course,
              {measure(course, one, options, false, options.chance),
               measure(course, several, options, false, options.chance)},
              single, queue, options, "again", named, count);
        return;
    }
    for (double budget : options.budgets) {
        char name[16];
        snprintf(name, sizeof name, "%5.2f", budget);
        judge(course,
              {measure(course, course_config("auto", course.connections, budget), options, true)},
              single, queue, options, name, named, count);
    }
}

Options parse(int argc, char **argv)
{
    Options options;
    uint64_t police = 0;
    for (int i = 1; i < argc; i++) {
        bool valued = i + 1 < argc;
        std::vector<Course> more;
        if (!strcmp(argv[i], "--thin"))
            more = thin_links(Course::packet, Course::media);
        else if (!strcmp(argv[i], "--speech"))
            more = thin_links(Course::speech, Course::speech_rate);
        else if (!strcmp(argv[i], "--policers"))
            more = policers(Course::packet, Course::media);
        else if (!strcmp(argv[i], "--speech-policers"))
            more = policers(Course::speech, Course::speech_rate);
        else if (!strcmp(argv[i], "--random") && valued)
            more = drawn(argv[++i], draw_course);
        else if (!strcmp(argv[i], "--hard") && valued)
            more = drawn(argv[++i], draw_hard_course);
        else if (!strcmp(argv[i], "--longer") && valued)
            more = drawn(argv[++i], draw_longer_route);
        else if (!strcmp(argv[i], "--seeds") && valued)
            options.seeds = static_cast<unsigned>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--seconds") && valued)
            options.length = atoi(argv[++i]) * second;
        else if (!strcmp(argv[i], "--warmup") && valued)
            options.warmup = atoi(argv[++i]) * second;
        else if (!strcmp(argv[i], "--budget") && valued)
            options.budgets.push_back(atof(argv[++i]));
        else if (!strcmp(argv[i], "--set") && valued)
            options.settings.emplace_back(argv[++i]);
        else if (!strcmp(argv[i], "--failed"))
            options.failed = true;
        else if (!strcmp(argv[i], "--chance") && valued)
            options.chance = static_cast<unsigned>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--below") && valued)
            options.below = argv[++i];
        else if (!strcmp(argv[i], "--by-second"))
            options.by_second = true;
        else if (!strcmp(argv[i], "--police") && valued)
            police = static_cast<uint64_t>(atoi(argv[++i])) * 1000;
        else if (argv[i][0] != '-') {
            more.emplace_back(argv[i]);
            more.back().police = police;
        } else {
            fprintf(stderr, "path-table: unknown option %s\n", argv[i]);
            exit(2);
        }
        options.courses.insert(options.courses.end(), more.begin(), more.end());
    }
    if (options.budgets.empty())
        options.budgets = {0.1, LIVETCP_REDUNDANCY_AUTO, 1};
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    Options options = parse(argc, argv);
    Count count;
    printf(
        "budget, worse at p95 p99 p99.9 (X); p95 p99 p99.9 in ms of single, shortest-queue, auto; "
        "bytes of auto\n");
    for (Course &course : options.courses) {
        course.warmup = options.warmup;
        course.length = options.length;
        course.below = options.below;
        compare(course, options, count);
    }
    printf("%u rows; worse at p95 %u, p99 %u, p99.9 %u\n", count.rows, count.worse95, count.worse99,
           count.worse999);
    return 0;
}
