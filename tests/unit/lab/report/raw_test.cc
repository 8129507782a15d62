/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/report/raw.h"
}

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const std::string header =
    "scheme,direction,flow,index,measured,near_stall,due_us,sent_us,arrival_us,delay_us\n";

/* The document of a text, or NULL and its error. */
struct Read {
    livetcp_error error = {};
    json_t *document;

    explicit Read(std::string text)
    {
        FILE *in = fmemopen(&text[0], text.size(), "r");
        REQUIRE(in);
        document = lt_raw_read(in, "some.csv", &error);
        fclose(in);
    }
    ~Read()
    {
        json_decref(document);
    }
    json_t *scheme(size_t i) const
    {
        return json_array_get(json_object_get(document, "schemes"), i);
    }
    bool mentions(const char *what) const
    {
        return std::string(error.message).find(what) != std::string::npos;
    }
};

static long long whole(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

TEST_CASE("packets become distributions, scheme by scheme")
{
    Read read(header + "single,forward,0,0,0,0,0,1,60001,60000\n" /* warm-up */
                       "single,forward,0,1,1,0,0,1,50001,50000\n"
                       "single,forward,0,2,1,0,0,1,70001,70000\n"
                       "\"a \"\"b\"\", c\",backward,0,1,1,0,0,1,2,1\r\n"
                       "single,forward,0,3,1,0,0,1,,\n"             /* lost */
                       "single,forward,0,4,1,1,0,1,900001,900000\n" /* near a stall */
                       "single,forward,0,5,1,0,0,,,\n"              /* never sent */
                       "single,forward,0,6,1,0,0,1,50001,50000\n");
    REQUIRE(read.document);
    json_t *single = read.scheme(0), *other = read.scheme(1);
    CHECK(json_string_value(json_object_get(single, "scheme")) == std::string("single"));
    CHECK(whole(single, "sent") == 4);
    CHECK(whole(single, "lost") == 1);
    CHECK(whole(single, "near_stall") == 1);
    json_t *points = json_object_get(single, "ccdf");
    REQUIRE(json_array_size(points) == 2);
    CHECK(json_real_value(json_array_get(json_array_get(points, 0), 0)) == 50);
    CHECK(json_real_value(json_array_get(json_array_get(points, 0), 1)) == 0.5);
    CHECK(json_real_value(json_array_get(json_array_get(points, 1), 0)) == 70);
    CHECK(json_real_value(json_array_get(json_array_get(points, 1), 1)) == 0.25);
    CHECK(json_string_value(json_object_get(other, "scheme")) == std::string("a \"b\", c"));
    CHECK(json_string_value(json_object_get(other, "direction")) == std::string("backward"));
}

/* What the curve says at a delay: the share of the last point that is not beyond it. */
static double share_at(json_t *points, double ms)
{
    double share = 1;
    for (size_t i = 0; i < json_array_size(points); i++)
        if (json_real_value(json_array_get(json_array_get(points, i), 0)) <= ms)
            share = json_real_value(json_array_get(json_array_get(points, i), 1));
    return share;
}

TEST_CASE("a million packets are a few hundred points, which say the same")
{
    const size_t count = 1000000;
    std::vector<double> delays(count);
    for (size_t i = 0; i < count; i++) /* exponentially distributed */
        delays[i] = -std::log(1 - (i + 0.5) / count) * 10000;
    json_t *points = lt_raw_ccdf(delays.data(), count, count);
    REQUIRE(points);
    CHECK(json_array_size(points) > 100);
    CHECK(json_array_size(points) < 1000);
    for (double ms : {0.1, 1.0, 10.0, 30.0, 60.0, 90.0, 120.0}) {
        INFO(ms);
        CHECK(share_at(points, ms) == Approx(std::exp(-ms / 10)).epsilon(0.03));
    }
    json_decref(points);
}

TEST_CASE("what is no file of packets says so, with the line")
{
    struct {
        std::string text;
        const char *error;
    } bad[] = {
        {"hello\n", "some.csv: neither JSON of livetcp nor the packets"},
        {"scheme,transport,policy\n", "neither JSON"},
        {header, "there are no measured packets"},
        {header + "single,forward,0,1,1,0,0,1,2\n", "some.csv:2: not a packet"},
        {header + "single,forward,0,1,1,0,0,1,2,3,4\n", "some.csv:2: not a packet"},
        {header + "single,forward,0,1,1,0,0,1,2,abc\n", "some.csv:2: its delay"},
        {header + "single,forward,0,1,1,0,0,1,2,-3\n", "some.csv:2: its delay"},
        {header + "single,forward,0,1,1,0,0,1,2,nan\n", "some.csv:2: its delay"},
        {header + std::string(300, 'x') + ",forward,0,1,1,0,0,1,2,3\n", "too long a name"},
        {header + "\xff,forward,0,1,1,0,0,1,2,3\n", "UTF-8"},
        {header + "single,forward,0,1,1,0,0,1,2,3\n" + std::string(5000, 'x'), "some.csv:3"},
    };
    for (const auto &one : bad) {
        Read read(one.text);
        INFO(one.error << " / " << read.error.message);
        CHECK(!read.document);
        CHECK(read.mentions(one.error));
    }
    std::string many = header;
    for (int i = 0; i < 70; i++)
        many += "s" + std::to_string(i) + ",forward,0,1,1,0,0,1,2,3\n";
    CHECK(Read(many).mentions("some.csv:66: too many schemes"));
}
