// A scenario's managers and the messages of its agents. Plans in scenarios/manager show what they do in incidents.
#include "lab/managers_in_twin.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/experiment_from_text.hpp"

namespace petrel::lab {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using twin::kMs;

constexpr std::string_view kManaged = R"(
name = "managed"
duration = "2s"

[topology]
kind = "leaf-spine"
leaves = 2
spines = 1
hosts_per_leaf = 2
host_links = { speed = "1G" }
fabric_links = { speed = "1G" }

[manager]
faster = 100
managers = 2

[[traffic]]
from = "h2"
to = "h0"
rate = "10M"
reliable = false

[[fault]]
at = "100ms"
kind = "storm"
host = "h0"
period = "10ms"
until = "300ms"

[[policy]]
preset = "sonic"
detect_ms = 100
restore_ms = 100
poll_ms = 100
)";

std::unique_ptr<Experiment> managed(std::string_view faults, unsigned threads = 1)
{
    auto run = test::experiment(std::string{kManaged} + std::string{faults}, threads);
    run->run_until(run->scenario().duration);
    return run;
}

// The history that the manager in use has of each device, as text.
std::string histories(const Experiment& run)
{
    std::string text;
    for (const auto& of : run.managers()->agents()) {
        for (const auto& event : run.managers()->manager().history(of.agent->name())) {
            text += fmt::format("{} {}\n", event.cursor, event.event);
        }
    }
    return text;
}

TEST(ManagersInTwin, TheManagerHasTheEventsOfTheAgents)
{
    const auto run = managed("");
    const auto& managers = *run->managers();
    ASSERT_THAT(managers.agents(), SizeIs(3));
    EXPECT_EQ(managers.compare_history(managers.agents()[0]).events, 2U);
    EXPECT_THAT(managers.in_use()->view().storms(twin::to_instant(run->twin().now())), IsEmpty());
    EXPECT_TRUE(managers.reports("leaf0"));
    const auto ports = managers.in_use()->view().ports(twin::to_instant(run->twin().now()));
    const auto port = std::ranges::find(ports, fabric::PortName{"leaf0", "Ethernet0"}, &fabric::ShownPort::name);
    ASSERT_NE(port, ports.end());
    EXPECT_EQ(port->neighbour, (fabric::PortName{"h0", "eth0"}));
    EXPECT_THAT(port->errors, SizeIs(1));
    EXPECT_THAT(port->queues, testing::Not(IsEmpty())) << "the state of the device";
}

TEST(ManagersInTwin, TheResultIsTheSameForAnyNumberOfThreads)
{
    constexpr std::string_view kFaults = R"(
[[fault]]
at = "50ms"
kind = "delay-messages"
takes = "150ms"
percent = 60
until = "900ms"

[[fault]]
at = "210ms"
kind = "kill-manager"
step = "stored"

[[fault]]
at = "230ms"
kind = "use-manager"
manager = 2
)";
    const auto alone = managed(kFaults);
    const auto together = managed(kFaults, 2);
    EXPECT_EQ(histories(*together), histories(*alone));
    EXPECT_NE(histories(*alone), "");
    EXPECT_EQ(together->twin().totals().digest, alone->twin().totals().digest);
}

// Messages do not travel through the fabric.
TEST(ManagersInTwin, DoNotChangeTheRun)
{
    const auto watched = managed("");
    auto text = std::string{kManaged};
    text.erase(text.find("[manager]"), std::string_view{"[manager]\nfaster = 100\nmanagers = 2\n"}.size());
    const auto alone = test::experiment(text);
    alone->run_until(alone->scenario().duration);
    EXPECT_EQ(watched->twin().totals().digest, alone->twin().totals().digest);
    EXPECT_EQ(alone->managers(), nullptr);
}

TEST(ManagersInTwin, ADeviceThatDoesNotReportIsUnknown)
{
    const auto run = managed("[[fault]]\nat = \"1s\"\nkind = \"lose-messages\"\ndevice = \"leaf0\"\n");
    EXPECT_FALSE(run->managers()->reports("leaf0"));
    EXPECT_TRUE(run->managers()->reports("leaf1"));
}

TEST(ManagersInTwin, AManagerThatIsDeadShowsNothing)
{
    const auto run = managed("[[fault]]\nat = \"1s\"\nkind = \"kill-manager\"\n");
    EXPECT_EQ(run->managers()->in_use(), nullptr);
}

}  // namespace
}  // namespace petrel::lab
