// The event line has a stable schema: compared with a golden text.
#include "codec/event_json.hpp"

#include "codec/event_reader.hpp"
#include "golden.hpp"
#include "two_ports.hpp"

namespace petrel::codec {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using watchdog::Field;

watchdog::Watchlist watchlist()
{
    watchdog::Watchlist list;
    list.inventory = two_ports();
    list.policies.emplace_back().name = "tor";
    return list;
}

watchdog::Event storm()
{
    watchdog::Event event;
    event.seq = 7;
    event.at = instant_from_us(400'123) + std::chrono::nanoseconds{999};
    event.kind = watchdog::EventKind::storm_detected;
    event.reason = watchdog::Reason::proven;
    event.target = two_ports().rows[4].target;
    event.action = watchdog::Treatment::drop;
    event.evidence.rule.criterion = watchdog::Criterion::continuous;
    event.evidence.rule.source = watchdog::Source::duration;
    event.evidence.proven = microseconds{400'100} + std::chrono::nanoseconds{1};
    event.evidence.limit = milliseconds{400} + std::chrono::nanoseconds{1};
    event.evidence.looks = 2;
    auto& first = event.evidence.last[0];
    first.dt_us = 100'000;
    first.pause = watchdog::kPausedNow | watchdog::kTrailing;
    first.known = bit(Field::pause_us) | bit(Field::occupancy) | bit(Field::pause_state) | bit(Field::paused_now);
    first.value[static_cast<std::size_t>(Field::pause_us)] = 99'000;
    first.value[static_cast<std::size_t>(Field::occupancy)] = 4'096;
    auto& second = event.evidence.last[1];
    second.dt_us = 100'001;
    second.pause = 0xff;
    return event;
}

TEST(EventJson, Golden)
{
    const auto list = watchlist();
    auto text = event_json(storm(), list, "sw1") + '\n';

    watchdog::Event order;
    order.seq = 8;
    order.cause = 7;
    order.kind = watchdog::EventKind::order_taken;
    order.reason = watchdog::Reason::operator_;
    order.target = two_ports().rows[0].target;
    order.policy = watchdog::kUnwatched;
    order.by = "alice \"al\" \xff\n";
    text += event_json(order, list, "sw1") + '\n';

    golden::expect_same(golden::folder("event") / "events.txt", text);
}

TEST(EventJson, TheReasonOfALinkIsReadAsItWasWritten)
{
    auto event = storm();
    event.kind = watchdog::EventKind::link_down;
    for (const auto& link :
         {watchdog::LinkReason{3, 36, std::nullopt, 0x103, "sai.port_error", 0x800}, {1, 0, 35, 35, {}, {}}}) {
        event.link = link;
        const auto line = event_json(event, watchlist(), "sw1");
        const auto read = read_event(line);
        ASSERT_TRUE(read && read->known) << line;
        EXPECT_EQ(read->known->link, link) << line;
    }
    EXPECT_EQ(read_event(R"({"event":"link_down","reason":"device","link":{"number":1,"ldr":256}})")->known->link,
              std::nullopt)
        << "no reason at all, not a wrong one";
}

TEST(EventJson, IsOneLine)
{
    auto event = storm();
    event.by = "two\nlines";
    EXPECT_EQ(event_json(event, watchlist(), "sw\n1").find('\n'), std::string::npos);
}

TEST(EventJson, AServiceWritesTheTimeOfDay)
{
    const auto list = watchlist();
    const auto own = event_json(storm(), list, "sw1");
    const auto by_wall = event_json(storm(), WallTime{std::chrono::microseconds{1'700'000'000'000'123}}, list, "sw1");
    const auto rest = [](const std::string& line) { return line.substr(line.find(",\"event\"")); };
    EXPECT_EQ(by_wall.substr(0, by_wall.find(",\"event\"")), R"({"seq":7,"time_us":1700000000000123)");
    EXPECT_EQ(rest(by_wall), rest(own));
}

}  // namespace
}  // namespace petrel::codec
