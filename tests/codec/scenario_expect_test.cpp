// [[expect]], [[truth]] and the detectors of a [[port]]: every kind and key, ranges of every unit, windows. The
// complaints are in tests/golden/codec/scenario.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "codec/scenario/reader.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

using namespace scenario;
using topology::End;
using twin::kMs;
using twin::kUs;

// h0 and h1 at s0, h2 and h3 at s1; the third port of each switch connects them.
constexpr std::string_view kDumbbell = R"(name = "x"
duration = "2ms"
[topology]
kind = "dumbbell"
left = 2
right = 2
[[traffic]]
name = "data"
from = "h0"
to = "h2"
[[traffic]]
name = "more"
from = "h1"
to = "h3"
)";
constexpr std::uint32_t kLines = 14;

const NodeId kH3{3};
const NodeId kS0{4};
const NodeId kS1{5};

std::vector<Complaint> complaints(std::string_view more)
{
    const auto parsed = read_scenario(std::string{kDumbbell} + std::string{more}, "test.toml");
    return parsed ? std::vector<Complaint>{} : parsed.error();
}

Scenario read_dumbbell(std::string_view more)
{
    auto parsed = read_scenario(std::string{kDumbbell} + std::string{more}, "test.toml");
    EXPECT_TRUE(parsed) << golden::lines(parsed ? std::vector<Complaint>{} : parsed.error());
    return parsed ? std::move(*parsed) : Scenario{};
}

std::vector<Expectation> expectations(std::string_view keys)
{
    return read_dumbbell("[[expect]]\n" + std::string{keys}).expectations;
}

// The only expectation of a table.
Expectation expectation(std::string_view keys)
{
    const auto all = expectations(keys);
    EXPECT_EQ(all.size(), 1U) << keys;
    return all.size() == 1 ? all.front() : Expectation{};
}

template <class T>
T quantity(std::string_view keys)
{
    const auto one = expectation(keys);
    EXPECT_TRUE(std::holds_alternative<T>(one.quantity)) << keys;
    return std::holds_alternative<T>(one.quantity) ? std::get<T>(one.quantity) : T{};
}

TEST(ScenarioExpect, ExpectationsAreOptional) { EXPECT_TRUE(read_dumbbell("").expectations.empty()); }

TEST(ScenarioExpect, AnEventIsExpectedOnceAtLeastAndAnywhere)
{
    const auto one = expectation("kind = \"event\"\nevent = \"storm_detected\"");
    EXPECT_EQ(one.line, kLines + 1);
    EXPECT_EQ(one.subject, "events storm_detected: count");
    EXPECT_EQ(one.wanted, ">= 1");
    EXPECT_EQ(one.unit, Unit::count);
    EXPECT_EQ(one.from, 0U);
    EXPECT_EQ(one.until, 2 * kMs);
    EXPECT_FALSE(one.range.contains(0));
    EXPECT_TRUE(one.range.contains(1));
    EXPECT_TRUE(one.range.contains(1e9));
    const auto& wanted = std::get<EventsExpected>(one.quantity);
    EXPECT_EQ(wanted.kinds, (std::vector{watchdog::EventKind::storm_detected}));
    EXPECT_FALSE(wanted.reason);
    EXPECT_TRUE(wanted.devices.empty());
    EXPECT_FALSE(wanted.port);
    EXPECT_EQ(wanted.priorities, 0xff);
}

TEST(ScenarioExpect, AnEventWithEverything)
{
    const auto one = expectation(R"(kind = "event"
event = ["storm_detected", "nic_latched"]
reason = "proven"
device = ["s0", "h3"]
port = "s0:Ethernet2"
priorities = [3, 4]
count = "2..4"
)");
    EXPECT_EQ(one.subject, "events storm_detected, nic_latched proven s0, h3 s0:Ethernet2 priorities 3, 4: count");
    EXPECT_EQ(one.wanted, "2..4");
    const auto& wanted = std::get<EventsExpected>(one.quantity);
    EXPECT_EQ(wanted.kinds, (std::vector{watchdog::EventKind::storm_detected, watchdog::EventKind::nic_latched}));
    EXPECT_EQ(wanted.reason, watchdog::Reason::proven);
    EXPECT_EQ(wanted.devices, (std::vector{kS0, kH3}));
    EXPECT_EQ(wanted.port, (End{kS0, 2}));
    EXPECT_EQ(wanted.priorities, 0x18);
}

