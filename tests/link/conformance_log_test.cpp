// The cases that the manager of a conforming link must pass, by their ids: G its log, Q flaps. A is a switch port, B
// the NIC port that it is connected to. The cases of the two ends are in conformance_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <tuple>

#include "link/link_play.hpp"

namespace petrel::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

using Entry = std::tuple<int, int, int>;

std::vector<Entry> entries(std::span<const DownEvent> events)
{
    std::vector<Entry> all;
    for (const auto& event : events) {
        const auto seen = std::chrono::floor<std::chrono::seconds>(event.observed_at).time_since_epoch().count();
        all.emplace_back(event.ldr, event.nldr, static_cast<int>(seen));
    }
    return all;
}

std::vector<Entry> log_of(LinkPlay& play, Side side) { return entries(play.history(side).shown()); }

void cycle(LinkPlay& play, std::uint64_t time)
{
    for (const ScriptEvent& event : std::initializer_list<ScriptEvent>{Up{}, Sweep{time}, Arm{}, Activate{}}) {
        ASSERT_EQ(play.act(event), std::nullopt);
    }
}

TEST(LinkConformance, G01OneEventTwoSweeps)
{
    LinkPlay play;
    for (const ScriptEvent& event : std::initializer_list<ScriptEvent>{Down{Side::a, 39}, Sweep{10}, Up{}, Sweep{11}}) {
        play.act(event);
    }
    EXPECT_THAT(log_of(play, Side::a), ElementsAre(Entry{39, 0, 10}));
    EXPECT_THAT(log_of(play, Side::b), ElementsAre(Entry{0, 39, 11}));
}

TEST(LinkConformance, G03TwoFullCycles)
{
    LinkPlay play;
    for (const std::uint64_t time : {10U, 20U}) {
        play.act(Loss{});
        cycle(play, time);
    }
    for (const auto side : {Side::a, Side::b}) {
        EXPECT_THAT(log_of(play, side), ElementsAre(Entry{36, 0, 10}, Entry{36, 0, 20}));
    }
}

TEST(LinkConformance, G04EightAreShown)
{
    LinkPlay play;
    for (std::uint8_t code = 2; code <= 10; ++code) {
        play.act(Down{Side::a, code});
        cycle(play, (code - 1U) * 10U);
    }
    std::vector<Entry> a;
    std::vector<Entry> b;
    for (int code = 3; code <= 10; ++code) {
        a.emplace_back(code, 0, (code - 1) * 10);
        b.emplace_back(0, code, (code - 1) * 10);
    }
    EXPECT_EQ(log_of(play, Side::a), a);
    EXPECT_EQ(log_of(play, Side::b), b);
    EXPECT_THAT(play.history(Side::a).events(), SizeIs(9)) << "the history keeps more events than it shows";
}

TEST(LinkConformance, G06ANicThatIsDownCannotBeRead)
{
    LinkPlay play;
    play.act(Loss{});
    play.act(Sweep{10});
    EXPECT_THAT(log_of(play, Side::b), IsEmpty());
    play.act(Up{});
    play.act(Sweep{11});
    EXPECT_THAT(log_of(play, Side::a), ElementsAre(Entry{36, 0, 10}));
    EXPECT_THAT(log_of(play, Side::b), ElementsAre(Entry{36, 0, 11}));
}

PortHistory history_of(std::initializer_list<int> seqs)
{
    PortHistory history;
    for (const auto seq : seqs) {
        DownEvent event;
        event.seq = static_cast<std::uint64_t>(seq);
        event.observed_at = WallTime{100s - std::chrono::seconds{seq}};  // times do not show the order
        history.add(event);
    }
    return history;
}

std::vector<int> numbers(const PortHistory& history)
{
    std::vector<int> all;
    for (const auto& event : history.shown()) {
        all.push_back(static_cast<int>(event.seq));
    }
    return all;
}

