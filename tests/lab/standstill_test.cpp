// Which nodes stand still between two times: because of a storm, because of a deadlock in a ring, or only seemingly.
#include <gtest/gtest.h>

#include "lab/experiment_from_text.hpp"
#include "lab/standstill.hpp"

namespace petrel::lab {
namespace {

using test::experiment;
using twin::kMs;
using twin::kUs;
using twin::NodeId;
using twin::Ps;

struct Still {
    std::uint64_t nodes{};
    std::uint64_t switches{};
    std::uint64_t hosts{};
    std::uint64_t queues{};  // in a deadlock
    bool operator==(const Still&) const = default;
};

void PrintTo(const Still& still, std::ostream* out)
{
    *out << still.nodes << " nodes, " << still.switches << " switches, " << still.hosts << " hosts, " << still.queues
         << " queues";
}

// The nodes and queues that stand still from `from` to `until`.
Still between(const std::string& text, Ps from, Ps until)
{
    const auto run = experiment(text);
    run->run_until(from);
    const Standstill since{run->twin()};
    run->run_until(until);
    std::vector<NodeId> switches;
    std::vector<NodeId> hosts;
    const auto count = static_cast<std::uint32_t>(run->twin().setup().topology.nodes.size());
    for (std::uint32_t id = 0; id < count; ++id) {
        (run->twin().is_switch(NodeId{id}) ? switches : hosts).push_back(NodeId{id});
    }
    return {since.frozen({}), since.frozen(switches), since.frozen(hosts), since.deadlocked()};
}

// Three switches in a ring. The traffic of each host goes two hops around it, which at 10 Gb/s is twice the capacity of
// the links.
std::string ring(std::string_view rate, std::string_view stop)
{
    std::string text = R"(name = "ring"
duration = "40ms"
[topology]
kind = "ring"
switches = 3
hosts_per_switch = 1
host_links = { speed = "10G", delay = "1us" }
fabric_links = { speed = "10G", delay = "1us" }
[[switch]]
buffer = "1MiB"
alpha = -4
)";
    for (int i = 0; i < 3; ++i) {
        const auto from = std::to_string(i);
        const auto to = std::to_string((i + 2) % 3);
        text += "[[fault]]\nat = \"0ms\"\nkind = \"set-route\"\nto = \"h" + to + "\"\nports = [\"s" + from +
                ":Ethernet1\"]\n";
        text += "[[traffic]]\nfrom = \"h" + from + "\"\nto = \"h" + to + "\"\nreliable = false\ndscp = 3\nrate = \"" +
                std::string{rate} + "\"\nstop = \"" + std::string{stop} + "\"\n";
    }
    return text;
}

TEST(Standstill, ARingThatWaitsForItself)
{
    EXPECT_EQ(between(ring("10G", "40ms"), 20 * kMs, 30 * kMs), (Still{6, 3, 3, 3}));
}

// The hosts have nothing more to send, but the ring is still in a deadlock.
TEST(Standstill, ADeadlockOutlivesItsLoad)
{
    EXPECT_EQ(between(ring("10G", "10ms"), 20 * kMs, 30 * kMs), (Still{3, 3, 0, 3}));
}

TEST(Standstill, ARingWithFreeBufferIsNoDeadlock)
{
    EXPECT_EQ(between(ring("4G", "40ms"), 20 * kMs, 30 * kMs), (Still{}));
}

// The cycle of pauses exists for a moment, but it drains.
TEST(Standstill, ADrainingQueueIsNoDeadlock) { EXPECT_EQ(between(ring("10G", "20us"), 25 * kUs, 2 * kMs), (Still{})); }

constexpr std::string_view kStormOfH1 = R"(name = "storm"
duration = "40ms"
[topology]
kind = "dumbbell"
left = 1
right = 2
host_links = { speed = "10G", delay = "1us" }
middle_link = { speed = "10G", delay = "1us" }
[[switch]]
buffer = "1MiB"
[[fault]]
at = "0s"
kind = "storm"
host = "h1"
period = "1ms"
)";

std::string stormed(std::string_view traffic) { return std::string{kStormOfH1} + std::string{traffic}; }

constexpr std::string_view kIntoTheStorm = "[[traffic]]\nfrom = \"h0\"\nto = \"h1\"\ndscp = 3\nreliable = false\n";

// The nodes wait for a host and not for each other in a cycle, so this is no deadlock.
TEST(Standstill, AStormFreezesItsTreeAndIsNoDeadlock)
{
    EXPECT_EQ(between(stormed(kIntoTheStorm), 20 * kMs, 30 * kMs), (Still{3, 2, 1, 0}));
}

TEST(Standstill, AWindowInWhichItStillMovedIsNoStandstill)
{
    EXPECT_EQ(between(stormed(kIntoTheStorm), 0, 30 * kMs), (Still{}));
}

// The storm is on priority 3; the switches send frames of priority 4 all the time.
TEST(Standstill, ANodeThatSendsAnythingLosslessMoves)
{
    const auto other = std::string{kIntoTheStorm} + "[[traffic]]\nfrom = \"h2\"\nto = \"h0\"\ndscp = 4\n";
    EXPECT_EQ(between(stormed(other), 20 * kMs, 30 * kMs), (Still{1, 0, 1, 0}));
}

TEST(Standstill, AHostThatHasNothingToSendDoesNotStandStill)
{
    const auto limited = [](std::string_view when) { return stormed(std::string{kIntoTheStorm} + std::string{when}); };
    EXPECT_EQ(between(limited("stop = \"15ms\"\n"), 20 * kMs, 30 * kMs).hosts, 0U);
    EXPECT_EQ(between(limited("stop = \"25ms\"\n"), 20 * kMs, 30 * kMs).hosts, 0U);
    EXPECT_EQ(between(limited("stop = \"30ms\"\n"), 20 * kMs, 30 * kMs).hosts, 1U);
    EXPECT_EQ(between(limited("packets = 5\n"), 20 * kMs, 30 * kMs).hosts, 0U);
}

}  // namespace
}  // namespace petrel::lab
