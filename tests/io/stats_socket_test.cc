/* SPDX-License-Identifier: MIT */
/* The statistics socket of a context: opened where LIVETCP_STATS_DIR says, gone at the end, and
 * nothing that a reader does, or leaves undone, stops the session. */
#include "world.h"

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <sys/un.h>

using namespace world;
namespace fs = std::filesystem;

namespace
{

/* A directory of the test, which the environment names as long as it lives. */
class Directory
{
  public:
    Directory()
    {
        char name[] = "/tmp/livetcp-stats-XXXXXX";
        REQUIRE(mkdtemp(name));
        path = name;
        setenv("LIVETCP_STATS_DIR", name, 1);
    }
    ~Directory()
    {
        unsetenv("LIVETCP_STATS_DIR");
        fs::remove_all(path);
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> found;
        for (auto &entry : fs::directory_iterator(path))
            found.push_back(entry.path());
        return found;
    }
    std::string path;
};

struct Log {
    std::vector<std::string> warnings;

    explicit Log(livetcp_context *context)
    {
        livetcp_context_set_log(
            context, LIVETCP_LOG_WARNING,
            [](livetcp_log_level, const char *category, const char *text, void *user) {
                if (std::string(category) == "statistics")
                    static_cast<Log *>(user)->warnings.push_back(text);
            },
            this);
    }
};

class Reader
{
  public:
    explicit Reader(const std::string &name) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0))
    {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        snprintf(address.sun_path, sizeof address.sun_path, "%s", name.c_str());
        REQUIRE(connect(fd_, (sockaddr *)&address, sizeof address) == 0);
    }
    ~Reader()
    {
        close(fd_);
    }
    bool ask()
    {
        return send(fd_, "\n", 1, MSG_NOSIGNAL) == 1;
    }
    /* What has come so far. */
    const std::string &text()
    {
        char buffer[4096];
        ssize_t n;
        while ((n = recv(fd_, buffer, sizeof buffer, 0)) > 0)
            text_.append(buffer, (size_t)n);
        ended = ended || n == 0;
        return text_;
    }
    bool has_line()
    {
        return text().find('\n') != std::string::npos;
    }
    bool ended = false;

  private:
    int fd_;
    std::string text_;
};

} // namespace

TEST_CASE("each context has one socket for its user alone, until it ends")
{
    Directory directory;
    {
        Context context, other;
        CHECK(directory.names().empty());
        Server server(context);
        Caller caller(other, server.port);
        REQUIRE(until({&context, &other}, [&] { return server.sessions() > 0; }));
        auto names = directory.names();
        REQUIRE(names.size() == 2);
        for (auto &name : names) {
            struct stat status;
            REQUIRE(stat(name.c_str(), &status) == 0);
            CHECK((status.st_mode & 07777) == 0600);
            Reader reader(name);
            REQUIRE(reader.ask());
            REQUIRE(until({&context, &other}, [&] { return reader.has_line(); }));
            CHECK(reader.text().find("\"schema\":\"livetcp/stats/1\"") != std::string::npos);
            CHECK(reader.text().find("\"sent\":{") != std::string::npos);
        }
    }
    CHECK(directory.names().empty());
}

TEST_CASE("a reader that asks and never reads costs one answer, and is let go")
{
    Directory directory;
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() > 0; }));
    Reader deaf(directory.names().at(0));
    bool asks = true;
    /* until it is let go, which closes its socket */
    REQUIRE(until(context, [&] {
        asks = deaf.ask();
        return !asks && errno == EPIPE;
    }));
    REQUIRE(livetcp_session_send(caller.session, rtp(1).data(), 200) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 1; }));
    Reader next(directory.names().at(0));
    REQUIRE(next.ask());
    REQUIRE(until(context, [&] { return next.has_line(); }));
}

TEST_CASE("readers beyond the bound hear that there are too many")
{
    Directory directory;
    Context context;
    Server server(context);
    std::vector<std::unique_ptr<Reader>> readers;
    for (int i = 0; i < 8; i++)
        readers.emplace_back(new Reader(directory.names().at(0)));
    Reader last(directory.names().at(0));
    REQUIRE(until(context, [&] { return last.has_line(); }));
    CHECK(last.text().find("too many readers") != std::string::npos);
    readers.pop_back();
    REQUIRE(until(context, [&] {
        Reader again(directory.names().at(0));
        again.ask();
        until(context, [&] { return again.has_line() || again.ended; });
        return again.text().find("\"sessions\"") != std::string::npos;
    }));
}

TEST_CASE("a directory that is none is one warning, and the session goes on")
{
    setenv("LIVETCP_STATS_DIR", "/nowhere/at/all", 1);
    Context context;
    Log log(context.context);
    Server server(context);
    Caller caller(context, server.port), second(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() > 0; }));
    unsetenv("LIVETCP_STATS_DIR");
    REQUIRE(log.warnings.size() == 1);
    CHECK(log.warnings[0].find("LIVETCP_STATS_DIR=/nowhere/at/all: no such file or directory") !=
          std::string::npos);
    REQUIRE(livetcp_session_send(caller.session, rtp(1).data(), 200) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 1; }));
}

TEST_CASE("names that an earlier process left are not taken and not removed")
{
    Directory directory;
    std::string left = directory.path + "/" + std::to_string(getpid()) + "-1.sock";
    {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        snprintf(address.sun_path, sizeof address.sun_path, "%s", left.c_str());
        REQUIRE(bind(fd, (sockaddr *)&address, sizeof address) == 0);
        close(fd);
    }
    {
        Context context;
        Server server(context);
        CHECK(directory.names().size() == 2);
    }
    CHECK(directory.names() == std::vector<std::string>{left});
}

TEST_CASE("the statistics of a session as text")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() > 0; }));
    char text[65536], small[16] = "unchanged";
    size_t length = livetcp_session_stats_json(caller.session, text, sizeof text);
    REQUIRE(length > 1000);
    CHECK(strlen(text) == length);
    CHECK(text[0] == '{');
    CHECK(strchr(text, '\n') == nullptr);
    CHECK(livetcp_session_stats_json(caller.session, small, sizeof small) > sizeof small);
    CHECK(std::string(small) == "");
    CHECK(livetcp_session_stats_json(nullptr, text, sizeof text) == 0);
}