TEST(LinkConformance, N11NewestFirstByRequest)
{
    const auto shown = history_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).shown(true);
    ASSERT_EQ(shown.size(), PortHistory::kShown);
    EXPECT_EQ(shown.front().seq, 10U);
    EXPECT_EQ(shown.back().seq, 3U);
}

TEST(LinkConformance, G20G21OrderGoesByNumber)
{
    EXPECT_THAT(numbers(history_of({7, 2, 3, 1, 5, 4, 6})), ElementsAre(1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(numbers(history_of({8, 7, 6, 5, 4, 3, 2, 1, 1, 8})), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(LinkConformance, N2EventsOfOneMomentAreNotOne)
{
    PortHistory history;
    EXPECT_TRUE(history.add({1, 39, 0, WallTime{5s}, WallTime{5s}, {}, 0, false}));
    EXPECT_TRUE(history.add({2, 39, 0, WallTime{5s}, WallTime{5s}, {}, 0, false}));
    EXPECT_FALSE(history.add({2, 39, 0, WallTime{6s}, WallTime{6s}, {}, 0, false})) << "one event is not logged twice";
    EXPECT_THAT(history.events(), SizeIs(2));
}

TEST(LinkConformance, N5ATimeOfZeroIsATime)
{
    EXPECT_THAT(numbers([] {
                    PortHistory history;
                    history.add({1, 36, 0, {}, {}, {}, 0, false});
                    history.add({2, 36, 0, {}, {}, {}, 0, false});
                    return history;
                }()),
                ElementsAre(1, 2));
}

TEST(LinkConformance, ACauseWaitsForItsEvent)
{
    const auto entry = [](std::uint64_t seq) { return DownEvent{seq, 36, 0, {}, {}, {}, 0, false}; };
    PortHistory history;
    history.add(entry(1));
    history.correlate(3, 35);
    history.correlate(3, 39);  // the first one is kept
    history.correlate(2, 41);  // a port with event 3 does not report event 2 any more
    EXPECT_EQ(history.awaited(), (AwaitedCause{3, 35}));
    history.add(entry(3));
    EXPECT_EQ(history.awaited(), std::nullopt);
    EXPECT_EQ(history.find(3)->correlated_cause, 35);
    EXPECT_EQ(history.find(1)->correlated_cause, std::nullopt);

    history.correlate(4, 35);
    history.add(entry(5));
    EXPECT_EQ(history.awaited(), std::nullopt) << "4 was never logged and never will be";
    EXPECT_EQ(history.find(5)->correlated_cause, std::nullopt);
    history.correlate(2, 35);
    EXPECT_EQ(history.awaited(), std::nullopt);
}

TEST(LinkConformance, ForgottenEventsDoNotReturn)
{
    PortHistory history;
    for (std::uint64_t seq = 1; seq <= PortHistory::kKept + 2; ++seq) {
        DownEvent event;
        event.seq = seq;
        EXPECT_TRUE(history.add(event));
    }
    EXPECT_EQ(history.forgotten(), 2U);
    EXPECT_EQ(history.events().front().seq, 3U);
    EXPECT_FALSE(history.add(DownEvent{2, 36, 0, {}, {}, {}, 0, false}));
    EXPECT_THAT(history.events(), SizeIs(PortHistory::kKept));
}

TEST(LinkConformance, G26TheLogOutlivesTheAbsenceOfAPort)
{
    LinkKeeper keeper;
    const PortId port{DeviceId{1}, 2};
    keeper.sweep(std::array{PortReport{port, {{36, 0, 1}, LinkState::polling}, true}}, WallTime{1s});
    for (int i = 0; i < 100; ++i) {
        keeper.sweep({}, WallTime{2s});
    }
    EXPECT_THAT(keeper.history(port).events(), SizeIs(1));
}

TEST(LinkConformance, G27EventAndObservationHaveTheirOwnTimes)
{
    LinkEnd end{LinkState::active};
    end.take_down(39, WallTime{1500ms});
    end.close_window();
    LinkKeeper keeper;
    keeper.sweep(std::array{PortReport{PortId{}, end.read(), true}}, WallTime{7s});
    ASSERT_THAT(keeper.history(PortId{}).events(), SizeIs(1));
    const auto& event = keeper.history(PortId{}).events().front();
    EXPECT_EQ(event.event_at, WallTime{1500ms});
    EXPECT_EQ(event.observed_at, WallTime{7s});
}

TEST(LinkConformance, N3ARestartAddsNothing)
{
    LinkPlay play;
    for (const ScriptEvent& event :
         std::initializer_list<ScriptEvent>{Loss{}, Up{}, Sweep{1}, ManagerRestart{}, Sweep{2}, Arm{}}) {
        play.act(event);
    }
    EXPECT_THAT(log_of(play, Side::a), ElementsAre(Entry{36, 0, 1}));
    EXPECT_THAT(log_of(play, Side::b), ElementsAre(Entry{36, 0, 1}));
}

TEST(LinkConformance, R8ALateReasonOutlivesTheManager)
{
    LinkPlay play;
    for (const ScriptEvent& event : std::initializer_list<ScriptEvent>{
             Down{Side::a, 33, false}, Sweep{1}, LateReason{Side::b, 33}, ManagerRestart{}, Up{}, Sweep{2}}) {
        EXPECT_EQ(play.act(event), std::nullopt);
    }
    ASSERT_THAT(play.history(Side::b).events(), SizeIs(1)) << "B was down, and could not be read before";
    EXPECT_EQ(play.history(Side::b).events()[0].correlated_cause, 33);
}

TEST(LinkConformance, ALateReasonExplainsItsOwnEventOnly)
{
    LinkPlay play;
    for (const ScriptEvent& event : std::initializer_list<ScriptEvent>{Down{Side::a, 20}, Up{}, Sweep{1}, Loss{}}) {
        play.act(event);
    }
    EXPECT_EQ(play.act(LateReason{Side::b, 33}), "the last time that end went down has no number");
    EXPECT_NE(play.act(Receive{Side::b, 33}), std::nullopt);
    EXPECT_EQ(play.history(Side::b).events()[0].correlated_cause, std::nullopt);

    LinkPlay fresh;
    EXPECT_EQ(fresh.act(LateReason{Side::b, 33}), "that end has not gone down for a reason yet");
    fresh.act(Loss{});
    EXPECT_EQ(fresh.act(LateReason{Side::b, 0}), "0 is no reason");
    fresh.act(Up{});
    fresh.act(Arm{});
    fresh.act(PowerLoss{Side::a});
    EXPECT_NE(fresh.act(LateReason{Side::a, 35}), std::nullopt) << "A's loss of power is no event of A";
}

TEST(LinkConformance, AnOpenWindowIsNotLogged)
{
    LinkEnd end{LinkState::active};
    end.take_down(39, {});
    LinkKeeper keeper;
    keeper.sweep(std::array{PortReport{PortId{}, end.read(), true}}, {});
    EXPECT_THAT(keeper.history(PortId{}).events(), IsEmpty()) << "the neighbour may still send a reason";
}

TEST(LinkConformance, ArmingLogsFirst)
{
    LinkPlay play;
    play.act(Loss{});
    play.act(Up{});
    play.act(Arm{});
    EXPECT_THAT(log_of(play, Side::a), ElementsAre(Entry{36, 0, 0}));
    EXPECT_THAT(log_of(play, Side::b), ElementsAre(Entry{36, 0, 0}));
}

// -- flaps

WallTime minute(int m) { return WallTime{std::chrono::minutes{m}}; }

FlapGuard bounced_often(std::uint32_t times, FlapPolicy policy = {})
{
    FlapGuard guard{policy};
    for (std::uint32_t i = 0; i < times; ++i) {
        guard.bounced(WallTime{std::chrono::seconds{i}});
    }
    return guard;
}

TEST(LinkConformance, Q01Monitored) { EXPECT_EQ(bounced_often(24).state(minute(1)), FlapState::monitored); }

TEST(LinkConformance, Q02Quarantined)
{
    EXPECT_EQ(bounced_often(25).state(minute(1)), FlapState::quarantined);
    FlapGuard slow{{}};
    for (int i = 0; i < 100; ++i) {
        slow.bounced(minute(i));  // never 25 within 15 minutes
    }
    EXPECT_EQ(slow.state(minute(100)), FlapState::monitored);
}

TEST(LinkConformance, Q03StaysUntilItHasBeenQuiet)
{
    auto guard = bounced_often(25);
    EXPECT_EQ(guard.state(minute(15)), FlapState::quarantined);
    guard.bounced(minute(15));
    EXPECT_EQ(guard.state(minute(29)), FlapState::quarantined);
    EXPECT_EQ(guard.state(minute(30)), FlapState::monitored);
}

TEST(LinkConformance, Q04QuietSetsItFree)
{
    auto guard = bounced_often(25);
    EXPECT_EQ(guard.state(minute(16)), FlapState::monitored);
    EXPECT_EQ(guard.state(minute(30)), FlapState::monitored);
    EXPECT_EQ(guard.state(minute(31)), FlapState::unmonitored);
    EXPECT_EQ(bounced_often(25).state(minute(100)), FlapState::unmonitored);
}

TEST(LinkConformance, Q05NoWindowNoQuarantine)
{
    EXPECT_EQ(bounced_often(1000, {0s, 25}).state(minute(1)), FlapState::unmonitored);
}

TEST(LinkConformance, AQuarantinedPortIsLoggedButNotArmed)
{
    LinkKeeper keeper{FlapPolicy{15min, 3}};
    for (std::uint64_t seq = 1; seq <= 3; ++seq) {
        const PortReport report{PortId{}, {{36, 0, seq}, LinkState::init}, true};
        EXPECT_EQ(keeper.arm(report, minute(static_cast<int>(seq))).has_value(), seq < 3);
    }
    EXPECT_THAT(keeper.history(PortId{}).events(), SizeIs(3));
    EXPECT_EQ(keeper.arm({PortId{}, {{36, 0, 3}, LinkState::init}, true}, minute(18)), 3U);
}

TEST(LinkConformance, AFlappingLinkIsNotQuietBecauseItIsNotArmed)
{
    LinkKeeper keeper{FlapPolicy{15min, 3}};
    const auto look = [&](std::uint64_t seq, std::uint32_t suppressed, int at) {
        LinkReading reading{{36, 0, seq}, LinkState::init};
        reading.suppressed = suppressed;
        return keeper.arm({PortId{}, reading, true}, minute(at)).has_value();
    };
    look(1, 0, 1);
    look(2, 0, 2);
    EXPECT_FALSE(look(3, 0, 3));
    EXPECT_FALSE(look(3, 1, 12)) << "the link went down again: the quiet time restarts";
    EXPECT_FALSE(look(3, 1, 26));
    EXPECT_TRUE(look(3, 1, 27));
}

TEST(LinkConformance, ARestartEndsNoQuarantine)
{
    LinkKeeper keeper{FlapPolicy{15min, 3}};
    for (std::uint64_t seq = 1; seq <= 3; ++seq) {
        keeper.arm({PortId{}, {{36, 0, seq}, LinkState::init}, true}, minute(static_cast<int>(seq)));
    }
    LinkKeeper again{FlapPolicy{15min, 3}, {{PortId{}, keeper.history(PortId{})}}};
    EXPECT_TRUE(again.quarantined(PortId{}, minute(17)));
    EXPECT_FALSE(again.quarantined(PortId{}, minute(18)));
}

}  // namespace
}  // namespace petrel::link
