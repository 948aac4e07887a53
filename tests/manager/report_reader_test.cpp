// Reports of agents, as bytes: a report is read whole or refused with the line and the reason.
#include "codec/manager/report_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/manager/cables.hpp"
#include "codec/manager/tokens.hpp"
#include "codec/uplink_json.hpp"

namespace petrel::codec {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr auto kHead = R"({"report":1,"agent":"leaf3","boot":"0123456789abcdef0123456789abcdef","version":"petrel 1"})";
constexpr auto kEvent =
    R"({"seq":7,"time_us":5,"event":"storm_detected","device":"leaf3","port":"Ethernet0","queue":3})";

std::string refusal(const std::string& line)
{
    const auto report = read_report(fmt::format("{}\n{}\n", kHead, line));
    return report ? "none" : report.error().what;
}

TEST(ReportReader, ReadsEventsStatesAndSamples)
{
    const auto report = read_report(fmt::format(
        "{}\r\n{}\n{}\n{}", kHead, kEvent,
        R"({"devices":[{"device":"leaf3","state":"watching","new":1,"ports":[{"port":"Ethernet0","link":"down",)"
        R"("neighbour":{"device":"gpu","port":"eth2"},"queues":[{"queue":3,"phase":"watching","observed":"none"}]}]}]})",
        R"({"samples":[{"device":"leaf3","port":"Ethernet0","queue":3,"time_us":9,"paused_us":1,"tx_packets":2,"rx_pfc":3}]})"));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->agent, "leaf3");
    EXPECT_EQ(report->version, "petrel 1");
    ASSERT_THAT(report->events, SizeIs(1));
    EXPECT_EQ(report->events[0].text, kEvent);
    EXPECT_EQ(report->events[0].event.seq, 7U);
    const fabric::DeviceState state{"leaf3",
                                    "watching",
                                    {{"Ethernet0",
                                      fabric::PortName{"gpu", "eth2"},
                                      fabric::LinkState::down,
                                      {{Priority{3}, "watching", "", "", "none"}}}}};
    EXPECT_THAT(report->devices, testing::ElementsAre(state));
    EXPECT_THAT(report->samples,
                testing::ElementsAre(fabric::QueueSample{
                    {"leaf3", "Ethernet0"}, Priority{3}, WallTime{std::chrono::microseconds{9}}, 1, 2, 3}));
    EXPECT_EQ(read_device_state(device_state_json(state)).value(), state);
}

TEST(ReportReader, TheFirstLineNamesTheAgentAndItsBoot)
{
    const auto why = [](const char* line) { return read_report(line).error().what; };
    EXPECT_THAT(why(""), HasSubstr("line 1: absent"));
    EXPECT_THAT(why("x"), HasSubstr("line 1: not a JSON object"));
    EXPECT_THAT(why(R"({"report":2,"agent":"a"})"), HasSubstr("line 1: report: 2: allowed 1"));
    EXPECT_THAT(why(R"({"report":1})"), HasSubstr("agent: absent: allowed a name"));
    EXPECT_THAT(why(R"({"report":1,"agent":"a","boot":"12"})"), HasSubstr(R"(boot: "12": allowed 32 hex)"));
    EXPECT_THAT(why("{\"report\":1,\"agent\":\"a\\u0007\"}"), HasSubstr("without control characters"));
    EXPECT_THAT(why(R"({"report":1,"agent":"a","recounts":[1]})"), HasSubstr("recounts: [1]: allowed an object"));
    EXPECT_THAT(why(R"({"report":1,"agent":"a","recounts":{"leaf3":0}})"), HasSubstr("whole numbers from 1"));
    EXPECT_THAT(why(R"({"report":1,"agent":"a","recounts":{"":1}})"), HasSubstr("an object of names"));
}

TEST(ReportReader, ReadsWhereTheMemoryOfAnAgentBeginsAgain)
{
    const auto report = read_report(
        report_head("leaf3", "0123456789abcdef0123456789abcdef", "x", {}, "this", {{"leaf3", 4711}, {"leaf4", 1}}));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_THAT(report->recounts, testing::ElementsAre(testing::Pair("leaf3", 4711), testing::Pair("leaf4", 1)));
}

TEST(ReportReader, ReadsTheStormsThatAnAgentWrites)
{
    const auto line = storms_line({"leaf3", {4711, 2}, {{"Ethernet20", 3}, {"Ethernet24", std::nullopt}}});
    const auto report = read_report(fmt::format("{}\n{}", kHead, line));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_THAT(report->storms, testing::ElementsAre(fabric::OpenStorms{
                                    "leaf3", {2, 4711}, {{"Ethernet20", Priority{3}}, {"Ethernet24", std::nullopt}}}));
}