// Every kind, reason and cause can be named.
TEST(ScenarioExpect, EveryEventReasonAndCause)
{
    const auto each = [](auto count, const auto& look) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            look(static_cast<decltype(count)>(i));
        }
    };
    each(watchdog::EventKind::count_, [](watchdog::EventKind kind) {
        EXPECT_EQ(quantity<EventsExpected>(fmt::format("kind = \"event\"\nevent = \"{}\"", name(kind))).kinds.at(0),
                  kind);
    });
    each(watchdog::Reason::count_, [](watchdog::Reason reason) {
        const auto text = fmt::format("kind = \"event\"\nevent = \"storm_detected\"\nreason = \"{}\"", name(reason));
        EXPECT_EQ(quantity<EventsExpected>(text).reason, reason);
    });
    each(twin::Drop::count_, [](twin::Drop cause) {
        const auto text = fmt::format("kind = \"drops\"\ncause = \"{}\"\nframes = 0", name(cause));
        EXPECT_EQ(quantity<DropsExpected>(text).causes.at(0), cause);
    });
}

TEST(ScenarioExpect, EveryQuantityOfATableIsAnExpectation)
{
    const auto all = expectations(R"(kind = "traffic"
item = "more"
finished = 1
rate = ">= 9G"
lost = 0
delivered = "100..200"
loss = "0%"
)");
    ASSERT_EQ(all.size(), 5U);
    using What = TrafficExpected::What;
    const std::tuple<std::string_view, std::string_view, Unit, What> expected[] = {
        {"traffic more: rate", ">= 9G", Unit::rate, What::rate},
        {"traffic more: loss", "0%", Unit::share, What::loss},
        {"traffic more: lost", "0", Unit::count, What::lost},
        {"traffic more: delivered", "100..200", Unit::count, What::delivered},
        {"traffic more: finished", "1", Unit::count, What::finished}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].subject, std::get<0>(expected[i]));
        EXPECT_EQ(all[i].wanted, std::get<1>(expected[i]));
        EXPECT_EQ(all[i].unit, std::get<2>(expected[i]));
        EXPECT_EQ(std::get<TrafficExpected>(all[i].quantity).what, std::get<3>(expected[i]));
        EXPECT_EQ(std::get<TrafficExpected>(all[i].quantity).item, 1U);
    }
}

TEST(ScenarioExpect, PauseOfAPortALinkOrNodes)
{
    const auto ports = [](std::string_view where) {
        return quantity<PauseExpected>(fmt::format("kind = \"pause\"\npaused = \"0s\"\n{}", where)).ports;
    };
    EXPECT_EQ(ports("port = \"s0:Ethernet1\""), (std::vector{End{kS0, 1}}));
    EXPECT_EQ(ports("port = \"h3\""), (std::vector{End{kH3, 0}}));
    EXPECT_EQ(ports("link = [\"s0\", \"s1\"]"), (std::vector{End{kS0, 2}, End{kS1, 2}}));
    EXPECT_EQ(ports("nodes = [\"h3\", \"s1\"]"), (std::vector{End{kH3, 0}, End{kS1, 0}, End{kS1, 1}, End{kS1, 2}}));
    EXPECT_EQ(ports("port = \"h3\"\nnodes = \"h0\"").size(), 2U);
}

