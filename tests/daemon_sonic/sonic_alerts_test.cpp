// Storms with the action `alert`, while orchagent is not running when the agent publishes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sonic_detector.hpp"

namespace petrel::daemon {
namespace {

class SonicAlertsOfAnAgent : public SonicDetector {
protected:
    void SetUp() override
    {
        SonicDetector::SetUp();
        if (!IsSkipped()) {
            build({.action = "alert"});
            listener = redis->connect(static_cast<int>(sonic::Db::counters));
            redis::Pipeline subscribe;
            subscribe.add({"SUBSCRIBE", "PFC_WD_ACTION"});
            ASSERT_TRUE(listener->run(subscribe));
            agent = live();
            run_until([&] { return !sonic->has_plugins(); });
        }
    }

    // Waits until the agent has published a message with this word, whether orchagent is running or not.
    void wait_for_message(const std::string& word)
    {
        std::string received;
        run_until([&] {
            EXPECT_TRUE(listener->messages([&](redis::View message) { received += message[2].text(); }));
            return received.find(word) != std::string::npos;
        });
    }

    std::unique_ptr<redis::Connection> listener;
    std::unique_ptr<test::SimulatedAgent> agent;
};

TEST_F(SonicAlertsOfAnAgent, ReachAnOrchagentThatComesLater)
{
    sonic->orchagent_leaves();
    stormed = {"Ethernet4:3"};
    wait_for_message("storm");
    sonic->orchagent_comes(false);
    wait_for_status("Ethernet4:3", "stormed");
    calm("Ethernet4:3");
    wait_for_status("Ethernet4:3", "operational");
}

TEST_F(SonicAlertsOfAnAgent, EndForAnOrchagentThatRemembersThem)
{
    stormed = {"Ethernet4:3"};
    wait_for_status("Ethernet4:3", "stormed");
    sonic->orchagent_leaves();
    calm("Ethernet4:3");
    wait_for_message("restore");
    sonic->orchagent_comes(true);
    wait_for_status("Ethernet4:3", "operational");
    EXPECT_EQ(sonic->get(sonic::Db::appl, "PFC_WD_TABLE_INSTORM:Ethernet4", "3"), "");
}

}  // namespace
}  // namespace petrel::daemon
