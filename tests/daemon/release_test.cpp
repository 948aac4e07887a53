// `petrel release-all` without an agent: the treatments in the journal end, and so do the storms of the history and of
// the memory. The agents are simulated.
#include "daemon/release.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/agent/agent_command.hpp"
#include "daemon/released_memory.hpp"
#include "storming_port.hpp"
#include "support/shared_switch.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using test::SharedSwitch;
using test::SimulatedAgent;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using watchdog::EventKind;
using watchdog::Phase;
using watchdog::Treatment;

class ReleaseWithoutAgent : public testing::Test {
protected:
    std::unique_ptr<SimulatedAgent> live(const std::string& more = {})
    {
        auto config = fmt::format("{}[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n"
                                  "[[policy]]\npreset = \"sonic\"\ndetect_ms = 100\nrestore_ms = 300\npoll_ms = 100\n",
                                  more, (folder / "switch").string());
        return std::make_unique<SimulatedAgent>(
            time, SimulatedAgent::Options{.folder = folder.path(), .config = std::move(config)});
    }

    Released release_all() const
    {
        test::SharedSwitchDriver driver;
        const std::vector<Driver*> drivers{&driver};
        const auto config = cli::read_config({.config = (folder / "agent.toml").string(), .given = {}}, drivers);
        return release_from_journals(config.value(), drivers, "root").value();
    }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sw{folder / "switch", &time};
};

TEST_F(ReleaseWithoutAgent, EndsTheStormsOfTheHistory)
{
    auto life = live("[limits]\nmax_mitigated = 1\n");
    ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    sw.storm(kPort);
    ASSERT_NE(life->wait_for("storm_detected"), "");
    ASSERT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == Treatment::drop; }));
    sw.storm(kPort + 1);
    ASSERT_NE(life->wait_for("storm_alert"), "") << life->log_text();
    life->kill();

    const auto released = release_all();
    EXPECT_TRUE(released.all);
    EXPECT_EQ(sw.in_force(kPort), Treatment::none);
    sw.calm(kPort);
    sw.calm(kPort + 1);

    life = live("[limits]\nmax_mitigated = 1\n");
    ASSERT_NE(life->wait_for("device_watched"), "") << life->log_text();
    EXPECT_THAT(life->control({"events"}).out,
                AllOf(HasSubstr("Ethernet1:3  storm_released (drop): ordered by an operator"),
                      HasSubstr("Ethernet2:3  storm_released (alert): ordered by an operator")));
    EXPECT_THAT(life->control({"events", "--json"}).out,
                AllOf(HasSubstr(R"("event":"storm_released","device":"sw","port":"Ethernet1","queue":3,"policy":null,)"
                                R"("reason":"operator","action":"drop","cause":1,)"),
                      HasSubstr(R"("action":"alert","cause":2,)")));
    EXPECT_THAT(life->control({"queues", "--json"}).out, HasSubstr(R"("detected":1,"restored":1,)"));
    EXPECT_THAT(life->log_text(), testing::Not(HasSubstr("storms_go_on")));
}

watchdog::Checkpoint::Row row_of(std::uint8_t priority, std::uint64_t cause, Treatment treatment)
{
    watchdog::Checkpoint::Row row;
    row.target = {PortId{DeviceId{}, 0}, Priority{priority}};
    row.phase = treatment == Treatment::none ? Phase::watching : Phase::mitigated;
    row.treatment = treatment;
    row.cause = cause;
    row.storm_age = 3s;
    row.stats.detected = 1;
    return row;
}

TEST(ReleasedMemory, AStormOfAWholePortIsReleasedOnce)
{
    watchdog::Checkpoint memory;
    memory.next_seq = 8;
    memory.red_switch = true;
    memory.rows = {row_of(3, 5, Treatment::lossless_off), row_of(4, 5, Treatment::lossless_off)};
    const auto released = release_memory(memory, "root");
    ASSERT_EQ(released.events.size(), 2U);
    EXPECT_EQ(released.events[0].kind, EventKind::order_taken);
    EXPECT_EQ(released.events[1].kind, EventKind::storm_released);
    EXPECT_EQ(released.events[1].seq, 9U);
    EXPECT_EQ(released.events[1].cause, 5U);
    EXPECT_EQ(released.checkpoint.next_seq, 10U);
    EXPECT_FALSE(released.checkpoint.red_switch);
    EXPECT_EQ(released.checkpoint.rows[0].stats.restored, 1U);
    EXPECT_EQ(released.checkpoint.rows[1].stats.restored, 0U);
}

TEST(ReleasedMemory, EachQueueOfAnOrderIsReleasedAndNoStormIsCounted)
{
    watchdog::Checkpoint memory;
    memory.rows = {row_of(3, 5, Treatment::drop), row_of(4, 5, Treatment::drop)};
    for (auto& row : memory.rows) {
        row.ordered = true;
    }
    const auto released = release_memory(memory, "root");
    EXPECT_EQ(released.events.size(), 3U);
    for (const auto& row : released.checkpoint.rows) {
        EXPECT_EQ(row.stats.restored, 0U);
        EXPECT_EQ(row.phase, Phase::watching);
        EXPECT_EQ(row.treatment, Treatment::none);
        EXPECT_EQ(row.cause, 0U);
    }
}

TEST(ReleasedMemory, QueuesWithoutAStormHaveNoEvent)
{
    watchdog::Checkpoint memory;
    memory.rows = {row_of(3, 0, Treatment::none), row_of(4, 0, Treatment::none)};
    EXPECT_EQ(release_memory(memory, "root").events.size(), 1U) << "the order";
}

}  // namespace
}  // namespace petrel::daemon