TEST(ScenarioExpect, PauseTimeAndFrames)
{
    const auto all = expectations(R"(kind = "pause"
port = "s0:Ethernet2"
priorities = 3
sent = 7
paused = "1us..2us"
received = "<= 5"
)");
    ASSERT_EQ(all.size(), 3U);
    using What = PauseExpected::What;
    EXPECT_EQ(all[0].subject, "pause s0:Ethernet2:3: paused");
    EXPECT_EQ(all[0].unit, Unit::time);
    EXPECT_EQ(all[1].subject, "pause s0:Ethernet2:3: received");
    EXPECT_EQ(all[2].subject, "pause s0:Ethernet2:3: sent");
    for (const auto what : {What::paused, What::received, What::sent}) {
        const auto& wanted = std::get<PauseExpected>(all[static_cast<std::size_t>(what)].quantity);
        EXPECT_EQ(wanted.what, what);
        EXPECT_EQ(wanted.priorities, 0x08);
    }
}

TEST(ScenarioExpect, DropsHereOrEverywhere)
{
    const auto somewhere =
        quantity<DropsExpected>("kind = \"drops\"\nnodes = \"s1\"\ncause = [\"ttl\", \"no_route\"]\nframes = 0");
    EXPECT_EQ(somewhere.nodes, (std::vector{kS1}));
    EXPECT_EQ(somewhere.causes, (std::vector{twin::Drop::ttl, twin::Drop::no_route}));
    const auto one = expectation("kind = \"drops\"\nframes = 0");
    EXPECT_EQ(one.subject, "drops: frames");
    EXPECT_TRUE(std::get<DropsExpected>(one.quantity).nodes.empty());
    EXPECT_TRUE(std::get<DropsExpected>(one.quantity).causes.empty());
}

TEST(ScenarioExpect, State)
{
    const auto all =
        expectations("kind = \"state\"\nnodes = \"s0\"\nunseen = 3\nin_flight = 0\npaused = 1\nmitigated = 2");
    ASSERT_EQ(all.size(), 4U);
    using What = StateExpected::What;
    EXPECT_EQ(all[0].subject, "state s0: mitigated");
    EXPECT_EQ(all[1].subject, "state s0: paused");
    EXPECT_EQ(all[2].subject, "state s0: in_flight");
    EXPECT_EQ(all[3].subject, "state s0: unseen");
    for (const auto what : {What::mitigated, What::paused, What::in_flight, What::unseen}) {
        const auto& wanted = std::get<StateExpected>(all[static_cast<std::size_t>(what)].quantity);
        EXPECT_EQ(wanted.what, what);
        EXPECT_EQ(wanted.nodes, (std::vector{kS0}));
    }
}

TEST(ScenarioExpect, StandstillByNameAndByTier)
{
    EXPECT_TRUE(quantity<FrozenExpected>("kind = \"frozen\"\ncount = 0").nodes.empty());
    EXPECT_EQ(quantity<FrozenExpected>("kind = \"frozen\"\ncount = 0\nnodes = \"h3\"").nodes, (std::vector{kH3}));
    EXPECT_EQ(quantity<FrozenExpected>("kind = \"frozen\"\ncount = 0\ntier = 1").nodes, (std::vector{kS0, kS1}));
    EXPECT_EQ(expectation("kind = \"frozen\"\ncount = 0\nnodes = \"h3\"\ntier = 1").subject,
              "frozen nodes h3 tier 1: count");
    const auto deadlock = expectation("kind = \"deadlock\"\nqueues = \">= 2\"");
    EXPECT_EQ(deadlock.subject, "queues in a deadlock");
    EXPECT_TRUE(std::holds_alternative<DeadlockExpected>(deadlock.quantity));
}

TEST(ScenarioExpect, AnEndOfALink)
{
    const auto all = expectations(R"(kind = "link"
port = "s0:Ethernet2"
last_neighbor_reason = 5
last_reason = 4
events = 3
neighbor_reason = 2
reason = 1
)");
    ASSERT_EQ(all.size(), 5U);
    using What = LinkExpected::What;
    const std::pair<std::string_view, What> expected[] = {{"reason", What::reason},
                                                          {"neighbor_reason", What::neighbor_reason},
                                                          {"events", What::events},
                                                          {"last_reason", What::last_reason},
                                                          {"last_neighbor_reason", What::last_neighbor_reason}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].subject, fmt::format("link s0:Ethernet2: {}", expected[i].first));
        EXPECT_EQ(all[i].wanted, fmt::format("{}", i + 1));
        EXPECT_EQ(std::get<LinkExpected>(all[i].quantity).what, expected[i].second);
        EXPECT_EQ(std::get<LinkExpected>(all[i].quantity).port, (End{kS0, 2}));
    }
}

