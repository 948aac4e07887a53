// Fixture for tests of failures: an agent on a SONiC switch with one queue that the test puts into a storm.
#pragma once

#include <gmock/gmock.h>

#include "device_sonic/on_switch.hpp"

namespace petrel::test {

class SonicTrouble : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        on_.emplace();
    }

    SonicSwitch& sonic() { return *on_->sonic_; }
    std::string status() { return sonic().of_queue(kQueue, "PFC_WD_STATUS"); }
    std::string detected() { return sonic().of_queue(kQueue, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"); }

    void storms(int polls)
    {
        for (int i = 0; i != polls; ++i) {
            auto& queue = sonic().queue(kQueue);
            queue.rx += 100;
            queue.paused = true;
            queue.pause_us += 200'000;
            queue.occupancy = 4096;
            on_->poll();
        }
    }

    void quiet(int polls)
    {
        for (int i = 0; i != polls; ++i) {
            sonic().queue(kQueue).paused = false;
            sonic().queue(kQueue).occupancy = 0;
            on_->poll();
        }
    }

    // PFC frames continue to arrive; the signals of pause stop while the queue is mitigated.
    void frozen_storm(int polls)
    {
        for (int i = 0; i != polls; ++i) {
            if (status() == "stormed") {
                sonic().queue(kQueue).rx += 100;
                quiet(1);
            } else {
                storms(1);
            }
        }
    }

    void start_and_storm()
    {
        on_->start(OnSwitch::policy());
        quiet(2);
        storms(3);
        ASSERT_EQ(status(), "stormed");
        ASSERT_EQ(on_->event_count(watchdog::EventKind::storm_detected), 1);
    }

    void ends_well()
    {
        quiet(3);
        sonic().catch_up();
        EXPECT_EQ(status(), "operational");
        EXPECT_EQ(on_->event_count(watchdog::EventKind::storm_restored),
                  on_->event_count(watchdog::EventKind::storm_detected));
        EXPECT_THAT(on_->disk_.journaled(), testing::IsEmpty());
    }

    std::optional<OnSwitch> on_;
};

}  // namespace petrel::test
