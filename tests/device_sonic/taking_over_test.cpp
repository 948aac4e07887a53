// Storms that SONiC's own scripts detected before the agent started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_sonic/on_switch.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::EventKind;

class TakingOver : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        on_.emplace();
        redis::Pipeline word;
        word.add({"PUBLISH", "PFC_WD_ACTION", R"([")" + SonicSwitch::queue_oid(kQueue) + R"(","storm"])"});
        ASSERT_TRUE(on_->server_.connect(static_cast<int>(Db::counters))->run(word));
        on_->sonic_->catch_up();
        ASSERT_EQ(status(), "stormed");
        on_->start(OnSwitch::policy());
    }

    std::string status() { return on_->sonic_->of_queue(kQueue, "PFC_WD_STATUS"); }

    void poll(bool paused)
    {
        auto& queue = on_->sonic_->queue(kQueue);
        queue.rx += paused ? 100 : 0;
        queue.pause_us += paused ? 200'000 : 0;
        queue.paused = paused;
        on_->poll();
    }

    std::optional<OnSwitch> on_;
};

TEST_F(TakingOver, AStormUnderWayStaysMitigated)
{
    for (int i = 0; i != 5; ++i) {
        poll(true);
    }
    on_->sonic_->catch_up();
    EXPECT_THAT(on_->sonic_->messages(), ElementsAre("Ethernet0:3 storm")) << "SONiC's own";
    ASSERT_EQ(on_->runner_->events.size(), 1U);
    EXPECT_EQ(on_->runner_->events[0].kind, EventKind::storm_detected);
    EXPECT_EQ(on_->runner_->events[0].reason, watchdog::Reason::reconciled);
}

TEST_F(TakingOver, AStormThatIsOverIsRestoredWhenQuietIsProven)
{
    poll(false);
    EXPECT_EQ(status(), "stormed") << "T1 has not passed";
    for (int i = 0; i != 5; ++i) {
        poll(false);
    }
    EXPECT_EQ(status(), "operational");
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 1);
    EXPECT_THAT(on_->disk_.journaled(), IsEmpty());
}

}  // namespace
}  // namespace petrel::test
