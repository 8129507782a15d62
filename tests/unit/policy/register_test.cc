/* SPDX-License-Identifier: MIT */
/* Application-defined policies: validation of their tables, and concurrent registration and lookup.
 */
#include "catch.h"

#include <livetcp/policy.h>

#include <atomic>
#include <list>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace
{

void place(void *, const livetcp_policy_view *, const livetcp_packet_view *,
           livetcp_decision *decision)
{
    decision->connections = 1;
}

livetcp_policy sound(const char *name)
{
    livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.name = name;
    policy.summary = "the first connection, always";
    policy.place = place;
    return policy;
}

/* A refused table must not be in the registry afterwards. */
std::string complaint(const livetcp_policy &policy)
{
    livetcp_error error = {};
    size_t before = 0, after = 0;
    while (livetcp_policy_at(before))
        before++;
    CHECK(livetcp_policy_register(&policy, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(error.code == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_policy_register(&policy, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    while (livetcp_policy_at(after))
        after++;
    CHECK(before == after);
    return error.message;
}

bool says(const livetcp_policy &policy, const char *what)
{
    std::string message = complaint(policy);
    INFO(message);
    bool said = message.find(what) != std::string::npos;
    CHECK(said);
    return said;
}

/* Tables and their names live as long as the program. */
const livetcp_policy *immortal(const std::string &name)
{
    static std::list<std::pair<std::string, livetcp_policy>> tables;
    tables.emplace_back(name, livetcp_policy{});
    tables.back().second = sound(tables.back().first.c_str());
    return &tables.back().second;
}

} // namespace

TEST_CASE("a registered policy is found by its name, behind the built-in ones")
{
    static const livetcp_policy policy = sound("first-always");
    livetcp_config config;
    livetcp_error error = {};
    livetcp_config_init(&config);
    REQUIRE(livetcp_config_set(&config, "host", "peer", nullptr) == LIVETCP_OK);
    REQUIRE(livetcp_config_set(&config, "port", "1", nullptr) == LIVETCP_OK);
    REQUIRE(livetcp_config_set(&config, "policy", "first-always", nullptr) == LIVETCP_OK);
    CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_ERR_UNKNOWN_POLICY);
    CHECK(livetcp_policy_find("first-always") == nullptr);

    REQUIRE(livetcp_policy_register(&policy, &error) == LIVETCP_OK);
    CHECK(livetcp_policy_find("first-always") == &policy);
    CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
    size_t position = 0;
    while (livetcp_policy_at(position) && livetcp_policy_at(position) != &policy)
        position++;
    CHECK(livetcp_policy_at(position) == &policy);
    CHECK(livetcp_policy_at(position + 1) == nullptr);
    CHECK(livetcp_policy_at(SIZE_MAX) == nullptr);
    CHECK(std::string(livetcp_policy_at(0)->name) == "single");

    SECTION("and its name is taken")
    {
        CHECK(says(policy, "'first-always' already"));
        CHECK(says(sound("single"), "'single' already"));
    }
}

TEST_CASE("a table of a newer program is taken while it needs nothing that is not there")
{
    /* Two functions more than this library knows. */
    static struct {
        livetcp_policy known;
        void (*added[2])();
    } newer = {sound("newer"), {nullptr, nullptr}},
      demanding = {sound("demanding"), {nullptr, [] {}}};
    newer.known.struct_size = demanding.known.struct_size = sizeof newer;

    livetcp_error error = {};
    CHECK(livetcp_policy_register(&newer.known, &error) == LIVETCP_OK);
    CHECK(livetcp_policy_find("newer") == &newer.known);
    CHECK(livetcp_policy_register(&demanding.known, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("would not call") != std::string::npos);
    CHECK(livetcp_policy_find("demanding") == nullptr);

    demanding.known.struct_size = SIZE_MAX - SIZE_MAX % alignof(livetcp_policy);
    CHECK(livetcp_policy_register(&demanding.known, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("sizeof(livetcp_policy)") != std::string::npos);
}

TEST_CASE("tables that cannot work are refused, by name and with the reason")
{
    livetcp_error error = {};
    CHECK(livetcp_policy_register(nullptr, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("NULL") != std::string::npos);

    livetcp_policy policy = sound("flawed");
    policy.struct_size--;
    CHECK(says(policy, "sizeof(livetcp_policy)"));
    policy.struct_size += 2;
    CHECK(says(policy, "sizeof(livetcp_policy)"));

    policy = sound("flawed");
    policy.place = nullptr;
    CHECK(says(policy, "'flawed' has no place()"));

    policy = sound("flawed");
    policy.summary = nullptr;
    CHECK(says(policy, "'flawed' has no summary"));
    policy.summary = "";
    CHECK(says(policy, "'flawed' has no summary"));

    policy = sound("flawed");
    policy.review = place;
    CHECK(says(policy, "LIVETCP_WANTS_PATHS"));

    policy = sound("flawed");
    policy.wants = 1u << 20;
    CHECK(says(policy, "'flawed' wants 0x100000"));

    policy = sound("flawed");
    policy.min_connections = 3;
    policy.max_connections = 2;
    CHECK(says(policy, "min_connections 3 above max_connections 2"));
    policy.max_connections = 0;
    policy.min_connections = LIVETCP_MAX_CONNECTIONS + 1;
    CHECK(says(policy, "min_connections 33"));

    policy = sound("flawed");
    policy.state_size = static_cast<size_t>(-1);
    CHECK(says(policy, "state_size"));

    policy = sound("flawed");
    policy.path_size = sizeof(livetcp_path) + 1;
    CHECK(says(policy, "path_size"));
    policy.path_size = 8;
    CHECK(says(policy, "path_size 8"));
}

TEST_CASE("names are what can stand in a URI without quoting")
{
    CHECK(says(sound(nullptr), "no name"));
    CHECK(says(sound(""), "no name"));
    CHECK(says(sound("a-name-of-thirty-two-characters--"), "longer than 31 bytes"));
    CHECK(says(sound(std::string(5000, 'x').c_str()), "longer than 31 bytes"));
    for (const char *name : {"Single", "two words", "under_score", "-first", "last-",
                             "two--hyphens", "per%cent", "dot.ted", "caf\xc3\xa9", "-"})
        CHECK(says(sound(name), "lower-case"));
    static const livetcp_policy longest = sound("0-name-of-thirty-one-characters");
    REQUIRE(std::string(longest.name).size() == 31);
    CHECK(livetcp_policy_register(&longest, nullptr) == LIVETCP_OK);
    livetcp_config config;
    livetcp_config_init(&config);
    CHECK(livetcp_config_set(&config, "policy", longest.name, nullptr) == LIVETCP_OK);
}

/* Runs last: it fills the registry. For ThreadSanitizer. */
TEST_CASE("threads register at a time, each name once, while others look", "[thread]")
{
    const unsigned threads = 4, names = 16;
    std::vector<std::vector<const livetcp_policy *>> tables(threads);
    for (auto &mine : tables)
        for (unsigned i = 0; i < names; i++)
            mine.push_back(immortal("contended-" + std::to_string(i)));
    std::atomic<unsigned> taken{0}, running{threads};
    std::atomic<bool> in_order{true};
    std::vector<std::thread> writers;
    for (unsigned t = 0; t < threads; t++)
        writers.emplace_back([&, t] {
            for (unsigned i = 0; i < names; i++)
                taken += livetcp_policy_register(tables[t][(i + t) % names], nullptr) == LIVETCP_OK;
            running--;
        });
    std::thread reader([&] {
        size_t seen = 0;
        while (running) {
            size_t count = 0;
            while (const livetcp_policy *policy = livetcp_policy_at(count)) {
                if (livetcp_policy_find(policy->name) != policy)
                    in_order = false;
                count++;
            }
            if (count < seen)
                in_order = false;
            seen = count;
        }
    });
    for (std::thread &writer : writers)
        writer.join();
    reader.join();
    CHECK(taken == names);
    CHECK(in_order);

    std::set<std::string> unique;
    size_t count = 0;
    for (; livetcp_policy_at(count); count++)
        unique.insert(livetcp_policy_at(count)->name);
    CHECK(unique.size() == count);

    /* The limit is enforced and reported. */
    livetcp_error error = {};
    livetcp_result result = LIVETCP_OK;
    for (unsigned i = 0; result == LIVETCP_OK && i < 1000; i++)
        result = livetcp_policy_register(immortal("many-" + std::to_string(i)), &error);
    CHECK(result == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("64") != std::string::npos);
    CHECK(livetcp_policy_find("many-0") != nullptr);
}
