// Compares the judge's measurements with values computed by hand: a frame of 1,048 bytes and 20 of preamble and gap
// takes 854.4 ns at 10 Gb/s, so any 854.4 us contain a thousand frames.
#include <gtest/gtest.h>

#include "lab/experiment_from_text.hpp"
#include "lab/judge.hpp"

namespace petrel::lab {
namespace {

using test::experiment;
using twin::kMs;
using twin::Ps;

constexpr std::string_view kOneSwitch = R"(name = "x"
duration = "8ms"
[topology]
kind = "single-switch"
hosts = 3
host_links = { speed = "10G", delay = "1us" }
)";

constexpr std::string_view kLineRate = R"([[traffic]]
name = "data"
from = "h0"
to = "h1"
dscp = 3
reliable = false
)";

// From 2 ms on the switch has no entry for the address of h1.
constexpr std::string_view kLost = R"([[fault]]
at = "2ms"
kind = "forget-address"
switch = "s0"
to = "h1"
)";

// A pause of 65,535 quanta lasts 3.355392 ms at 10 Gb/s; five of them, at 0, 1, 2, 3 and 4 ms.
constexpr std::string_view kFivePauses = R"([[fault]]
at = "0s"
kind = "storm"
host = "h1"
period = "1ms"
until = "4.5ms"
)";

std::string text_of(const Finding& finding)
{
    using scenario::Verdict;
    if (finding.verdict == Verdict::not_reached) {
        EXPECT_EQ(finding.found, "");
        return "not reached";
    }
    return (finding.verdict == Verdict::met ? "met: " : "failed: ") + finding.found;
}

// The verdict on each expectation, in their order.
std::vector<std::string> judged(std::string_view fabric, std::string_view expectations, Ps end = 8 * kMs)
{
    const auto run = experiment(std::string{kOneSwitch} + std::string{fabric} + std::string{expectations});
    const Judge judge{*run};
    run->run_until(end);
    std::vector<std::string> all;
    for (const auto& finding : judge.findings()) {
        all.push_back(text_of(finding));
    }
    return all;
}

using Texts = std::vector<std::string>;

TEST(Judge, TrafficOfAWindow)
{
    EXPECT_EQ(judged(kLineRate, R"([[expect]]
kind = "traffic"
item = "data"
from = "1ms"
until = "1.8544ms"
delivered = 1000
lost = 0
loss = "0%"
rate = "9.81G..9.82G"
finished = 0
)"),
              (Texts{"met: 9.81273 Gb/s", "met: 0 %", "met: 0", "met: 1000", "met: 0"}));
}

TEST(Judge, TrafficThatIsLost)
{
    EXPECT_EQ(
        judged(std::string{kLineRate} + std::string{kLost}, R"([[expect]]
kind = "traffic"
item = "data"
from = "3ms"
until = "3.8544ms"
rate = "0K"
loss = "100%"
lost = 1000
delivered = 0
[[expect]]
kind = "drops"
from = "3ms"
until = "3.8544ms"
frames = 1000
[[expect]]
kind = "drops"
from = "3ms"
until = "3.8544ms"
nodes = "s0"
cause = ["no_route", "ttl"]
frames = 1000
[[expect]]
kind = "drops"
cause = "link_down"
frames = 0
[[expect]]
kind = "drops"
nodes = ["h0", "h1", "h2"]
frames = 0
)"),
        (Texts{"met: 0 Gb/s", "met: 100 %", "met: 1000", "met: 0", "met: 1000", "met: 1000", "met: 0", "met: 0"}));
}

// The flow is delivered for half of the window and lost for the other half: of 2,000 frames sent, those are lost that
// reach the switch after 2 ms.
TEST(Judge, AShareRefersToTheFramesSentInTheWindow)
{
    EXPECT_EQ(judged(std::string{kLineRate} + std::string{kLost}, R"([[expect]]
kind = "traffic"
item = "data"
from = "1.1456ms"
until = "2.8544ms"
loss = "49.9%..50.2%"
)")
                  .at(0)
                  .substr(0, 4),
              "met:");
}

TEST(Judge, FlowsThatFinish)
{
    const auto found = judged(R"([[traffic]]
name = "short"
from = ["h0", "h2"]
to = "h1"
packets = 10
[[traffic]]
name = "endless"
from = "h0"
to = "h1"
)",
                              R"([[expect]]
kind = "traffic"
item = "short"
finished = 2
delivered = 20
[[expect]]
kind = "traffic"
item = "short"
until = "1us"
finished = 1
[[expect]]
kind = "traffic"
item = "short"
from = "1ms"
finished = 0
[[expect]]
kind = "traffic"
item = "endless"
finished = ">= 1"
)");
    EXPECT_EQ(found, (Texts{"met: 20", "met: 2", "failed: 0", "met: 0", "failed: 0"}));
}

