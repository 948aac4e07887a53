// lossless-off on a SONiC switch: every lossless queue of the port through orchagent, as one treatment of the port,
// also after a death of the agent at any point.
#include <gmock/gmock.h>

#include "device_sonic/on_switch.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Target kPort{{kSonicId, 0}, std::nullopt};  // Ethernet0
constexpr auto kMarks = "PETREL_PFC_WD|lossless_off";

class SonicLosslessOff : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        begin({});
    }

    void begin(SonicSwitch::Setup setup)
    {
        on_.emplace(std::move(setup));
        open();
    }
    void open()
    {
        const auto opened = on_->open();
        ASSERT_TRUE(opened) << opened.error().what;
    }

    Result<void> treat(const Target& target, Treatment want) { return on_->treat(target, want); }

    SonicSwitch& sonic() { return *on_->sonic_; }
    SonicDevice& device() { return *on_->device_; }
    std::string status(const std::string& queue) { return sonic().of_queue(queue, "PFC_WD_STATUS"); }
    std::string mark() { return sonic().get(Db::state, kMarks, "Ethernet0"); }

    std::optional<OnSwitch> on_;
};

TEST_F(SonicLosslessOff, IsAStormOnEveryLosslessQueueOfThePort)
{
    ASSERT_TRUE(has(device().capabilities().treatments, Treatment::lossless_off));
    ASSERT_TRUE(treat(kPort, Treatment::lossless_off));
    EXPECT_THAT(sonic().messages(), ElementsAre("Ethernet0:3 storm", "Ethernet0:4 storm"));
    EXPECT_EQ(status("Ethernet0:3"), "stormed");
    EXPECT_EQ(status("Ethernet0:4"), "stormed");
    EXPECT_EQ(status("Ethernet4:3"), "operational");
    EXPECT_EQ(device().read_back(kPort), Treatment::lossless_off);
    EXPECT_EQ(device().read_back({{kSonicId, 1}, std::nullopt}), Treatment::none);
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::none) << "it belongs to the port";

    ASSERT_TRUE(treat(kPort, Treatment::lossless_off)) << "repeating it is harmless";
    ASSERT_TRUE(treat(kPort, Treatment::none));
    EXPECT_EQ(status("Ethernet0:3"), "operational");
    EXPECT_EQ(status("Ethernet0:4"), "operational");
    EXPECT_EQ(device().read_back(kPort), Treatment::none);
    EXPECT_EQ(sonic().messages().size(), 4U);
    EXPECT_EQ(mark(), "");
}

TEST_F(SonicLosslessOff, IsRefusedIfOrchagentWouldNotDropOnEveryQueue)
{
    const auto reason = [&] {
        const auto refused = treat(kPort, Treatment::lossless_off);
        EXPECT_FALSE(refused);
        EXPECT_THAT(sonic().messages(), IsEmpty());
        EXPECT_EQ(mark(), "");
        return refused ? Error{} : refused.error();
    };
    sonic().watch("Ethernet0", "forward");
    EXPECT_THAT(reason().what, HasSubstr("Ethernet0:3: orchagent has the action forward for this queue"));
    EXPECT_EQ(reason().kind, ErrorKind::unsupported);
    sonic().watch("Ethernet0", "drop");
    sonic().remove(Db::counters, "COUNTERS:" + SonicSwitch::queue_oid("Ethernet0:4"));
    EXPECT_THAT(reason().what, HasSubstr("Ethernet0:4: orchagent does not watch this queue"));
    sonic().watch("Ethernet0", "drop");
    sonic().big_red_switch(true);
    EXPECT_EQ(reason().kind, ErrorKind::denied);
    EXPECT_FALSE(treat(kPort, Treatment::drop)) << "a treatment of queues";
    EXPECT_FALSE(treat(on_->target("Ethernet0:3"), Treatment::lossless_off));
}

TEST_F(SonicLosslessOff, StormsOfItsQueuesOutliveIt)
{
    const auto own = on_->target("Ethernet0:3");
    ASSERT_TRUE(treat(own, Treatment::drop));
    ASSERT_TRUE(treat(kPort, Treatment::lossless_off));
    EXPECT_EQ(device().read_back(own), Treatment::drop);
    ASSERT_TRUE(treat(kPort, Treatment::none));
    EXPECT_EQ(status("Ethernet0:3"), "stormed");
    EXPECT_EQ(status("Ethernet0:4"), "operational");
    ASSERT_TRUE(treat(kPort, Treatment::lossless_off));
    ASSERT_TRUE(treat(own, Treatment::none));
    EXPECT_EQ(status("Ethernet0:3"), "stormed") << "the port is still treated";
    EXPECT_EQ(device().read_back(kPort), Treatment::lossless_off);
    ASSERT_TRUE(treat(kPort, Treatment::none));
    EXPECT_EQ(status("Ethernet0:3"), "operational");
}