TEST(ReportReader, RefusesWhatItCannotStore)
{
    for (const auto& [line, why] : {
             std::pair{"", "line 2: not a JSON object in UTF-8"},
             {"\xff", "not a JSON object in UTF-8"},
             {"{\"event\":\"\xc3\x28\",\"device\":\"a\",\"seq\":1}", "not a JSON object in UTF-8"},
             {"[]", "not a JSON object"},
             {"{}", "allowed an event"},
             {"{\"event\":\"x\",\r \"device\":\"a\",\"seq\":1}", "a carriage return inside the line"},
             {R"({"event":"x","seq":1})", "device: absent"},
             {R"({"event":"x","device":"a"})", "seq: absent: allowed a whole number from 1"},
             {R"({"event":"x","device":"a","seq":0})", "seq: 0"},
             {R"({"event":"x","device":"a","seq":-1})", "seq: -1"},
             {R"({"event":"","device":"a","seq":1})", "event: \"\""},
             {R"({"devices":{}})", "devices: {}: allowed a list of objects"},
             {R"({"devices":[1]})", "devices: 1"},
             {R"({"devices":[{"device":"a","ports":[{"port":"p","link":"sideways"}]}]})",
              "allowed up, down or unknown"},
             {R"({"devices":[{"device":"a","ports":[{"port":"p","neighbour":7}]}]})", "neighbour: 7"},
             {R"({"devices":[{"device":"a","ports":[{"port":"p","queues":[{"queue":8}]}]}]})",
              "queue: 8: allowed 0..7"},
             {R"({"samples":[{"device":"a","port":"p","queue":0,"time_us":-1}]})", "time_us: -1"},
             {R"({"storms":[{"device":"a","epoch":0,"seq":-1}]})", "seq: -1"},
             {R"({"storms":[{"device":"a","epoch":0,"seq":1,"open":[{"port":"p","queue":8}]}]})",
              "queue: 8: allowed 0..7"},
             {R"({"samples":[{"device":"a","port":"p","queue":0,"time_us":18446744073709551615}]})", "time_us"},
         }) {
        EXPECT_THAT(refusal(line), HasSubstr(why)) << line;
    }
}

TEST(ReportReader, BoundsBytesAndLines)
{
    EXPECT_EQ(read_report(std::string(kMostReportBytes + 1, ' ')).error().kind, ErrorKind::exhausted);
    std::string lines = kHead;
    for (std::size_t i = 1; i < kMostReportLines; ++i) {
        lines += fmt::format("\n{}", kEvent);
    }
    EXPECT_TRUE(read_report(lines));
    const auto more = read_report(lines + '\n' + kEvent);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().kind, ErrorKind::exhausted);
    EXPECT_EQ(more.error().what, "line 4097: allowed 4096 lines");
}

// Values are shown and copied level by level.
TEST(ReportReader, BoundsTheDepth)
{
    constexpr auto kRefused = "deep: allowed 16";
    for (const auto* key : {"event", "devices", "samples", "storms", "other"}) {
        const std::string deep =
            fmt::format("{{\"{}\":{}{}}}", key, std::string(500'000, '['), std::string(500'000, ']'));
        EXPECT_THAT(refusal(deep), HasSubstr(kRefused)) << key;
        EXPECT_THAT(read_report(deep).error().what, HasSubstr(kRefused)) << key;
        EXPECT_FALSE(read_device_state(deep)) << key;
    }
    const auto nested = [](std::size_t depth) {
        return fmt::format("{{\"event\":\"x\",\"device\":\"a\",\"seq\":1,\"later\":{}{}}}", std::string(depth, '['),
                           std::string(depth, ']'));
    };
    EXPECT_EQ(refusal(nested(15)), "none");
    EXPECT_EQ(refusal(nested(16)), "line 2: nested 17 deep: allowed 16");
}

TEST(Cables, JoinTwoPortsEach)
{
    const auto cables = read_cables("[[cable]]\nends = [\"leaf3:Ethernet20\", \"gpu:eth2\"]\n", "f");
    ASSERT_TRUE(cables);
    EXPECT_THAT(*cables, testing::ElementsAre(
                             std::pair{fabric::PortName{"leaf3", "Ethernet20"}, fabric::PortName{"gpu", "eth2"}}));
}

TEST(Cables, AllProblemsAreNamed)
{
    const auto cables = read_cables("[[cable]]\nends = [\"a:1\", \"b\"]\n[[cable]]\nends = [\"a:1\"]\n[[cable]]\n"
                                    "ends = [\"a:1\", \"c:1\"]\ncolour = 1\n",
                                    "f");
    ASSERT_FALSE(cables);
    EXPECT_THAT(cables.error(), SizeIs(4));
    EXPECT_EQ(cables.error()[0].allowed, "DEVICE:PORT");
    std::vector<std::string> allowed;
    for (const auto& complaint : cables.error()) {
        allowed.push_back(complaint.allowed);
    }
    EXPECT_THAT(allowed, testing::Contains("a port without another cable"));
}

TEST(Tokens, HaveANameARoleAndASecret)
{
    const auto tokens =
        read_tokens("[[token]]\nname = \"leaf3\"\nrole = \"agent\"\ntoken = \"0123456789abcdef\"\n", "f");
    ASSERT_TRUE(tokens);
    EXPECT_EQ(tokens->at(0).role, config::Role::agent);
    for (const auto* text : {"", "[[token]]\n", "[[token]]\nname = \"a\"\nrole = \"x\"\ntoken = \"0123456789abcdef\"\n",
                             "[[token]]\nname = \"a\"\nrole = \"read\"\ntoken = \"short\"\n"}) {
        EXPECT_FALSE(read_tokens(text, "f")) << text;
    }
}

}  // namespace
}  // namespace petrel::codec
