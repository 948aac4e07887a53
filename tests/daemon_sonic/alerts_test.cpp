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
    void tell(Phase phase, Treatment configured = Treatment::none) { alerts.tell(queue(configured, phase), now); }
    // After orchagent had enough time to react.
    std::vector<std::string> unheard()
    {
        now += 1s;
        return unheard_yet();
    }
    std::vector<std::string> unheard_yet()
    {
        std::vector<std::string> words;
        const auto found = alerts.unheard(store, now).value();
        for (const auto& [object, storm] : found) {
            words.push_back(object + (storm ? " storm" : " restore"));
        }
        return words;
    }

    test::MemoryStore store;
    Alerts alerts;
    Instant now{1h};
};

TEST_F(SonicAlerts, AreSaidAgainUntilTheyAreShown)
{
    show("operational");
    tell(Phase::alerted);
    EXPECT_THAT(unheard_yet(), IsEmpty()) << "orchagent may be about to";
    EXPECT_THAT(unheard(), ElementsAre("oid:0x15 storm"));
    EXPECT_THAT(unheard_yet(), IsEmpty());
    tell(Phase::alerted);
    EXPECT_THAT(unheard(), ElementsAre("oid:0x15 storm")) << "whatever else is told of the queue";
    show("stormed");
    EXPECT_THAT(unheard(), IsEmpty());
    show("operational");
    EXPECT_THAT(unheard(), ElementsAre("oid:0x15 storm")) << "an orchagent that was started anew knows nothing";
}

TEST_F(SonicAlerts, SoIsTheirEnd)
{
    show("stormed");
    tell(Phase::alerted);
    tell(Phase::watching);
    EXPECT_THAT(unheard(), ElementsAre("oid:0x15 restore"));
    show("operational");
    EXPECT_THAT(unheard(), IsEmpty());
    show("stormed");
    EXPECT_THAT(unheard(), ElementsAre("oid:0x15 restore")) << "one that remembers a storm is told that it is over";
}

TEST_F(SonicAlerts, AQueueThatOrchagentDoesNotWatchIsNotSpokenOf)
{
    tell(Phase::alerted);
    EXPECT_THAT(unheard(), IsEmpty());
    store.content.clear();
    EXPECT_THAT(unheard(), IsEmpty()) << "nor one without a name";
}

TEST_F(SonicAlerts, StormsThatAreActedOnAreOthersBusiness)
{
    show("operational");
    tell(Phase::alerted, Treatment::drop);  // withheld: too many queues are mitigated already
    EXPECT_THAT(unheard(), IsEmpty());
    tell(Phase::alerted);
    tell(Phase::mitigated, Treatment::drop);  // the operator changed the action during the storm
    EXPECT_THAT(unheard(), IsEmpty());
    tell(Phase::alerted);
    alerts.forget({"Ethernet0", 3});
    EXPECT_THAT(unheard(), IsEmpty());
    tell(Phase::watching);
    show("stormed");
    EXPECT_THAT(unheard(), IsEmpty()) << "we have said nothing of it";
}

}  // namespace
}  // namespace petrel::daemon
