// The link history of a manager, written and read: nothing is lost or duplicated, in any order of the lines.
#include "codec/link_history.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/complaint_text.hpp"
#include "golden.hpp"
#include "link/taxonomy.hpp"

namespace petrel::codec {
namespace {

constexpr std::int64_t kFarthest = 1'000'000'000'000'000'000;

link::DownEvent random_event()
{
    const auto byte = [] { return *rc::gen::arbitrary<std::uint8_t>(); };
    const auto time = [] {
        return WallTime{std::chrono::microseconds{*rc::gen::inRange<std::int64_t>(-kFarthest, kFarthest + 1)}};
    };
    link::DownEvent event;
    event.seq = *rc::gen::inRange<std::uint64_t>(1, 200);
    event.ldr = byte();
    event.nldr = byte();
    event.event_at = time();
    event.observed_at = time();
    if (*rc::gen::arbitrary<bool>()) {
        event.correlated_cause = byte();
    }
    event.suppressed = *rc::gen::arbitrary<std::uint32_t>();
    event.protocol_violation = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) {
        event.raw =
            link::RawCode{static_cast<std::uint8_t>(*rc::gen::inRange<std::size_t>(0, link::vocabularies().size())),
                          *rc::gen::arbitrary<std::uint64_t>()};
    }
    if (*rc::gen::arbitrary<bool>()) {
        event.up_at = time();
    }
    event.acknowledged = *rc::gen::arbitrary<bool>();
    return event;
}

NamedHistories random_histories()
{
    NamedHistories histories;
    for (const auto* name : {"A", "switch 1 \"Ethernet0\"", "x0c0r4j3p1"}) {
        link::PortHistory history{*rc::gen::inRange<std::uint64_t>(0, 20)};
        const auto count = *rc::gen::inRange(0, 100);
        for (int i = 0; i < count; ++i) {
            history.add(random_event());
        }
        if (*rc::gen::arbitrary<bool>()) {
            history.correlate(*rc::gen::inRange<std::uint64_t>(1, 300), *rc::gen::arbitrary<std::uint8_t>());
        }
        histories.emplace(name, history);
    }
    return histories;
}

RC_GTEST_PROP(LinkHistory, IsReadAsItWasWritten, ())
{
    const auto histories = random_histories();
    const auto again = read_link_history(link_history_text(histories), "history");
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == histories);
}

TEST(LinkHistory, LinesMayBeRepeatedAndInAnyOrder)
{
    NamedHistories histories;
    for (std::uint64_t seq = 1; seq <= link::PortHistory::kKept + 6; ++seq) {
        histories["A"].add({seq, 36, 0, {}, {}, {}, 0, false});
        histories["B"].add({seq, 0, static_cast<std::uint8_t>(seq), {}, {}, 33, 1, true});
    }
    histories["B"].correlate(link::PortHistory::kKept + 9, 35);
    std::vector<std::string> lines;
    std::istringstream text{link_history_text(histories)};
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    std::string shuffled = lines.front() + '\n';
    for (auto line = lines.rbegin(); line + 1 != lines.rend(); ++line) {
        shuffled += *line + '\n' + *line + '\n';
    }
    const auto again = read_link_history(shuffled, "history");
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, histories);
}

TEST(LinkHistory, ACauseFindsItsEventInAnyOrder)
{
    const std::string heading = "{\"petrel_link_history\":1}\n";
    const std::string awaited = R"({"port":"B","awaited_seq":2,"correlated_cause":33})"
                                "\n";
    const auto event = [](const char* cause, int suppressed) {
        return fmt::format(R"({{"port":"B","seq":2,"ldr":36,"nldr":0,"event_us":0,"observed_us":0,)"
                           R"("correlated_cause":{},"suppressed":{},"protocol_violation":false}})"
                           "\n",
                           cause, suppressed);
    };
    link::PortHistory expected;
    expected.add({2, 36, 0, {}, {}, 33, 4, false});
    for (const auto& text : {awaited + event("null", 4), event("null", 4) + awaited, event("33", 1) + event("null", 4),
                             event("null", 4) + event("33", 1)}) {
        const auto read = read_link_history(heading + text, "history");
        ASSERT_TRUE(read);
        EXPECT_EQ(read->at("B"), expected) << text;
    }
}

TEST(LinkHistory, ComplaintsNameTheirLine)
{
    const auto complaints = [](std::string_view text) {
        std::string all;
        const auto read = read_link_history(text, "h.jsonl");
        for (const auto& one : read ? std::vector<Complaint>{} : read.error()) {
            all += to_text(one) + '\n';
        }
        return all;
    };
    auto text = complaints("");
    text += complaints("{\"petrel_link_history\":3}\n");
    text += complaints("[]\n");
    text += complaints(R"({"petrel_link_history":1}
{"port":"A","seq":0,"ldr":256,"nldr":-1,"event_us":1.5,"observed_us":18446744073709551615,"suppressed":0}
{"port":7,"forgotten":"x"}
{"seq":1
{"port":"A","seq":1,"ldr":1,"nldr":1,"event_us":0,"observed_us":0,"correlated_cause":"x","suppressed":0,"more":1}
{"port":"A","awaited_seq":-1,"correlated_cause":256,"seq":1}
{"port":"A","port":"B","forgotten":1}
{"port":"A","seq":1,"ldr":1,"nldr":1,"event_us":-1000000000000000001,"observed_us":1000000000000000001,"suppressed":0}
)");
    text += complaints(R"({"petrel_link_history":2}
{"port":"A","seq":1,"ldr":1,"nldr":1,"event_us":0,"observed_us":0,"suppressed":0,"list":"sai.nothing","code":-1}
{"port":"A","seq":1,"ldr":1,"nldr":1,"event_us":0,"observed_us":0,"suppressed":0,"list":7,"code":1,"up_us":"x"}
)");
    petrel::test::expect_golden(petrel::test::golden("codec/link/history_complaints.txt"), text);
}

}  // namespace
}  // namespace petrel::codec
