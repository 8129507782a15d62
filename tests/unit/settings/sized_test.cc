/* SPDX-License-Identifier: MIT */
/* Configs of programs compiled with older or newer headers than the library. */
#include "catch.h"

extern "C" {
#include "base/sized.h"
#include "settings/settings.h"
}

#include <cstring>
#include <string>

namespace
{

/* A newer program's struct: fields unknown to this library, then unrelated memory. */
struct Newer {
    livetcp_config config;
    char grown[64];
    char guard[64];

    Newer()
    {
        memset(static_cast<void *>(this), 0xa5, sizeof *this);
        livetcp_config_init_sized(&config, offsetof(Newer, guard));
    }

    bool guard_intact() const
    {
        return std::string(guard, sizeof guard) == std::string(sizeof guard, '\xa5');
    }
};

} // namespace

TEST_CASE("the size of the caller is cleared, and no more")
{
    Newer newer;
    CHECK(newer.config.struct_size == offsetof(Newer, guard));
    CHECK(newer.config.connections == 8);
    CHECK(std::string(newer.grown, sizeof newer.grown) == std::string(sizeof newer.grown, '\0'));
    CHECK(newer.guard_intact());

    size_t no_room[2] = {7, 7};
    livetcp_config_init_sized(reinterpret_cast<livetcp_config *>(no_room), 1);
    CHECK(no_room[0] == 7);
    livetcp_config_init_sized(reinterpret_cast<livetcp_config *>(no_room), sizeof no_room[0]);
    CHECK(no_room[0] == sizeof no_room[0]);
    CHECK(no_room[1] == 7);
}

TEST_CASE("programs built with version 0.1 have the struct cleared that they have")
{
    Newer old;
    memset(static_cast<void *>(&old), 0xa5, sizeof old);
    (livetcp_config_init)(&old.config); /* the function, not the macro */
    CHECK(old.config.struct_size == LT_SIZE_THROUGH(livetcp_config, timestamps));
    CHECK(old.config.connections == 8);
    CHECK(old.grown[0] == '\xa5');
    CHECK(livetcp_config_set(&old.config, "connections", "3", nullptr) == LIVETCP_OK);
    CHECK(old.config.connections == 3);

    livetcp_error error = {};
    CHECK(livetcp_config_set(&old.config, "localport", "5000", &error) ==
          LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(std::string(error.message).find("newer than this program") != std::string::npos);
    CHECK(livetcp_config_apply_uri(&old.config, "livetcp://a:1?qos-dscp=46", &error) ==
          LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(old.config.local_port == 0xa5a5a5a5);
}

TEST_CASE("every function takes a config that is larger than the library's")
{
    Newer newer;
    livetcp_error error = {};
    char text[1000];
    memset(newer.grown, 0x5a, sizeof newer.grown);

    REQUIRE(livetcp_config_apply_uri(&newer.config, "livetcp://a.example:5004?copies=3", &error) ==
            LIVETCP_OK);
    CHECK(newer.config.copies == 3);
    CHECK(newer.config.struct_size == offsetof(Newer, guard));
    CHECK(livetcp_config_set(&newer.config, "split", "2", nullptr) == LIVETCP_OK);
    CHECK(livetcp_config_get(&newer.config, "copies", text, sizeof text, nullptr) == LIVETCP_OK);
    CHECK(std::string(text) == "3");
    CHECK(livetcp_config_to_uri(&newer.config, text, sizeof text, nullptr) == LIVETCP_OK);
    CHECK(std::string(text) == "livetcp://a.example:5004?split=2&copies=3");
    CHECK(livetcp_config_check(&newer.config, nullptr) == LIVETCP_OK);

    /* Fields unknown to the library stay as the program set them. */
    CHECK(std::string(newer.grown, sizeof newer.grown) == std::string(sizeof newer.grown, '\x5a'));
    CHECK(newer.guard_intact());
}

TEST_CASE("a setting that an older config has no room for cannot be set")
{
    livetcp_config config;
    livetcp_config_init(&config);
    lt_setting newest = *lt_setting_find("timestamps", nullptr);
    CHECK(lt_setting_fits(&newest, &config));
    newest.offset = sizeof config;
    CHECK_FALSE(lt_setting_fits(&newest, &config));
    config.struct_size = newest.offset + newest.size - 1;
    CHECK_FALSE(lt_setting_fits(&newest, &config));
    config.struct_size++;
    CHECK(lt_setting_fits(&newest, &config));
}

TEST_CASE("sizes that no config ever had are refused with words")
{
    livetcp_config config;
    livetcp_error error = {};
    livetcp_config_init(&config);
    for (size_t size : {size_t{0}, size_t{8}, LT_SIZE_THROUGH(livetcp_config, timestamps) - 1,
                        size_t{LT_SIZED_MAX + 1}, SIZE_MAX}) {
        CAPTURE(size);
        config.struct_size = size;
        CHECK(livetcp_config_set(&config, "port", "1", &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(error.message).find("call livetcp_config_init() first") !=
              std::string::npos);
    }
}

/* ---- the mechanism alone ---- */

namespace
{

struct Small {
    size_t struct_size;
    int known;
};

struct Large {
    size_t struct_size;
    int known;
    int added;
    int more;
};

} // namespace

TEST_CASE("reading keeps defaults, ignores what is not known, and sets the library's size")
{
    const Small older = {sizeof older, 1};
    Large library = {0, 0, 20, 30};
    lt_sized_read(&library, sizeof library, &older);
    CHECK(library.struct_size == sizeof library);
    CHECK(library.known == 1);
    CHECK(library.more == 30);

    const Large newer = {sizeof newer, 1, 2, 3};
    Small small = {0, 0};
    lt_sized_read(&small, sizeof small, &newer);
    CHECK(small.struct_size == sizeof small);
    CHECK(small.known == 1);
}

TEST_CASE("writing respects the program's size, and zeroes what the library does not know")
{
    const Small library = {sizeof library, 1};
    Large newer = {sizeof newer, 7, 7, 7};
    lt_sized_fill(&newer, &library, sizeof library);
    CHECK(newer.struct_size == sizeof newer);
    CHECK(newer.known == 1);
    CHECK(newer.more == 0);

    const Large larger = {sizeof larger, 1, 2, 3};
    Large memory = {sizeof(Small), 7, 7, 7};
    lt_sized_fill(&memory, &larger, sizeof larger);
    CHECK(memory.struct_size == sizeof(Small));
    CHECK(memory.known == 1);
    CHECK(memory.more == 7);
}

TEST_CASE("a size is valid when it reaches far enough and some header can have had it")
{
    Small s = {sizeof s, 0};
    CHECK(lt_sized_valid(&s, 0));
    CHECK(lt_sized_valid(&s, sizeof s));
    CHECK_FALSE(lt_sized_valid(&s, sizeof s + 1));
    s.struct_size = sizeof s.struct_size - 1;
    CHECK_FALSE(lt_sized_valid(&s, 0));
    CHECK_FALSE(lt_sized_valid(nullptr, 0));
}