TEST(ScenarioExpect, Windows)
{
    const auto one = expectation("kind = \"drops\"\nframes = 0\nfrom = \"1us\"\nuntil = \"1.5ms\"");
    EXPECT_EQ(one.from, kUs);
    EXPECT_EQ(one.until, 1500 * kUs);
    EXPECT_EQ(expectation("kind = \"drops\"\nframes = 0\nuntil = \"2ms\"").until, 2 * kMs);
    EXPECT_EQ(expectation("kind = \"drops\"\nframes = 0\nfrom = \"2ms\"").from, 2 * kMs);
    EXPECT_EQ(complaints("[[expect]]\nkind = \"drops\"\nframes = 0\nuntil = \"2.000001ms\"").size(), 1U);
    EXPECT_EQ(complaints("[[expect]]\nkind = \"drops\"\nframes = 0\nfrom = \"3ms\"").size(), 1U);
}

Range range(std::string_view key, std::string_view value)
{
    const auto kind = key == "paused" ? "kind = \"pause\"\nport = \"h0\"" : "kind = \"traffic\"\nitem = \"data\"";
    return expectation(fmt::format("{}\n{} = {}", kind, key, value)).range;
}

void expect_range(std::string_view key, std::string_view value, double least, double most)
{
    const auto found = range(key, value);
    EXPECT_DOUBLE_EQ(found.least, least) << key << " = " << value;
    EXPECT_DOUBLE_EQ(found.most, most) << key << " = " << value;
}

TEST(ScenarioExpect, RangesOfEveryUnit)
{
    constexpr auto kNoLimit = std::numeric_limits<double>::infinity();
    expect_range("lost", "3", 3, 3);
    expect_range("lost", "\"3\"", 3, 3);
    expect_range("lost", "2.5", 2.5, 2.5);
    expect_range("lost", "\">= 3\"", 3, kNoLimit);
    expect_range("lost", "\">=3\"", 3, kNoLimit);
    expect_range("lost", "\"<= 3\"", -kNoLimit, 3);
    expect_range("lost", "\" 2 .. 4 \"", 2, 4);
    expect_range("lost", "\"4..4\"", 4, 4);
    expect_range("paused", "\"20ms\"", 2e10, 2e10);
    expect_range("paused", "\">= 1.5us\"", 1.5e6, kNoLimit);
    expect_range("paused", "\"400ns..1min\"", 4e5, 6e13);
    expect_range("rate", "\"100G\"", 1e11, 1e11);
    expect_range("rate", "\"<= 2.5M\"", -kNoLimit, 2.5e6);
    expect_range("rate", "\"9G..10G\"", 9e9, 1e10);
    expect_range("loss", "\"0%\"", 0, 0);
    expect_range("loss", "\"12.5%..100%\"", 0.125, 1);
    expect_range("loss", "\"<= 5%\"", -kNoLimit, 0.05);
}