// If no frame was sent, the share is neither 0 nor 100 per cent.
TEST(Judge, AShareOfNothingFails)
{
    const auto found = judged(std::string{kLineRate} + "start = \"5ms\"\n", R"([[expect]]
kind = "traffic"
item = "data"
until = "4ms"
loss = "0%"
[[expect]]
kind = "traffic"
item = "data"
until = "4ms"
loss = "<= 100%"
rate = "0K"
)");
    EXPECT_EQ(found, (Texts{"failed: nothing was sent", "met: 0 Gb/s", "failed: nothing was sent"}));
}

TEST(Judge, PauseTimeAndFrames)
{
    const auto found = judged(kFivePauses, R"([[expect]]
kind = "pause"
port = "s0:Ethernet1"
received = 5
[[expect]]
kind = "pause"
port = "h1"
sent = 5
[[expect]]
kind = "pause"
link = "h1"
sent = 5
received = 5
[[expect]]
kind = "pause"
port = "s0:Ethernet1"
from = "1.5ms"
until = "3.5ms"
paused = "2ms"
received = 2
[[expect]]
kind = "pause"
port = "s0:Ethernet1"
priorities = [0, 1, 2, 4, 5, 6, 7]
paused = "0s"
received = 0
[[expect]]
kind = "pause"
nodes = ["s0", "h0"]
paused = "7.355392ms"
[[expect]]
kind = "pause"
port = "s0:Ethernet0"
paused = "0s"
)");
    EXPECT_EQ(found, (Texts{"met: 5", "met: 5", "met: 5", "met: 5", "met: 2 ms", "met: 2", "met: 0 us", "met: 0",
                            "met: 7.35539 ms", "met: 0 us"}));
}

TEST(Judge, StatesAreOfTheWindowsEnd)
{
    const auto found = judged(std::string{kFivePauses}, R"([[expect]]
kind = "state"
until = "2ms"
paused = 1
[[expect]]
kind = "state"
nodes = ["h0", "h1", "h2"]
until = "2ms"
paused = 0
[[expect]]
kind = "state"
from = "2ms"
paused = 0
in_flight = 0
)");
    EXPECT_EQ(found, (Texts{"met: 1", "met: 0", "met: 0", "met: 0"}));
}

// One frame is on each of the two links almost all of the time: the link's delay holds 1.17 frames.
TEST(Judge, FramesInFlight)
{
    EXPECT_EQ(
        judged(kLineRate, "[[expect]]\nkind = \"state\"\nuntil = \"2ms\"\nin_flight = \"2..6\"\n").at(0).substr(0, 4),
        "met:");
}

constexpr std::string_view kWatched = R"([[policy]]
preset = "sonic"
[[fault]]
at = "0s"
kind = "storm"
host = "h1"
priorities = [3, 4]
period = "1ms"
until = "500ms"
)";

constexpr std::string_view kEvents = R"([[expect]]
kind = "event"
event = "storm_detected"
count = 2
[[expect]]
kind = "event"
event = ["storm_detected", "storm_restored"]
count = 4
[[expect]]
kind = "event"
event = "storm_detected"
priorities = 4
[[expect]]
kind = "event"
event = "storm_detected"
priorities = 5
count = 0
[[expect]]
kind = "event"
event = "storm_detected"
device = "s0"
port = "s0:Ethernet1"
reason = "proven"
count = 2
[[expect]]
kind = "event"
event = "storm_detected"
port = "s0:Ethernet0"
count = 0
[[expect]]
kind = "event"
event = "storm_detected"
device = "h1"
count = 0
[[expect]]
kind = "event"
event = "storm_detected"
reason = "device"
count = 0
[[expect]]
kind = "event"
event = "storm_detected"
until = "200ms"
count = 0
[[expect]]
kind = "state"
until = "450ms"
mitigated = 2
[[expect]]
kind = "state"
nodes = "h0"
until = "450ms"
mitigated = 0
[[expect]]
kind = "state"
mitigated = 0
)";

std::string long_run(std::string_view more)
{
    auto text = std::string{kOneSwitch} + std::string{more};
    return text.replace(text.find("8ms"), 3, "3000ms");
}

TEST(Judge, EventsAndMitigatedQueues)
{
    const auto run = experiment(long_run(std::string{kWatched} + std::string{kEvents}));
    const Judge judge{*run};
    run->run_until(3000 * kMs);
    Texts all;
    for (const auto& finding : judge.findings()) {
        all.push_back(text_of(finding));
    }
    EXPECT_EQ(all, (Texts{"met: 2", "met: 4", "met: 1", "met: 0", "met: 2", "met: 0", "met: 0", "met: 0", "met: 0",
                          "met: 2", "met: 0", "met: 0"}));
}

