// The limit `max_mitigated` where orchagent mitigates: the agent does not send orchagent a storm above the limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sonic_detector.hpp"

namespace petrel::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(SonicDetector, AStormAboveTheLimitIsNotMitigated)
{
    build();
    const auto listener = redis->connect(static_cast<int>(sonic::Db::counters));
    redis::Pipeline subscribe;
    subscribe.add({"SUBSCRIBE", "sonic-events-swss"});
    ASSERT_TRUE(listener->run(subscribe));
    const auto agent = live_with("[limits]\nmax_mitigated = 1\n[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n",
                                 folder.path(), {"--redis", to_text(redis->address())});
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    stormed.emplace_back("Ethernet4:3");
    run_until([&] { return agent->control({"queues", "--stormed"}).out.find("Ethernet4") != std::string::npos; });
    calm("Ethernet4:3");
    run_until([&] { return agent->control({"queues", "--stormed"}).out.find("Ethernet4") == std::string::npos; });
    calm("Ethernet0:3");
    // This message follows all others about both storms.
    std::string received;
    run_until([&] {
        EXPECT_TRUE(listener->messages([&](redis::View message) { received += message[2].text(); }));
        return received.find(R"(pfc-storm-restored":{"ifname":"Ethernet0")") != std::string::npos;
    });
    sonic->catch_up();
    EXPECT_THAT(messages(), ElementsAre("Ethernet0:3 storm", "Ethernet0:3 restore"));
    EXPECT_THAT(received, Not(HasSubstr("Ethernet4"))) << "orchagent has not published the begin of this storm";
}

}  // namespace
}  // namespace petrel::daemon
