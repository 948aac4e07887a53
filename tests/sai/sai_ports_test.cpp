// Ports that are removed from a switch and added again while the agent runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sai/bench.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using watchdog::Intake;

std::vector<std::string> names(const SaiBench& bench)
{
    std::vector<std::string> all;
    std::ranges::transform(bench.device->inventory().ports, std::back_inserter(all), &PortNames::name);
    return all;
}

TEST(SaiPorts, TheInventoryFollowsThePortsOfTheSwitch)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    const auto all = names(bench);
    const auto rows = bench.device->inventory().rows.size();
    const auto generation = bench.device->inventory().generation;
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_EQ(bench.device->inventory().generation, generation);

    bench.port(0).listed = false;
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_NE(bench.device->inventory().generation, generation);
    EXPECT_THAT(names(bench), testing::ElementsAreArray(all.begin() + 1, all.end())) << "the others keep their names";
    EXPECT_EQ(bench.device->inventory().rows.size(), rows - rows / all.size());
    EXPECT_EQ(bench.model->uses_of_removed, 0U);

    bench.queue(1, 3).state = sai::DeadlockState::paused;
    Intake fewer{bench.device->inventory(), bench.device->capabilities()};
    ASSERT_TRUE(bench.device->look({}, fewer));
    EXPECT_GT(bench.queue(1, 3).state_reads, 0U);
    EXPECT_EQ(bench.model->uses_of_removed, 0U);

    bench.port(0).listed = true;
    ASSERT_TRUE(bench.device->look({}, fewer));
    EXPECT_EQ(names(bench), all) << "the port is back under its name";
}

TEST(SaiPorts, ANoticeAboutAPortAfterTheChangeHasItsNewNumber)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    Received received;
    bench.device->listen(received);
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    bench.port(0).listed = false;
    ASSERT_TRUE(bench.device->look({}, intake));
    bench.model->notify(1, sai::OperStatus::down);
    EXPECT_THAT(received.all, IsEmpty()) << "the runner does not know the new numbers yet";
    Intake fewer{bench.device->inventory(), bench.device->capabilities()};
    ASSERT_TRUE(bench.device->look({}, fewer));
    bench.model->notify(1, sai::OperStatus::down);
    ASSERT_EQ(received.all.size(), 1U);
    EXPECT_EQ(received.all[0].target.port.index, 0);
}

class AgentOnPorts : public testing::Test {
protected:
    void open()
    {
        ASSERT_TRUE(bench_.open(""));
        runner_.emplace(bench_.clock, *bench_.device, disk_, book_of(watchdog::find_preset("sai")->policy));
    }
    std::vector<std::string> events() const
    {
        std::vector<std::string> texts;
        for (const auto& event : runner_->events) {
            texts.push_back(std::string{name(event.kind)} + ' ' + std::string{name(event.reason)});
        }
        return texts;
    }

    SaiBench bench_;
    lab::SimulatedDisk disk_;
    std::optional<SimulatedRunner> runner_;
};

TEST_F(AgentOnPorts, AStormOfARemovedPortEndsAndItsTreatmentIsUndoneWhenThePortIsBack)
{
    open();
    bench_.queue(1, 4).state = sai::DeadlockState::paused;
    runner_->run_until(Instant{1s});
    ASSERT_THAT(events(), ElementsAre("storm_detected proven"));
    ASSERT_TRUE(bench_.queue(1, 4).recovering);
    bench_.port(1).listed = false;
    runner_->run_until(Instant{2s});
    EXPECT_THAT(events(), testing::SizeIs(2)) << "the storm is closed";
    EXPECT_EQ(bench_.model->uses_of_removed, 0U);
    EXPECT_EQ(disk_.journaled().size(), 1U);
    bench_.port(1).listed = true;
    bench_.queue(1, 4).state = sai::DeadlockState::not_paused;
    runner_->run_until(Instant{4s});
    EXPECT_FALSE(bench_.queue(1, 4).recovering);
    EXPECT_THAT(disk_.journaled(), IsEmpty());
}

TEST_F(AgentOnPorts, OtherPortsAreWatchedMeanwhile)
{
    open();
    runner_->run_until(Instant{1s});
    bench_.port(0).listed = false;
    runner_->run_until(Instant{1500ms});
    bench_.queue(1, 3).state = sai::DeadlockState::paused;
    runner_->run_until(Instant{2500ms});
    EXPECT_THAT(events(), ElementsAre("storm_detected proven"));
    EXPECT_TRUE(bench_.queue(1, 3).recovering);
    EXPECT_EQ(bench_.model->uses_of_removed, 0U);
}

TEST_F(AgentOnPorts, LinksOfPortsThatComeAndGoAreFollowed)
{
    open();
    runner_->run_until(Instant{1s});
    bench_.port(1).status = sai::OperStatus::down;
    runner_->run_until(Instant{3s});
    EXPECT_THAT(events(), ElementsAre("link_down device"));
    bench_.port(0).listed = false;
    bench_.port(1).status = sai::OperStatus::up;
    runner_->run_until(Instant{5s});
    EXPECT_THAT(events(), ElementsAre("link_down device", "link_up device"));
    bench_.port(0).listed = true;
    bench_.port(0).status = sai::OperStatus::down;
    runner_->run_until(Instant{7s});
    EXPECT_THAT(events(), ElementsAre("link_down device", "link_up device", "link_down device"));
}

}  // namespace
}  // namespace petrel::test
