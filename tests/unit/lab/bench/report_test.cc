/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <jansson.h>
#include <map>
#include <sstream>
#include <vector>

/* One line of RFC 4180, which is all the bench writes: no line breaks in fields. */
static std::vector<std::string> split_csv(const std::string &line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); i++) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[i++];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += line[i];
    }
    return fields;
}

static std::vector<std::map<std::string, std::string>> parse_csv(const std::string &text)
{
    std::vector<std::map<std::string, std::string>> rows;
    std::istringstream in(text);
    std::string line;
    REQUIRE(std::getline(in, line));
    auto names = split_csv(line);
    while (std::getline(in, line)) {
        auto fields = split_csv(line);
        REQUIRE(fields.size() == names.size());
        rows.emplace_back();
        for (size_t i = 0; i < names.size(); i++)
            REQUIRE(rows.back().emplace(names[i], fields[i]).second);
    }
    return rows;
}

static void fill_usual(FakeRun &run)
{
    run.fill(0, 0, [](uint32_t i) { return 50000 + (livetcp_usec)i; });
    run.fill(1, 0, [](uint32_t i) { return i % 5 ? 50100 : LT_DELAY_NEVER; });
    run.make();
}

TEST_CASE("CSV reads back")
{
    FakeRun run;
    fill_usual(run);
    auto rows = parse_csv(written([&](FILE *out) { lt_report_csv(&run.outcomes, out); }));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["scheme"] == "single");
    CHECK(rows[1]["scheme"] == "a \"quoted\", label");
    CHECK(rows[0]["path_forward"] == "delay=50ms,loss=1%");
    CHECK(rows[0]["direction"] == "forward");
    CHECK(rows[0]["sent"] == "1000");
    CHECK(std::stod(rows[0]["p50_ms"]) == Approx(50.509));
    CHECK(std::stod(rows[0]["max_ms"]) == Approx(51.009));
    CHECK(rows[1]["lost"] == "200");
    CHECK(std::stod(rows[1]["p50_ms"]) == Approx(50.1));
    CHECK(rows[1]["p90_ms"] == "inf");
    CHECK(std::stod(rows[1]["within_200ms"]) == Approx(0.8));
    CHECK(std::stod(rows[0]["propagation_ms"]) == 50);
    CHECK(std::stod(rows[0]["excess_p50_ms"]) == Approx(0.509));
    CHECK(rows[1]["excess_p95_ms"] == "inf");
    CHECK(std::stod(rows[0]["wire_bytes_per_media_byte"]) == Approx(1.1));
    run.options->load.web = 1;
    run.make();
    rows = parse_csv(written([&](FILE *out) { lt_report_csv(&run.outcomes, out); }));
    CHECK(rows[0]["wire_bytes_per_media_byte"].empty());
}

TEST_CASE("playout delays have columns of their own, in every report")
{
    FakeRun run;
    livetcp_error error = {};
    fill_usual(run);
    CHECK(written([&](FILE *out) { lt_report_csv(&run.outcomes, out); }).find("playout") ==
          std::string::npos);
    REQUIRE(lt_playout_parse(&run.options->playout, "0.5,static", "g729a", 100000, 20000, &error) ==
            LIVETCP_OK);
    run.make();
    auto rows = parse_csv(written([&](FILE *out) { lt_report_csv(&run.outcomes, out); }));
    CHECK(std::stod(rows[0]["playout_0.5_ms"]) == Approx(50.5));
    CHECK(std::stod(rows[0]["playout_0.5_late"]) == Approx(0.509));
    CHECK(std::stod(rows[0]["playout_static_ms"]) == Approx(210));
    CHECK(std::stod(rows[0]["playout_static_late"]) == 0);
    CHECK(std::stod(rows[1]["playout_static_late"]) == Approx(0.2));
    CHECK(std::stod(rows[1]["playout_static_burst_ratio"]) == Approx(0.8));
    CHECK(std::stod(rows[1]["playout_static_mos"]) < std::stod(rows[0]["playout_static_mos"]));

    std::string text = written(
        [&](FILE *out) { CHECK(lt_report_json(&run.outcomes, out, nullptr) == LIVETCP_OK); });
    json_t *root = json_loads(text.c_str(), 0, nullptr);
    REQUIRE(root);
    const json_t *second = json_array_get(json_object_get(root, "results"), 1);
    const json_t *point = json_array_get(json_object_get(second, "playout"), 1);
    CHECK(std::string(json_string_value(json_object_get(point, "playout"))) == "static");
    CHECK(json_real_value(json_object_get(point, "over_ms")) == Approx(160));
    CHECK(json_integer_value(json_object_get(point, "late")) == 200);
    CHECK(json_real_value(json_object_get(point, "most_mos")) ==
          Approx(run.outcomes.outcomes[0].playout[1].mos));
    CHECK(json_integer_value(json_object_get(point, "primary")) == 800);
    CHECK(json_integer_value(json_object_get(point, "secondary")) == 0);
    CHECK(json_real_value(json_object_get(point, "saved_ratio")) == 0);
    CHECK(std::stod(rows[1]["playout_static_saved"]) == 0);
    CHECK(rows[0]["playout_static_saved"].empty());
    json_decref(root);

    text = written([&](FILE *out) { lt_report_table(&run.outcomes, out); });
    CHECK(text.find("playout delay, ms") != std::string::npos);
    CHECK(text.find("20.000") != std::string::npos);
    CHECK(text.find("g729a") != std::string::npos);
}

