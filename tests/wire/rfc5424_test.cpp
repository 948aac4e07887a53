// The log of a switch that a node paused for too long, line by line (golden/wire/pause_too_long.log); RFC 5424 in
// general; xnames.
#include "wire/rfc5424.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "support/golden.hpp"
#include "wire/log_frames.hpp"
#include "wire/pause_log.hpp"
#include "wire/xname.hpp"

namespace petrel::wire {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> sample()
{
    std::vector<std::string> lines;
    std::istringstream text{test::content(test::golden("wire/pause_too_long.log"))};
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

WallTime sample_time(std::chrono::microseconds after_12_57)
{
    using namespace std::chrono;
    return WallTime{sys_days{2019y / February / 14} + 12h + 57min + after_12_57};
}

struct Written {
    PauseMessage message;
    LogOrigin origin;
};

std::vector<Written> sample_messages()
{
    const std::string port = "x0c0r4j3p1";
    const auto origin = [](std::chrono::microseconds at) { return LogOrigin{sample_time(at), "x0c0r4b0", 3960}; };
    return {
        {PauseDetected{9943791452us, "rossw rossw0", 19, 0}, origin(32927818us)},
        {PauseReport{PauseStep::asserted, 19, port, {}}, origin(32929731us)},
        {PauseReport{PauseStep::entered_error, 19, port, "ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG"},
         origin(32930043us)},
        {PauseReport{PauseStep::stopped, 19, port, {}}, origin(33120815us)},
        {PauseReport{PauseStep::left_error, 19, port, {}}, origin(33121175us)},
    };
}

TEST(PauseLog, TheFiveLinesAreWrittenExactly)
{
    std::string text;
    for (const auto& [message, origin] : sample_messages()) {
        text += build(pause_line(message, origin)) + '\n';
    }
    test::expect_golden(test::golden("wire/pause_too_long.log"), text);
}

TEST(PauseLog, TheFiveLinesAreReadExactly)
{
    const auto lines = sample();
    const auto messages = sample_messages();
    ASSERT_EQ(lines.size(), messages.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto line = parse_log_line(lines[i]);
        ASSERT_TRUE(line) << line.error().what;
        EXPECT_EQ(line->at, messages[i].origin.at);
        EXPECT_EQ(line->host, "x0c0r4b0");
        EXPECT_EQ(pause_message(*line), messages[i].message);
        EXPECT_EQ(build(*line), lines[i]);
    }
}

TEST(PauseLog, S02Priorities)
{
    const auto lines = sample();
    const auto severity = [&](std::size_t i) {
        const auto line = parse_log_line(lines.at(i));
        return std::pair{int{line->facility}, int{line->severity}};
    };
    EXPECT_EQ(severity(0), std::pair(int{kKernel}, int{kSeverityError}));
    EXPECT_EQ(severity(1), std::pair(int{kUser}, int{kSeverityError}));
    EXPECT_EQ(severity(3), std::pair(int{kUser}, int{kSeverityInfo}));
}

TEST(PauseLog, S03TheAgentsLine)
{
    const auto line = parse_log_line(sample().at(1));
    ASSERT_TRUE(line);
    EXPECT_EQ(line->application, "fabric_routing");
    EXPECT_EQ(line->process, "3960");
    EXPECT_EQ(line->message_id, "");
    EXPECT_EQ(line->structured_data, "");
    EXPECT_TRUE(line->message.starts_with(" Error: Node")) << "the blank is part of the message";
}

TEST(PauseLog, S04TheKernelsLine)
{
    const auto line = parse_log_line(sample().at(0));
    ASSERT_TRUE(line);
    EXPECT_EQ(line->application, "kernel");
    EXPECT_EQ(line->process, "");
    const auto message = pause_message(*line);
    ASSERT_TRUE(message);
    EXPECT_EQ(std::get<PauseDetected>(*message), (PauseDetected{9943791452us, "rossw rossw0", 19, 0}));
    auto bits = *line;
    bits.message.replace(bits.message.rfind("0x0"), 3, "0x1f");
    EXPECT_EQ(std::get<PauseDetected>(*pause_message(bits)).channel_timeouts, 0x1fU);
}

TEST(PauseLog, S05HowLongItTook)
{
    std::vector<WallTime> at;
    for (const auto& line : sample()) {
        at.push_back(*parse_log_line(line)->at);
    }
    EXPECT_EQ(at.at(2) - at.at(0), 2225us);
    EXPECT_EQ(at.at(3) - at.at(0), 192997us);
    EXPECT_EQ(at.at(4) - at.at(0), 193357us);
}

TEST(PauseLog, TheHostIsASwitch)
{
    for (const auto& text : sample()) {
        auto line = *parse_log_line(text);
        ASSERT_TRUE(pause_message(line));
        for (const auto* host : {"", "node17", "x0c0r4", "x0c0r4j3p1", "x0c8r4b0"}) {
            line.host = host;
            EXPECT_EQ(pause_message(line), std::nullopt) << host;
        }
    }
}

TEST(PauseLog, OtherLinesAreOthers)
{
    auto line = *parse_log_line(sample().at(2));
    for (const auto* words :
         {"", " Port", " Port 19", " Port x (port name: x0c0r4j3p1) is no longer in an error state",
          " Port 19 (port name: eth0) is no longer in an error state",
          " Port 19 (port name: x0c0r4j3) is no longer in an error state",
          " Port 19 (port name: x0c0r4j3p3) is no longer in an error state",
          " Port 19 (port name: x0c0r4j3p1) is no longer in an error state.",
          " Port 19 (port name: x0c0r4j3p1) has moved to an error state. Reason: ",
          " Error: Node connected to port 19 (port name: x0c0r4j3p1) has stopped asserting pause for too long."}) {
        line.message = words;
        EXPECT_EQ(pause_message(line), std::nullopt) << words;
    }
    line.message = " Port 19 (port name: x0c0r4j3p1) has moved to an error state. Reason: ERROR_STATE_OF_TOMORROW";
    EXPECT_EQ(std::get<PauseReport>(*pause_message(line)).reason, "ERROR_STATE_OF_TOMORROW");
    line.application = "sshd";
    EXPECT_EQ(pause_message(line), std::nullopt);

    auto kernel = *parse_log_line(sample().at(0));
    for (const auto* words : {"", "[", "[ 9943.79145] rossw rossw0: pm 19: pause too long detected, chan timeouts 0x0",
                              "[ 9943.791452] rossw rossw0: pm 19: pause too long detected, chan timeouts 0x",
                              "[ 9943.791452] rossw rossw0: pm 19: pause too long detected, chan timeouts 0x0 "}) {
        kernel.message = words;
        EXPECT_EQ(pause_message(kernel), std::nullopt) << words;
    }
}

TEST(Rfc5424, TimesOfAnyOffset)
{
    const auto at = [](const std::string& time) { return parse_log_line("<0>1 " + time + " - - - - -")->at; };
    const auto noon = sample_time(0us) - 57min;
    EXPECT_EQ(at("2019-02-14T12:00:00Z"), noon);
    EXPECT_EQ(at("2019-02-14T13:30:00+01:30"), noon);
    EXPECT_EQ(at("2019-02-14T07:00:00.5-05:00"), noon + 500ms);
    EXPECT_EQ(at("-"), std::nullopt);
}

TEST(TimeFromText, AcceptsWhatPeopleAndToolsWrite)
{
    const WallTime at{std::chrono::sys_days{std::chrono::year{2026} / 3 / 9} + 7h + 5min + 1s};
    EXPECT_EQ(time_from_text("2026-03-09T07:05:01Z"), at);
    EXPECT_EQ(time_from_text("2026-03-09 07:05:01"), at);
    EXPECT_EQ(time_from_text("2026-03-09T08:05:01+01:00"), at);
    EXPECT_EQ(time_from_text("2026-03-09T05:35:01-0130"), at);
    EXPECT_EQ(time_from_text("2026-03-09T07:05:01.123456789Z"), at + std::chrono::microseconds{123'456});
    EXPECT_EQ(time_from_text(utc_text(at + 7us)), at + 7us);
    EXPECT_EQ(time_from_text("2026-03-09"), WallTime{std::chrono::sys_days{std::chrono::year{2026} / 3 / 9}});
    for (const auto* text : {"", "soon", "2026-13-09", "2026-03-09T", "2026-03-09T25:00:00", "2026-03-09T07:05:01.Z",
                             "2026-03-09T07:05:01Zulu", "07:05:01", "1773039901"}) {
        EXPECT_EQ(time_from_text(text), std::nullopt) << text;
    }
}

TEST(Rfc5424, StructuredDataIsKept)
{
    const auto line = parse_log_line(R"(<165>1 - host app - ID47 [a@1 k="v \"]\" \\"][b@1 x="]"] [no data])");
    ASSERT_TRUE(line) << line.error().what;
    EXPECT_EQ(line->facility, 20);
    EXPECT_EQ(line->message_id, "ID47");
    EXPECT_EQ(line->structured_data, R"([a@1 k="v \"]\" \\"][b@1 x="]"])");
    EXPECT_EQ(line->message, "[no data]");
}

TEST(Rfc5424, RefusesBadLinesWithAReason)
{
    std::string all;
    for (const auto* text : {"",
                             "<",
                             "<x>1 - - - - - -",
                             "<192>1 - - - - - -",
                             "<01>1 - - - - - -",
                             "<1>2 - - - - - -",
                             "<1>1",
                             "<1>1 2019-02-30T12:00:00Z - - - - -",
                             "<1>1 2019-02-14T24:00:00Z - - - - -",
                             "<1>1 2019-02-14T12:00:60Z - - - - -",
                             "<1>1 0000-01-01T00:00:00+00:01 - - - - -",
                             "<1>1 9999-12-31T23:59:00-00:01 - - - - -",
                             "<1>1 2019-02-14T12:00:00.1234567Z - - - - -",
                             "<1>1 2019-02-14T12:00:00 - - - - -",
                             "<1>1 - - - -",
                             "<1>1 -  - - - -",
                             "<1>1 - h\xc3\xa9 - - - -",
                             "<1>1 - - - - - [a",
                             "<1>1 - - - - - x",
                             "<1>1 - - - - - -x",
                             R"(<1>1 - - - - - [a b="\)"}) {
        const auto line = parse_log_line(text);
        all += line ? fmt::format("read: {}\n", text) : fmt::format("{}: {}\n", text, line.error().what);
    }
    test::expect_golden(test::golden("wire/refused_log_lines.txt"), all);
}

RC_GTEST_PROP(Rfc5424, LinesSurviveTheRoundTrip, ())
{
    const auto word = [](std::size_t most) {
        auto text = *rc::gen::container<std::string>(rc::gen::inRange('!', '~'));
        text.resize(std::min(text.size(), most));
        return text == "-" ? std::string{} : text;
    };
    LogLine line;
    line.facility = *rc::gen::inRange<std::uint8_t>(0, 24);
    line.severity = *rc::gen::inRange<std::uint8_t>(0, 8);
    if (*rc::gen::arbitrary<bool>()) {
        line.at = WallTime{std::chrono::microseconds{
            // the years 0001 to 9999
            *rc::gen::inRange<std::int64_t>(-62'135'596'800'000'000, 253'402'300'799'999'999)}};
    }
    line.host = word(255);
    line.application = word(48);
    line.process = word(128);
    line.message_id = word(32);
    line.message = *rc::gen::container<std::string>(rc::gen::inRange(' ', '~'));
    const auto again = parse_log_line(build(line));
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == line);
}

TEST(LogFrames, LinesEndOrAreCountedInAnyPieces)
{
    const std::string bytes = "<11>1 a\r\n7 <11>1 b<11>1 c\n\n0 12 with a\nfeed\n9x\n";
    const std::vector<std::string> lines{"<11>1 a", "<11>1 b", "<11>1 c", "with a\nfeed", "9x"};
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
        LogFrames frames;
        std::vector<std::string> found;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            for (auto& line : frames.feed(std::string_view{bytes}.substr(at, step))) {
                found.push_back(std::move(line));
            }
        }
        EXPECT_EQ(found, lines) << "in pieces of " << step;
        EXPECT_EQ(frames.waiting(), 0U);
    }
}

