#include "daemon/sonic/alerts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/memory_store.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::Phase;
using watchdog::Treatment;

control::QueueReport queue(Treatment configured, Phase phase)
{
    control::QueueReport report;
    report.port = "Ethernet0";
    report.priority = 3;
    report.configured = configured;
    report.phase = phase;
    return report;
}

class SonicAlerts : public testing::Test {
protected:
    SonicAlerts() { store.content[sonic::Db::counters]["COUNTERS_QUEUE_NAME_MAP"] = {{"Ethernet0:3", "oid:0x15"}}; }

    void show(const std::string& status)
    {
        store.content[sonic::Db::counters]["COUNTERS:oid:0x15"] = {{"PFC_WD_STATUS", status}};
    }
    void update(Phase phase, Treatment configured = Treatment::none) { alerts.update(queue(configured, phase), now); }
    // After orchagent had enough time to react.
    std::vector<std::string> unconfirmed()
    {
        now += 1s;
        return unheard_yet();
    }
    std::vector<std::string> unheard_yet()
    {
        std::vector<std::string> messages;
        const auto found = alerts.unconfirmed(store, now).value();
        for (const auto& [object, storm] : found) {
            messages.push_back(object + (storm ? " storm" : " restore"));
        }
        return messages;
    }

    test::MemoryStore store;
    Alerts alerts;
    Instant now{1h};
};

TEST_F(SonicAlerts, AreRepeatedUntilOrchagentShowsThem)
{
    show("operational");
    update(Phase::alerted);
    EXPECT_THAT(unheard_yet(), IsEmpty()) << "orchagent may be about to";
    EXPECT_THAT(unconfirmed(), ElementsAre("oid:0x15 storm"));
    EXPECT_THAT(unheard_yet(), IsEmpty());
    update(Phase::alerted);
    EXPECT_THAT(unconfirmed(), ElementsAre("oid:0x15 storm")) << "independent of other reports about the queue";
    show("stormed");
    EXPECT_THAT(unconfirmed(), IsEmpty());
    show("operational");
    EXPECT_THAT(unconfirmed(), ElementsAre("oid:0x15 storm")) << "a restarted orchagent has lost the storm";
}

TEST_F(SonicAlerts, TheirEndIsRepeatedToo)
{
    show("stormed");
    update(Phase::alerted);
    update(Phase::watching);
    EXPECT_THAT(unconfirmed(), ElementsAre("oid:0x15 restore"));
    show("operational");
    EXPECT_THAT(unconfirmed(), IsEmpty());
    show("stormed");
    EXPECT_THAT(unconfirmed(), ElementsAre("oid:0x15 restore")) << "an orchagent that kept the storm gets its end";
}

TEST_F(SonicAlerts, IgnoreQueuesThatOrchagentDoesNotWatch)
{
    update(Phase::alerted);
    EXPECT_THAT(unconfirmed(), IsEmpty());
    store.content.clear();
    EXPECT_THAT(unconfirmed(), IsEmpty()) << "a queue without a name needs no message either";
}

TEST_F(SonicAlerts, IgnoreStormsThatAreMitigated)
{
    show("operational");
    update(Phase::alerted, Treatment::drop);  // withheld: too many queues are mitigated already
    EXPECT_THAT(unconfirmed(), IsEmpty());
    update(Phase::alerted);
    update(Phase::mitigated, Treatment::drop);  // the operator changed the action during the storm
    EXPECT_THAT(unconfirmed(), IsEmpty());
    update(Phase::alerted);
    alerts.forget({"Ethernet0", 3});
    EXPECT_THAT(unconfirmed(), IsEmpty());
    update(Phase::watching);
    show("stormed");
    EXPECT_THAT(unconfirmed(), IsEmpty()) << "no message was sent about it";
}

}  // namespace
}  // namespace petrel::daemon