// Both commands are written before the result of the first one is awaited.
TEST_F(SonicLosslessOff, ACommandForAQueueMayFollowTheRestoreOfItsPort)
{
    const auto own = on_->target("Ethernet0:3");
    const watchdog::Command of_port{1, 0, kPort, Treatment::none, kNever};
    for (const auto want : {Treatment::drop, Treatment::none}) {
        const watchdog::Command of_queue{2, 0, own, want, kNever};
        ASSERT_TRUE(treat(kPort, Treatment::lossless_off));
        ASSERT_TRUE(device().apply(of_port, {}));
        ASSERT_TRUE(device().apply(of_queue, {}));
        ASSERT_TRUE(device().await_effect(of_port));
        ASSERT_TRUE(device().await_effect(of_queue));
        EXPECT_EQ(device().read_back(own), want);
        EXPECT_EQ(device().read_back(kPort), Treatment::none);
        EXPECT_EQ(status("Ethernet0:4"), "operational");
        EXPECT_EQ(mark(), "");
    }
}

// The agent dies before the first message, between two, after the last, and in the same places of the restore: with
// each number of stormed queues the mark is set.
TEST_F(SonicLosslessOff, TheNextAgentFindsWhatADeadOneLeft)
{
    const std::vector<std::pair<std::vector<std::string>, Treatment>> left{
        {{}, Treatment::none},
        {{"Ethernet0:3"}, Treatment::ignore_pause},
        {{"Ethernet0:3", "Ethernet0:4"}, Treatment::lossless_off}};
    for (const auto& [stormed, shown] : left) {
        begin({});
        sonic().set(Db::state, kMarks, "Ethernet0", "off");
        for (const auto& queue : stormed) {
            redis::Pipeline publish;
            publish.add({"PUBLISH", "PFC_WD_ACTION", "[\"" + SonicSwitch::queue_oid(queue) + "\",\"storm\"]"});
            ASSERT_TRUE(on_->server_.connect(static_cast<int>(Db::counters))->run(publish));
        }
        sonic().catch_up();
        open();
        EXPECT_EQ(device().read_back(kPort), shown);
        for (const auto* queue : {"Ethernet0:3", "Ethernet0:4"}) {
            EXPECT_EQ(device().read_back(on_->target(queue)), Treatment::none) << queue;
        }
        ASSERT_TRUE(treat(kPort, Treatment::none));
        EXPECT_EQ(status("Ethernet0:3"), "operational");
        EXPECT_EQ(status("Ethernet0:4"), "operational");
        EXPECT_EQ(mark(), "");
    }
}

// An agent with rdma-switch: one storm, one treatment, and both continue in the next agent.
TEST_F(SonicLosslessOff, IsOneStormOfTheAgentAlsoAfterItsDeath)
{
    auto policy = watchdog::find_preset("rdma-switch")->policy;
    policy.host_facing_only = false;
    policy.detect = policy.restore = 400ms;
    policy.poll = 200ms;
    begin({});
    on_->start(policy);
    auto& queue = sonic().queue("Ethernet0:3");
    const auto pause = [&] {
        queue.paused = true;
        queue.occupancy = 4096;
        queue.rx += 100;
        queue.pause_us += 200'000;
        on_->poll();
    };
    for (int i = 0; i != 6; ++i) {
        pause();
    }
    EXPECT_THAT(sonic().messages(), UnorderedElementsAre("Ethernet0:3 storm", "Ethernet0:4 storm"));
    EXPECT_EQ(on_->event_count(watchdog::EventKind::storm_detected), 1);

    on_->start(policy);  // with the journal of the first
    for (int i = 0; i != 6; ++i) {
        pause();
    }
    EXPECT_EQ(device().read_back(kPort), Treatment::lossless_off);
    EXPECT_EQ(sonic().messages().size(), 2U) << "nothing was published again";
    queue.paused = false;
    queue.occupancy = 0;
    for (int i = 0; i != 8; ++i) {
        on_->poll();
    }
    EXPECT_EQ(device().read_back(kPort), Treatment::none);
    EXPECT_EQ(status("Ethernet0:4"), "operational");
    EXPECT_EQ(on_->event_count(watchdog::EventKind::storm_restored), 1);
    EXPECT_THAT(on_->disk_.journaled(), IsEmpty());
}

}  // namespace
}  // namespace petrel::test