// The window is [from, until): an event at its end belongs to the next window.
TEST(Judge, AnEventIsInOneWindow)
{
    const auto alone = experiment(long_run(kWatched));
    alone->run_until(3000 * kMs);
    const auto at = twin::from_instant(alone->events().at(0).event->at);
    const auto counted = [&](Ps from, Ps until) {
        const auto run =
            experiment(long_run(kWatched) + "[[expect]]\nkind = \"event\"\nevent = \"storm_detected\"\nfrom = \"" +
                       std::to_string(from) + "ps\"\nuntil = \"" + std::to_string(until) + "ps\"\n");
        const Judge judge{*run};
        run->run_until(3000 * kMs);
        return text_of(judge.findings().at(0));
    };
    EXPECT_EQ(counted(0, at), "failed: 0");
    EXPECT_EQ(counted(at, at + 1), "met: 2");
    EXPECT_EQ(counted(at + 1, 3000 * kMs), "failed: 0");
}

constexpr std::string_view kLinkLost = R"([[expect]]
kind = "link"
port = "s0:Ethernet1"
until = "1ms"
reason = 0
[[expect]]
kind = "link"
port = "s0:Ethernet1"
reason = 36
neighbor_reason = 0
events = 0
last_reason = 0
last_neighbor_reason = 0
[[expect]]
kind = "link"
port = "s0:Ethernet0"
reason = 0
events = 0
)";

// A cut link has the link-down reason 36 (kNeighborUnknown) as long as it is down. A manager that sweeps every 2 ms
// logs it only once.
TEST(Judge, RegistersOfALinkEnd)
{
    const std::string cut = "[[fault]]\nat = \"1ms\"\nkind = \"cut-link\"\nlink = \"h1\"\n";
    EXPECT_EQ(judged(cut, kLinkLost),
              (Texts{"met: 0", "met: 36", "met: 0", "met: 0", "met: 0", "met: 0", "met: 0", "met: 0"}));
    EXPECT_EQ(judged(cut + "[manager]\nsweep = \"2ms\"\n", kLinkLost),
              (Texts{"met: 0", "met: 36", "met: 0", "failed: 1", "failed: 36", "met: 0", "met: 0", "met: 0"}));
}

TEST(Judge, ARunThatEndsBeforeDecidesNothing)
{
    const auto found = judged(kLineRate,
                              "[[expect]]\nkind = \"drops\"\nuntil = \"1ms\"\nframes = 0\n"
                              "[[expect]]\nkind = \"drops\"\nuntil = \"1.001ms\"\nframes = 0\n"
                              "[[expect]]\nkind = \"drops\"\nframes = 1\n",
                              kMs);
    EXPECT_EQ(found, (Texts{"met: 0", "not reached", "not reached"}));
}

TEST(Judge, AJudgedRunIsTheSameRun)
{
    const auto text =
        long_run(std::string{kWatched} + std::string{kLineRate} + std::string{kEvents} +
                 "[[expect]]\nkind = \"deadlock\"\nfrom = \"1.0003ms\"\nuntil = \"77.7ms\"\nqueues = 0\n");
    const auto judged_run = experiment(text);
    const Judge judge{*judged_run};
    const auto alone = experiment(text);
    judged_run->run_until(600 * kMs);
    alone->run_until(600 * kMs);
    EXPECT_EQ(judged_run->twin().totals().digest, alone->twin().totals().digest);
    EXPECT_EQ(judged_run->events().size(), alone->events().size());
    EXPECT_GT(alone->events().size(), 0U);
}

TEST(Judge, QuantitiesAsText)
{
    using scenario::Unit;
    EXPECT_EQ(quantity_text(3, Unit::count), "3");
    EXPECT_EQ(quantity_text(1.5 * twin::kUs, Unit::time), "1.5 us");
    EXPECT_EQ(quantity_text(kMs, Unit::time), "1 ms");
    EXPECT_EQ(quantity_text(-2.0 * kMs, Unit::time), "-2 ms");
    EXPECT_EQ(quantity_text(9.5e9, Unit::rate), "9.5 Gb/s");
    EXPECT_EQ(quantity_text(0.125, Unit::share), "12.5 %");
    EXPECT_EQ(quantity_text(std::numeric_limits<double>::quiet_NaN(), Unit::share), "nothing was sent");
}

}  // namespace
}  // namespace petrel::lab
