/* SPDX-License-Identifier: MIT */
/* Memory that runs out while a delay model is solved is an error, not the end of the process. */
#include "delay_model_fixture.h"
#include "failing_allocation.h"

#ifdef __linux__
#include <cstdio>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

TEST_CASE("a delay model that there is no memory for is refused, whatever allocation fails",
          "[allocation]")
{
    for (double backlog_states : {16., 0.}) {
        auto config = stream_of(VIDEO, 100, 0.01);
        config.backlog_states = backlog_states;
        long needed = sweep_allocations([&] {
            livetcp_delay_model *model = nullptr;
            livetcp_error error = {};
            long before = live;
            armed = true;
            livetcp_result result = livetcp_delay_model_solve(&config, &model, &error);
            armed = false;
            /* A larger chain that is not to be had leaves the answer of the smaller one. */
            if (!failed || backlog_states == 0)
                CHECK((result == LIVETCP_OK || failed));
            else
                CHECK(result == LIVETCP_ERR_NO_MEMORY);
            CHECK((model != nullptr) == (result == LIVETCP_OK));
            if (result != LIVETCP_OK) {
                CHECK(result == LIVETCP_ERR_NO_MEMORY);
                CHECK(std::string(error.message).find("memory") != std::string::npos);
            }
            livetcp_delay_model_destroy(&model);
            CHECK(live == before);
        });
        CHECK(needed > 10);
    }
}

TEST_CASE("and so is a start-up model", "[allocation]")
{
    livetcp_startup_config config;
    livetcp_startup_config_init(&config, LIVETCP_TCP_CONSTANTS_LINUX);
    config.connections = 5;
    long needed = sweep_allocations([&] {
        livetcp_startup_model *model = nullptr;
        livetcp_error error = {};
        long before = live;
        armed = true;
        livetcp_result result = livetcp_startup_model_solve(&config, &model, &error);
        armed = false;
        CHECK(result == (failed ? LIVETCP_ERR_NO_MEMORY : LIVETCP_OK));
        CHECK((model != nullptr) == (result == LIVETCP_OK));
        livetcp_startup_model_destroy(&model);
        CHECK(live == before);
    });
    CHECK(needed > 10);
}

/* Sanitizers reserve more address space than any limit would leave. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static rlim_t address_space()
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file) {
        if (fscanf(file, "%lu", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Solves in a child that may have `more` bytes: its result, or -1 if it did not come back. */
static int solve_within(const livetcp_delay_model_config &config, rlim_t more)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        livetcp_delay_model *model = nullptr;
        livetcp_error error = {};
        rlimit limit = {};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = address_space() + more;
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(100);
        _exit(-livetcp_delay_model_solve(&config, &model, &error));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return -WEXITSTATUS(status);
}

/* Unlike the test above this one fails allocations of the linear algebra, too. */
TEST_CASE("a process that reaches its limit of memory within a delay model goes on", "[allocation]")
{
    const rlim_t step = 256 << 10, max = 64 << 20;
    auto config = stream_of(VIDEO, 300, 0.003);
    config.window_states = 16;
    config.backlog_states = 32;
    unsigned refused = 0;
    int result = LIVETCP_ERR_NO_MEMORY;

    for (rlim_t more = 0; more < max && result != LIVETCP_OK; more += step) {
        result = solve_within(config, more);
        INFO("with " << more << " bytes more");
        REQUIRE((result == LIVETCP_OK || result == LIVETCP_ERR_NO_MEMORY));
        refused += result != LIVETCP_OK;
    }
    CHECK(result == LIVETCP_OK);
    CHECK(refused > 3);
}

#endif