TEST(ScenarioExpect, RefusesInvalidRanges)
{
    const std::pair<std::string_view, std::string_view> bad[] = {{"lost", "\"\""},
                                                                 {"lost", "\"..\""},
                                                                 {"lost", "\"3..\""},
                                                                 {"lost", "\"..3\""},
                                                                 {"lost", "\"4..3\""},
                                                                 {"lost", "\">= \""},
                                                                 {"lost", "\"<= x\""},
                                                                 {"lost", "\"> 3\""},
                                                                 {"lost", "\"= 3\""},
                                                                 {"lost", "\"3 4\""},
                                                                 {"lost", "nan"},
                                                                 {"lost", "inf"},
                                                                 {"lost", "\">= inf\""},
                                                                 {"lost", "true"},
                                                                 {"lost", "[1, 2]"},
                                                                 {"lost", "\"3%\""},
                                                                 {"lost", "\"1...3\""},
                                                                 {"lost", "\"5ms\""},
                                                                 {"paused", "3"},
                                                                 {"paused", "\"3\""},
                                                                 {"paused", "\"3G\""},
                                                                 {"paused", "\"-1ms\""},
                                                                 {"paused", "\"2ms..1ms\""},
                                                                 {"paused", "\"8d\""},
                                                                 {"rate", "10"},
                                                                 {"rate", "\"10\""},
                                                                 {"rate", "\"10ms\""},
                                                                 {"rate", "\"10G..9G\""},
                                                                 {"rate", "\"10Gb/s\""},
                                                                 {"loss", "0"},
                                                                 {"loss", "\"0\""},
                                                                 {"loss", "\"%\""},
                                                                 {"loss", "\"5 %\""},
                                                                 {"loss", "\"1..5%\""},
                                                                 {"loss", "\"nan%\""},
                                                                 {"loss", "0.05"}};
    for (const auto& [key, value] : bad) {
        const auto kind = key == "paused" ? "kind = \"pause\"\nport = \"h0\"" : "kind = \"traffic\"\nitem = \"data\"";
        const auto all = complaints(fmt::format("[[expect]]\n{}\n{} = {}\n", kind, key, value));
        EXPECT_EQ(all.size(), 1U) << key << " = " << value;
    }
}

TEST(ScenarioExpect, RefusesTooManyExpectations)
{
    std::string text;
    for (int i = 0; i < 10'000; ++i) {
        text += "[[expect]]\nkind=\"drops\"\nframes=0\n";
    }
    EXPECT_EQ(read_dumbbell(text).expectations.size(), 10'000U);
    const auto all = complaints(text + "[[expect]]\nkind=\"drops\"\nframes=0\n");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].allowed, "at most 10000 tables [[expect]]");
}

TEST(ScenarioTruth, WhereAndWhenThereIsAStorm)
{
    const auto truth = read_dumbbell(R"([[truth]]
port = "s0:Ethernet1"
[[truth]]
port = "h3"
priorities = [0, 7]
from = "1us"
until = "3us"
)")
                           .truth;
    ASSERT_EQ(truth.size(), 2U);
    EXPECT_EQ(truth[0].port, (End{kS0, 1}));
    EXPECT_EQ(truth[0].priorities, 0x08);
    EXPECT_EQ(truth[0].from, 0U);
    EXPECT_EQ(truth[0].until, 2 * kMs);
    EXPECT_EQ(truth[1].port, (End{kH3, 0}));
    EXPECT_EQ(truth[1].priorities, 0x81);
    EXPECT_EQ(truth[1].from, kUs);
    EXPECT_EQ(truth[1].until, 3 * kUs);
}

TEST(ScenarioPorts, IntervalsOfItsOwn)
{
    const auto s = read_dumbbell(R"([[port]]
port = "s0:Ethernet1"
deadlock_detect = "200ms"
deadlock_recover = "1ns"
[[port]]
port = "s1:Ethernet0"
number = 17
xname = "x0c0r4j3p1"
[[port]]
port = "h3"
)");
    ASSERT_EQ(s.port_detectors.size(), 1U);
    EXPECT_EQ(s.port_detectors[0].port, (End{kS0, 1}));
    EXPECT_EQ(s.port_detectors[0].detect, std::chrono::milliseconds{200});
    EXPECT_EQ(s.port_detectors[0].recover, std::chrono::nanoseconds{1});
    const auto& port = s.setup.topology.nodes[kS1.value].ports[0];
    EXPECT_EQ(port.number, 17U);
    EXPECT_EQ(port.xname, "x0c0r4j3p1");
    EXPECT_FALSE(s.setup.topology.nodes[kH3.value].ports[0].number);
}

}  // namespace
}  // namespace petrel::codec
