/* SPDX-License-Identifier: MIT */
/* Reading settings from a folder laid out like /proc/sys, and asking the real host, about which a
 * test can say little but that it answers. tests/io/doctor_command.py knows more. */
#include "host.h"

extern "C" {
#include "lab/doctor/gather.h"
}

#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

struct Folder {
    std::string root;

    Folder()
    {
        char name[] = "/tmp/livetcp-doctor-XXXXXX";
        REQUIRE(mkdtemp(name));
        root = name;
        for (const char *below : {"/net", "/net/ipv4", "/net/core"})
            REQUIRE(mkdir((root + below).c_str(), 0700) == 0);
    }
    ~Folder()
    {
        if (std::system(("rm -r " + root).c_str()) != 0)
            WARN("cannot remove " << root);
    }
    void write(const char *name, const std::string &text) const
    {
        std::ofstream(root + "/net/" + name) << text;
    }
};

TEST_CASE("settings are read from a folder")
{
    Folder folder;
    folder.write("ipv4/tcp_sack", "1\n");
    folder.write("ipv4/tcp_rmem", "4096\t131072\t33554432\n");
    folder.write("ipv4/tcp_congestion_control", "bbr\n");
    folder.write("ipv4/tcp_allowed_congestion_control", "reno bbr\n");
    folder.write("ipv4/tcp_ecn", "");
    folder.write("ipv4/tcp_reordering", "3 or so\n");
    folder.write("core/rmem_max", std::string(4000, '7') + "\n");
    REQUIRE(mkdir((folder.root + "/net/ipv4/tcp_dsack").c_str(), 0700) == 0);

    Host host;
    long long value, three[3];
    lt_sysctls_read(&host.facts, folder.root.c_str());
    CHECK((lt_sysctl_number(&host.facts, LT_SYSCTL_SACK, &value) && value == 1));
    CHECK((lt_sysctl_three(&host.facts, LT_SYSCTL_RMEM, three) && three[2] == 33554432));
    CHECK_FALSE(lt_sysctl_number(&host.facts, LT_SYSCTL_RMEM, &value));
    CHECK(lt_sysctl_lists(&host.facts, LT_SYSCTL_ALLOWED_CC, "bbr"));
    CHECK_FALSE(lt_sysctl_lists(&host.facts, LT_SYSCTL_ALLOWED_CC, "ren"));
    CHECK(host.facts.sysctl[LT_SYSCTL_CC].text == std::string("bbr"));
    CHECK(host.facts.sysctl[LT_SYSCTL_TIMESTAMPS].how == LT_ABSENT);
    CHECK(host.facts.sysctl[LT_SYSCTL_ECN].how == LT_FAILED);
    CHECK(host.facts.sysctl[LT_SYSCTL_DSACK].how == LT_FAILED);
    CHECK_FALSE(lt_sysctl_number(&host.facts, LT_SYSCTL_REORDERING, &value));

    lt_sysctls_read(&host.facts, (folder.root + std::string(600, '/')).c_str());
    CHECK(host.facts.sysctl[LT_SYSCTL_SACK].how == LT_FAILED);
}

TEST_CASE("this host answers")
{
    lt_facts facts;
    livetcp_error error;
    lt_gather_options options = {"/proc/sys", "lo", nullptr};
    REQUIRE(lt_gather(&facts, &options, &error) == LIVETCP_OK);
    utsname name;
    REQUIRE(uname(&name) == 0);
    CHECK(facts.kernel == std::string(name.release));
    CHECK(facts.interface.name == std::string("lo"));
    CHECK(facts.interface.mtu >= 1280);
    CHECK(facts.socket.how == LT_KNOWN);
    CHECK(facts.socket.notsent_lowat);
    CHECK(facts.sysctl[LT_SYSCTL_SACK].how == LT_KNOWN);

    options.interface = "no-such-one";
    REQUIRE(lt_gather(&facts, &options, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("no-such-one") != std::string::npos);
    CHECK(std::string(error.message).find("lo") != std::string::npos);
}