TEST(LogFrames, ALineThatIsTooLongIsSkippedAndTheNextIsRead)
{
    LogFrames frames;
    EXPECT_TRUE(frames.feed("99999 ").empty());
    EXPECT_TRUE(frames.feed(std::string(99'998, 'x')).empty());
    EXPECT_LT(frames.waiting(), kLongestLogLine);
    EXPECT_EQ(frames.feed("xnext\n"), std::vector<std::string>{"next"});
    for (int piece = 0; piece < 10; ++piece) {
        EXPECT_TRUE(frames.feed(std::string(5'000, 'x')).empty());
        EXPECT_LE(frames.waiting(), kLongestLogLine);
    }
    EXPECT_EQ(frames.feed("x\nnext\n"), std::vector<std::string>{"next"});
    EXPECT_EQ(frames.skipped(), 2U);
}

TEST(Xname, KindsAndNormalForm)
{
    const auto kind = [](std::string_view text) { return parse_xname(text)->kind; };
    EXPECT_EQ(kind("x0c0r4"), XnameKind::switch_module);
    EXPECT_EQ(kind("x0c0r4b0"), XnameKind::switch_controller);
    EXPECT_EQ(kind("x0c0r4j3"), XnameKind::jack);
    EXPECT_EQ(kind("x0c0r4j3p1"), XnameKind::jack_port);
    EXPECT_EQ(kind("x9999c7r40a3"), XnameKind::asic);
    EXPECT_EQ(kind("x1c2r3a0l29"), XnameKind::asic_link);
    EXPECT_EQ(to_string(*parse_xname(" X0001C00R04J3P1\n")), "x1c0r4j3p1");
    EXPECT_EQ(parse_xname("x1c0r4j3p1")->numbers, (std::vector<std::uint32_t>{1, 0, 4, 3, 1}));
}

TEST(Xname, RefusesTheRest)
{
    for (const auto* text :
         {"", " ", "x", "x0", "x0c0", "x10000c0r4", "x0c8r4", "x0c0r4j0", "x0c0r4j3p3", "x0c0r4a4", "x0c0r4b0p1",
          "x0c0r4j3p1q1", "c0x0r4", "x-1c0r4", "x0c0r", "x0c0r4 j3", "x0c0r4294967296"}) {
        EXPECT_FALSE(parse_xname(text)) << text;
    }
}

}  // namespace
}  // namespace petrel::wire