TEST_CASE("raw CSV has a line for every packet, and gaps for lost ones")
{
    FakeRun run;
    fill_usual(run);
    auto rows = parse_csv(written([&](FILE *out) { lt_report_raw(&run.outcomes, out); }));
    REQUIRE(rows.size() == 2 * 1010);
    CHECK(rows[3]["measured"] == "0");
    CHECK(rows[10]["measured"] == "1");
    CHECK(rows[10]["delay_us"] == "50010");
    CHECK(std::stoll(rows[10]["arrival_us"]) - std::stoll(rows[10]["sent_us"]) == 50010);
    CHECK(rows[1010 + 15]["index"] == "15");
    CHECK(rows[1010 + 15]["arrival_us"].empty());
    CHECK(rows[1010 + 15]["delay_us"].empty());
}

TEST_CASE("JSON reads back")
{
    FakeRun run;
    lt_stall_note(&run.log->stalls, 2000000, 2083000);
    fill_usual(run);
    std::string text = written(
        [&](FILE *out) { CHECK(lt_report_json(&run.outcomes, out, nullptr) == LIVETCP_OK); });
    json_error_t why;
    json_t *root = json_loads(text.c_str(), 0, &why);
    INFO(why.text);
    REQUIRE(root);
    CHECK(std::string(json_string_value(json_object_get(root, "schema"))) == "livetcp/bench/1");
    const json_t *results = json_object_get(root, "results");
    REQUIRE(json_array_size(results) == 2);
    const json_t *second = json_array_get(results, 1);
    CHECK(std::string(json_string_value(json_object_get(second, "scheme"))) ==
          "a \"quoted\", label");
    const json_t *all = json_object_get(second, "all");
    CHECK(json_integer_value(json_object_get(all, "lost")) == 200);
    CHECK(json_real_value(json_object_get(all, "p50_ms")) == Approx(50.1));
    CHECK(json_is_null(json_object_get(all, "p99_ms")));
    CHECK(json_real_value(json_object_get(second, "excess_p50_ms")) == Approx(0.1));
    CHECK(json_is_null(json_object_get(second, "excess_p95_ms")));
    const json_t *stall = json_array_get(json_object_get(root, "stalls"), 0);
    CHECK(json_real_value(json_object_get(stall, "at_s")) == Approx(1));
    CHECK(json_real_value(json_object_get(stall, "length_ms")) == Approx(83));
    const json_t *parameters = json_object_get(root, "parameters");
    CHECK(json_integer_value(json_object_get(parameters, "size")) == 1448);
    json_decref(root);
}

TEST_CASE("the table names schemes, losses and stalls")
{
    FakeRun run;
    lt_stall_note(&run.log->stalls, 13400000, 13483000);
    fill_usual(run);
    std::string text = written([&](FILE *out) { lt_report_table(&run.outcomes, out); });
    INFO(text);
    CHECK(text.find("single") != std::string::npos);
    CHECK(text.find("never") != std::string::npos);
    CHECK(text.find("stalled 83 ms at 12.4 s") != std::string::npos);
    CHECK(text.find("excess over propagation") != std::string::npos);
    CHECK(text.find("infinitely late") != std::string::npos);
}

TEST_CASE("a report that cannot be written is an error that names the file")
{
    FakeRun run;
    fill_usual(run);
    livetcp_error error = {};
    CHECK(lt_report_write(&run.outcomes, "/nonexistent/report.json", lt_report_json, &error) ==
          LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message).find("/nonexistent/report.json") != std::string::npos);
    CHECK(lt_report_write(&run.outcomes, "/dev/full", lt_report_json, &error) ==
          LIVETCP_ERR_SYSTEM);
}
