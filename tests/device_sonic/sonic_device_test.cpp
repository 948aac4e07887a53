// The device on correct and on damaged databases. orchagent and syncd are the stand-ins of support/sonic_switch.hpp;
// Redis is real.
#include "device/sonic/sonic_device.hpp"

#include <gmock/gmock.h>
#include <poll.h>

#include <atomic>

#include "device_sonic/on_switch.hpp"
#include "support/redis_gate.hpp"

namespace petrel::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using watchdog::Field;

class SonicDeviceTest : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        begin({});
    }

    void begin(SonicSwitch::Setup setup) { on_.emplace(std::move(setup)); }

    SonicSwitch& sonic() { return *on_->sonic_; }
    SonicDevice& device() { return *on_->device_; }

    void open(device::sonic::Settings settings = kPatient)
    {
        const auto opened = on_->open(settings);
        ASSERT_TRUE(opened) << opened.error().what;
        intake_.emplace(device().inventory(), device().capabilities());
    }

    // One more poll, and the observations of a look at it.
    const watchdog::Observations& poll()
    {
        on_->clock_.advance(200ms);
        sonic().poll(on_->clock_.now().mono);
        return look();
    }

    void poll_without_device()
    {
        on_->clock_.advance(200ms);
        sonic().poll(on_->clock_.now().mono);
    }

    const watchdog::Observations& look()
    {
        intake_->begin();
        const auto looked = device().look({}, *intake_);
        EXPECT_TRUE(looked) << looked.error().what;
        return intake_->view();
    }

    std::vector<std::string> queues() const
    {
        std::vector<std::string> names;
        for (const auto& row : on_->device_->inventory().rows) {
            names.push_back(to_string(on_->device_->inventory(), row.target));
        }
        return names;
    }

    std::vector<std::string> touched() const
    {
        std::vector<std::string> names;
        const auto all = queues();
        for (const auto row : intake_->view().touched) {
            names.push_back(all[row.value]);
        }
        std::ranges::sort(names);
        return names;
    }

    Result<void> treat(const std::string& queue, Treatment want) { return on_->treat(on_->target(queue), want); }

    std::optional<OnSwitch> on_;
    std::optional<watchdog::Intake> intake_;
};

// ---- the rows of the inventory

TEST_F(SonicDeviceTest, RowsAreTheLosslessTheWatchedAndTheRegisteredQueues)
{
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet0", "pfc_enable", "3");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet0", "pfcwd_sw_enable", "4");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet4", "pfc_enable", "");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet4", "pfcwd_sw_enable", "3");
    open();
    EXPECT_THAT(queues(), ElementsAre("Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"));
    EXPECT_EQ(device().inventory().rows[0].speed, BitRate{100'000'000'000});
    sonic().unregister_queue("Ethernet0:4");
    sonic().unregister_queue("Ethernet4:4");
    open();
    EXPECT_THAT(queues(), ElementsAre("Ethernet0:3", "Ethernet0:4", "Ethernet4:3"));
}

TEST_F(SonicDeviceTest, CannotBeOpenedBeforeOrchagentWatchesAConfiguredQueue)
{
    begin({.action = ""});
    sonic().set(Db::config, "PFC_WD|Ethernet0", "detection_time", "400");
    const auto opened = on_->open();
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().what, HasSubstr("no queue has counters of PFC yet"));
    sonic().watch("Ethernet0");
    poll_without_device();
    EXPECT_TRUE(on_->open());
}

TEST_F(SonicDeviceTest, FollowsLinksOnlyWhileNoPortIsConfigured)
{
    begin({.action = ""});
    ASSERT_NO_FATAL_FAILURE(open());
    const auto complaint = [&] {
        on_->clock_.advance(1s);
        sonic().poll(on_->clock_.now().mono);
        intake_->begin();
        const auto looked = device().look({}, *intake_);
        return looked ? "" : looked.error().what;
    };
    const auto first_link = [&] { return device().read_links().value().at(0); };
    EXPECT_THAT(complaint(), HasSubstr("PFC_WD has no port"));
    EXPECT_EQ(first_link(), (link::LinkSample{"Ethernet0", true, false, 0, {}, {}}));
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "oper_status", "down");
    EXPECT_THAT(complaint(), HasSubstr("PFC_WD has no port"));
    EXPECT_FALSE(first_link().up);
    EXPECT_FALSE(device().wants_reopening());
    sonic().set(Db::config, "PFC_WD|Ethernet0", "detection_time", "400");
    EXPECT_THAT(complaint(), HasSubstr("no queue has counters of PFC yet"));
    EXPECT_FALSE(device().wants_reopening());
    sonic().watch("Ethernet0");
    EXPECT_EQ(complaint(), "");
    EXPECT_TRUE(device().wants_reopening());
}

// The memory of the agent is read with the rows of the device, so no row may be missing.
TEST_F(SonicDeviceTest, CannotBeOpenedForItsLinksWhileQueuesHaveNoNames)
{
    begin({.action = ""});
    sonic().lose_names();
    EXPECT_FALSE(on_->open());
    sonic().name_queues("Ethernet0");
    EXPECT_FALSE(on_->open());
    sonic().name_queues("Ethernet4");
    EXPECT_TRUE(on_->open());
}

TEST_F(SonicDeviceTest, ANewLayoutChangesTheGenerationAndGivesNoSamples)
{
    open();
    poll();
    const auto before = device().inventory().generation;
    sonic().unregister_queue("Ethernet4:4");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet4", "pfc_enable", "3");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet4", "pfcwd_sw_enable", "3");
    EXPECT_THAT(poll().touched, IsEmpty());
    EXPECT_NE(device().inventory().generation, before);
    EXPECT_THAT(queues(), ElementsAre("Ethernet0:3", "Ethernet0:4", "Ethernet4:3"));
    intake_.emplace(device().inventory(), device().capabilities());
    EXPECT_EQ(look().touched.size(), 3U);
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet4", "pfcwd_sw_enable", "3,4");
    sonic().watch("Ethernet4");
    look();
    intake_.emplace(device().inventory(), device().capabilities());
    EXPECT_EQ(look().touched.size(), 4U) << "the rows of the new inventory were not read yet";
}

// A port loses its lossless priorities during a storm. The row of its mitigated queue stays, so that the agent can
// restore the queue.
TEST_F(SonicDeviceTest, AQueueThatIsTreatedStaysUntilThatIsOver)
{
    open();
    poll();
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::drop));
    redis::Pipeline forget;  // the queue is only treated
    forget.add({"HDEL", "COUNTERS:" + SonicSwitch::queue_oid("Ethernet0:3"), "PFC_WD_DETECTION_TIME"});
    ASSERT_TRUE(on_->server_.connect(static_cast<int>(Db::counters))->run(forget));
    sonic().unregister_queue("Ethernet0:4");
    sonic().remove(Db::config, "PORT_QOS_MAP|Ethernet0");
    look();
    EXPECT_THAT(queues(), ElementsAre("Ethernet0:3", "Ethernet4:3", "Ethernet4:4"));
    open();  // also for a device that is opened afterwards
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::drop);
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::none));
    EXPECT_EQ(sonic().of_queue("Ethernet0:3", "PFC_WD_STATUS"), "operational");
    sonic().set(Db::config, "PORT|Ethernet4", "speed", "400000");
    look();
    EXPECT_THAT(queues(), ElementsAre("Ethernet4:3", "Ethernet4:4"));
}

TEST_F(SonicDeviceTest, MissingCountersAreReported)
{
    open();
    poll();
    redis::Pipeline flush;
    flush.add({"FLUSHDB"});
    ASSERT_TRUE(on_->server_.connect(static_cast<int>(Db::counters))->run(flush));
    for (int i = 0; i != 10; ++i) {
        on_->clock_.advance(200ms);
        intake_->begin();
        if (const auto looked = device().look({}, *intake_); !looked) {
            EXPECT_THAT(looked.error().what, HasSubstr("COUNTERS_QUEUE_NAME_MAP"));
            return;
        }
    }
    FAIL() << "an empty database looks like a calm switch";
}

TEST_F(SonicDeviceTest, WithoutNotificationsChangesAreFoundWithinASecond)
{
    for (const auto* events : {"", "AE", "AK"}) {  // none, none by key (keyspace), none by event (keyevent)
        begin({});
        redis::Pipeline setting;
        setting.add({"CONFIG", "SET", "notify-keyspace-events", events});
        ASSERT_TRUE(on_->server_.connect(0)->run(setting));
        open();
        poll();
        sonic().set(Db::config, "PORT|Ethernet4", "speed", "400000");
        for (int i = 0; i != 5; ++i) {
            poll();
        }
        EXPECT_EQ(device().inventory().rows[2].speed, BitRate{400'000'000'000}) << events;
    }
}

// ---- the fields of the rows

TEST_F(SonicDeviceTest, AQueueThatIsNotMappedOrNotWatchedHarmsNoOther)
{
    redis::Pipeline unmap;
    unmap.add({"HDEL", "COUNTERS_QUEUE_NAME_MAP", "Ethernet0:3"});
    unmap.add({"HSET", "COUNTERS_QUEUE_NAME_MAP", "Ethernet0:4", "nonsense"});
    unmap.add({"SET", "COUNTERS:nonsense", "not a hash"});
    unmap.add({"HDEL", "COUNTERS_PORT_NAME_MAP", "Ethernet4"});
    ASSERT_TRUE(on_->server_.connect(2)->run(unmap));
    sonic().unwatch("Ethernet0");
    open();
    EXPECT_THAT(queues(), ElementsAre("Ethernet0:4", "Ethernet4:3", "Ethernet4:4"));
    poll();
    poll();
    EXPECT_THAT(touched(), ElementsAre("Ethernet4:3", "Ethernet4:4"));
}

TEST_F(SonicDeviceTest, AValueThatIsNoNumberIsUnknownAndNotedOnce)
{
    open();
    const auto pause_all = [&] {
        for (const auto& queue : queues()) {
            sonic().queue(queue).pause_us += 1000;  // without pause the device does not read the packets
        }
    };
    pause_all();
    poll();
    for (int i = 0; i != 3; ++i) {
        pause_all();
        on_->clock_.advance(200ms);
        sonic().poll(on_->clock_.now().mono);
        sonic().set_of_queue("Ethernet0:3", "SAI_QUEUE_STAT_PACKETS", "-12");
        sonic().set_of_queue("Ethernet0:4", "SAI_QUEUE_STAT_PACKETS", "1e5");
        sonic().set_of_queue("Ethernet4:3", "SAI_QUEUE_ATTR_PAUSE_STATUS", "perhaps");
        const auto& seen = look();
        EXPECT_FALSE(has(seen.known[0], Field::tx_packets));
        EXPECT_TRUE(has(seen.known[0], Field::rx_pfc));
        EXPECT_FALSE(has(seen.known[1], Field::tx_packets));
        EXPECT_FALSE(has(seen.known[2], Field::paused_now));
        EXPECT_TRUE(has(seen.known[3], Field::tx_packets));
    }
    EXPECT_EQ(std::ranges::count_if(on_->notes_, [](const auto& n) { return n.find("tx_packets") != n.npos; }), 1);
}

TEST_F(SonicDeviceTest, DerivesMissingSignalsFromTheStateAndNotesIt)
{
    open();
    EXPECT_FALSE(has(device().capabilities().fields, Field::pause_state));
    EXPECT_THAT(on_->notes_, IsEmpty());
    begin({.pause_time = false, .transitions = false});
    open();
    EXPECT_TRUE(has(device().capabilities().fields, Field::pause_state));
    EXPECT_THAT(on_->notes_, ElementsAre(HasSubstr("paused at two polls in a row and sends nothing")));
    poll();
    poll();
    poll();
    on_->clock_.advance(200ms);
    sonic().poll(on_->clock_.now().mono);
    sonic().set_of_queue("Ethernet0:3", "SAI_QUEUE_ATTR_PAUSE_STATUS", "perhaps");
    EXPECT_FALSE(has(look().known[0], Field::pause_state));
    EXPECT_TRUE(has(intake_->view().known[1], Field::pause_state));
}

TEST_F(SonicDeviceTest, CountersWithoutANewPollGiveNoSample)
{
    open();
    poll();
    poll();
    EXPECT_EQ(touched().size(), 4U);
    on_->clock_.advance(200ms);
    EXPECT_THAT(look().touched, IsEmpty()) << "syncd has not polled";
    sonic().set_of_queue("Ethernet0:3", "PFC_WD_QUEUE_STATS_TX_PACKETS", "7");
    EXPECT_THAT(look().touched, IsEmpty()) << "orchagent has written";
}

TEST_F(SonicDeviceTest, ALinkThatIsDownOrWasIsAnotherEpoch)
{
    open();
    poll();
    EXPECT_TRUE(has(poll().known[0], Field::rx_pfc));
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "oper_status", "down");
    EXPECT_NE(poll().pause[0] & watchdog::kLinkDown, 0);
    EXPECT_EQ(intake_->view().pause[2] & watchdog::kLinkDown, 0);
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "oper_status", "up");
    EXPECT_EQ(poll().known[0], 0U);
    EXPECT_TRUE(has(poll().known[0], Field::rx_pfc));
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "flap_count", "17");
    EXPECT_EQ(poll().known[0], 0U) << "the link was down between two looks";
    EXPECT_TRUE(has(intake_->view().known[2], Field::rx_pfc));
}

TEST_F(SonicDeviceTest, LinksAreReadFromTheDatabase)
{
    open();
    poll();
    const auto link = [&] {
        const auto samples = device().read_links().value();
        return *std::ranges::find(samples, "Ethernet0", &link::LinkSample::port);
    };
    const auto set = [&](const std::string& status, const std::string& flaps) {
        sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "oper_status", status);
        sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "flap_count", flaps);
        poll();
    };
    set("up", "4");
    EXPECT_EQ(link(), (link::LinkSample{"Ethernet0", true, false, 0, {}, {}}));
    set("up", "8");
    EXPECT_EQ(link().downs, 2U) << "down, up, down, up";
    EXPECT_EQ(link().downs, 0U);
    set("down", "9");
    EXPECT_EQ(link(), (link::LinkSample{"Ethernet0", false, false, 1, {}, {}}));
    set("down", "11");
    EXPECT_EQ(link().downs, 1U) << "up and down";
    set("up", "1");
    EXPECT_EQ(link().downs, 0U) << "orchagent counts from zero after its restart";
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "admin_status", "down");
    set("down", "2");
    EXPECT_TRUE(link().disabled);
}

TEST_F(SonicDeviceTest, ALinkThatWentDownHasTheErrorThatOrchagentRecordedThen)
{
    open();
    poll();
    const auto code = [&] {
        poll();
        const auto samples = device().read_links().value();
        return std::ranges::find(samples, "Ethernet0", &link::LinkSample::port)->code;
    };
    const auto port = [&](const std::string& field, const std::string& value) {
        sonic().set(Db::appl, "PORT_TABLE:Ethernet0", field, value);
    };
    const auto error = [&](const std::string& bits, const std::string& time) {
        sonic().set(Db::state, "PORT_OPERR_TABLE|Ethernet0", "oper_error_status", bits);
        sonic().set(Db::state, "PORT_OPERR_TABLE|Ethernet0", "oper_error_status_time", time);
    };
    const link::RawCode signal_loss{link::list_named("sonic.oper_error_status").value(), 0x800};
    error("2048", "2026-03-31 23:59:58");
    EXPECT_EQ(code(), std::nullopt) << "no time of the link";
    port("oper_status", "down");
    port("last_down_time", "Tue Mar 31 23:59:58 2026");
    EXPECT_EQ(code(), signal_loss);
    EXPECT_EQ(code(), signal_loss) << "the link has not changed";
    port("oper_status", "up");
    code();
    port("oper_status", "down");
    port("last_down_time", "Wed Apr  1 00:00:03 2026");
    EXPECT_EQ(code(), std::nullopt) << "of an earlier time";
    const std::vector<std::pair<std::string, std::string>> invalid{
        {"2048", "soon"}, {"2048", "2026-04-01 00:00:03 or so"}, {"-1", "2026-04-01 00:00:03"}, {"", ""}};
    for (const auto& [bits, time] : invalid) {
        error(bits, time);
        port("flap_count", bits + time);
        EXPECT_EQ(code(), std::nullopt) << bits << ' ' << time;
    }
    error("2048", "2026-04-01 00:00:03");
    port("flap_count", "7");
    EXPECT_EQ(code(), signal_loss);
    port("last_down_time", "yesterday");
    port("flap_count", "9");
    EXPECT_EQ(code(), std::nullopt);
}

TEST_F(SonicDeviceTest, StampsOfDifferentClocksAreNotCompared)
{
    open();
    poll();
    EXPECT_TRUE(has(poll().known[0], Field::rx_pfc));
    on_->setup_.stamps = false;  // syncd is replaced by an older version
    on_->restart_switch();
    sonic().remove(Db::counters, "COUNTERS:TIME_STAMP");
    EXPECT_EQ(poll().known[0], 0U);
    EXPECT_TRUE(has(poll().known[0], Field::rx_pfc));
}

TEST_F(SonicDeviceTest, QueuesUnderTheBigRedSwitchAreNotJudged)
{
    open();
    poll();
    sonic().set_of_queue("Ethernet0:3", "BIG_RED_SWITCH_MODE", "enable");
    sonic().set_of_queue("Ethernet0:3", "PFC_WD_STATUS", "stormed");
    poll();
    EXPECT_THAT(touched(), ElementsAre("Ethernet0:4", "Ethernet4:3", "Ethernet4:4"));
    EXPECT_THAT(sonic().messages(), IsEmpty());
    const auto refused = treat("Ethernet0:3", Treatment::drop);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::denied);
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::none);
}

TEST_F(SonicDeviceTest, TheBigRedSwitchEndsOurStorm)
{
    open();
    poll();
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::drop));
    sonic().set_of_queue("Ethernet0:3", "BIG_RED_SWITCH_MODE", "enable");
    EXPECT_TRUE(treat("Ethernet0:3", Treatment::none)) << "there is nothing to publish";
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::none);
    EXPECT_THAT(sonic().messages(), ElementsAre("Ethernet0:3 storm"));
}

// ---- messages to orchagent

// orchagent logs these counters as `additional info`. Their names and order are those of SONiC's script for such
// switches.
TEST_F(SonicDeviceTest, AStormMessageHasTheCountersOfTheLastTwoPolls)
{
    begin({.transitions = false, .pause_status = false});
    open();
    auto& queue = sonic().queue("Ethernet0:3");
    for (int i = 0; i != 3; ++i) {
        queue.occupancy = 4096;
        queue.rx += 100;
        queue.pause_us += 200'000;
        poll();
    }
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::drop));
    EXPECT_THAT(sonic().additional_info(),
                testing::MatchesRegex("occupancy:4096\\|packets:0\\|packets_last:0\\|pfc_rx_packets:300\\|"
                                      "pfc_rx_packets_last:200\\|pfc_duration:600000\\|pfc_duration_last:400000\\|"
                                      "timestamp:[0-9.]+\\|timestamp_last:[0-9.]+\\|effective_poll_time:200000\\|"
                                      "effective_pfcwd_poll_time_last:200000"));
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::none));
    EXPECT_EQ(sonic().additional_info(), "");
}

TEST_F(SonicDeviceTest, ACommandIsAMessageToOrchagentAndShowsAsTheConfiguredAction)
{
    sonic().watch("Ethernet4", "forward");
    open();
    poll();
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::none);
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::drop));
    ASSERT_TRUE(treat("Ethernet4:3", Treatment::ignore_pause));
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::drop);
    EXPECT_EQ(device().read_back(on_->target("Ethernet4:3")), Treatment::ignore_pause);
    EXPECT_EQ(device().read_back({{kSonicId, 0}, std::nullopt}), Treatment::none);
    EXPECT_EQ(sonic().of_queue("Ethernet0:3", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "1");
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::drop));
    EXPECT_THAT(sonic().messages(), ElementsAre("Ethernet0:3 storm", "Ethernet4:3 storm"))
        << "the second request changes nothing";
    ASSERT_TRUE(treat("Ethernet0:3", Treatment::none));
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::none);
    EXPECT_EQ(sonic().get(Db::appl, "PFC_WD_TABLE_INSTORM:Ethernet0", "3"), "");
    EXPECT_FALSE(treat("Ethernet0:3", Treatment::squeeze));
}

TEST_F(SonicDeviceTest, ACommandFailsWithAReasonWhileOrchagentIsDown)
{
    open();
    sonic().orchagent_leaves();
    const auto failed = treat("Ethernet0:3", Treatment::drop);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::unreachable);
    EXPECT_THAT(failed.error().what, HasSubstr("orchagent does not run"));
    EXPECT_TRUE(treat("Ethernet0:4", Treatment::none)) << "nothing is in force there";
}

TEST_F(SonicDeviceTest, WaitsForASlowOrchagentOnlyUpToALimit)
{
    open({60s, 1ms});
    sonic().hold();
    const auto late = treat("Ethernet0:3", Treatment::drop);
    sonic().release();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::timed_out);
    sonic().catch_up();
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::drop) << "orchagent acts on the message later";
}

// After a command the device reads PFC_WD_STATUS until orchagent reacts. If it waited like that for each queue, the
// message about the last queue would be late.
TEST_F(SonicDeviceTest, ASlowOrchagentIsWaitedForOnce)
{
    std::atomic<int> commands{0};
    const RedisGate gate{on_->server_.address(), [&] { ++commands; }};
    on_->through_ = gate.address();
    open({60s, 100ms});
    sonic().hold();
    const auto cost = [&](const std::string& queue) {
        const int before = commands;
        EXPECT_FALSE(treat(queue, Treatment::drop));
        return commands - before;
    };
    EXPECT_GT(cost("Ethernet0:3"), 40);
    EXPECT_LT(cost("Ethernet0:4"), 10);
    sonic().release();
    sonic().catch_up();
    EXPECT_THAT(sonic().messages(), ElementsAre("Ethernet0:3 storm", "Ethernet0:4 storm"));
    EXPECT_TRUE(treat("Ethernet0:3", Treatment::drop)) << "the treatment is in force";
    sonic().hold();
    EXPECT_GT(cost("Ethernet4:3"), 40) << "orchagent answered in between, so the device waits again";
    sonic().release();
}

// orchagent reads several messages at a time. If the device waited for the first result before it sent the second
// message, this orchagent would never act.
TEST_F(SonicDeviceTest, TheMessagesOfStormsThatBeginTogetherAreSentTogether)
{
    const auto all = {"Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"};
    on_->start(OnSwitch::policy());
    const auto poll_all = [&](bool paused) {
        for (const auto* name : all) {
            auto& queue = sonic().queue(name);
            queue.paused = paused;
            queue.rx += paused ? 100 : 0;
            queue.pause_us += paused ? 200'000 : 0;
        }
        on_->poll();
    };
    sonic().act_after(4);
    for (int i = 0; i != 4; ++i) {
        poll_all(true);
    }
    EXPECT_THAT(sonic().messages(), UnorderedElementsAre("Ethernet0:3 storm", "Ethernet0:4 storm", "Ethernet4:3 storm",
                                                         "Ethernet4:4 storm"));
    EXPECT_EQ(on_->event_count(watchdog::EventKind::storm_detected), 4);
    EXPECT_THAT(on_->disk_.journaled(), SizeIs(4));
    sonic().act_after(8);
    for (int i = 0; i != 8; ++i) {
        poll_all(false);
    }
    EXPECT_EQ(on_->event_count(watchdog::EventKind::storm_restored), 4);
    EXPECT_EQ(on_->event_count(watchdog::EventKind::mitigation_failed), 0);
    EXPECT_THAT(on_->disk_.journaled(), IsEmpty());
}

TEST_F(SonicDeviceTest, AFailedActionIsReported)
{
    open({60s, 1ms});
    sonic().hold();
    ASSERT_FALSE(treat("Ethernet0:3", Treatment::drop));
    sonic().become_unable();
    sonic().release();
    sonic().catch_up();
    EXPECT_EQ(sonic().get(Db::state, "PFC_WD_SW_STATE_TABLE|Ethernet0:3", "status"), "failed");
    const auto failed = treat("Ethernet0:3", Treatment::drop);
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().what, HasSubstr("PFC_WD_SW_STATE_TABLE|Ethernet0:3 is 'failed'"));
    sonic().set_of_queue("Ethernet0:3", "PFC_WD_STATUS", "stormed");
    sonic().hold();
    const auto late = treat("Ethernet0:3", Treatment::none);
    sonic().release();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::timed_out) << "the read-back timed out, not the restore";
}

TEST_F(SonicDeviceTest, AStormThatWasNotRequestedIsRestored)
{
    open();
    poll();
    poll();
    redis::Pipeline word;
    word.add({"PUBLISH", "PFC_WD_ACTION",
              "[\"" + SonicSwitch::queue_oid("Ethernet4:4") + "\",\"storm\",\"from\",\"elsewhere\"]"});
    ASSERT_TRUE(on_->server_.connect(2)->run(word));
    sonic().catch_up();
    poll();
    sonic().catch_up();
    EXPECT_EQ(sonic().of_queue("Ethernet4:4", "PFC_WD_STATUS"), "operational");
}

TEST_F(SonicDeviceTest, AnAlertIsNotRestored)
{
    begin({.action = "alert"});
    open();
    poll();
    sonic().set_of_queue("Ethernet0:3", "PFC_WD_STATUS", "stormed");
    poll();
    EXPECT_THAT(sonic().messages(), IsEmpty());
    EXPECT_EQ(device().read_back(on_->target("Ethernet0:3")), Treatment::none);
}

TEST_F(SonicDeviceTest, AnActionChangedToAlertIsReadWithTheStorm)
{
    open();
    poll();
    poll();
    sonic().watch("Ethernet0", "alert");
    sonic().set_of_queue("Ethernet0:3", "PFC_WD_STATUS", "stormed");
    poll();
    ASSERT_TRUE(treat("Ethernet4:3", Treatment::drop));
    EXPECT_THAT(sonic().messages(), ElementsAre("Ethernet4:3 storm"));
}

// ---- SONiC's own detector

TEST_F(SonicDeviceTest, ScriptsAreOutWhileTheDeviceIsOpen)
{
    poll_without_device();
    EXPECT_EQ(sonic().plugin_runs(), 2);
    open();
    look();
    for (int i = 0; i != 5; ++i) {
        poll();
    }
    EXPECT_EQ(sonic().plugin_runs(), 3) << "once before the agent had seen two polls";
    EXPECT_EQ(sonic().get(Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "POLL_INTERVAL"), "200");
    EXPECT_EQ(sonic().get(Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "FLEX_COUNTER_STATUS"), "enable");
    EXPECT_NE(sonic().get(Db::state, "PETREL_PFC_WD|plugins", "QUEUE_PLUGIN_LIST"), "");
    on_->device_.reset();
    poll_without_device();
    EXPECT_EQ(sonic().plugin_runs(), 4);
    EXPECT_EQ(sonic().get(Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "QUEUE_PLUGIN_LIST"),
              "sha-detect,sha-restore");
    EXPECT_EQ(sonic().get(Db::state, "PETREL_PFC_WD|plugins", "QUEUE_PLUGIN_LIST"), "");
}

// A look that waits for the next poll ends for a change in a database, and if another call of the device waits.
TEST_F(SonicDeviceTest, ALookWaitsForMoreThanThePoll)
{
    std::vector<int> awaited;
    open({60s, 60s, 50ms, 250ms, [&](std::span<const int> fds, Duration) { awaited.assign(fds.begin(), fds.end()); }});
    EXPECT_EQ(device().capabilities().look_waits, 250ms);
    const device::Waker waker;
    device().set_waker(waker);
    poll();
    look();
    waker.wake();
    awaited.clear();
    look();
    EXPECT_THAT(awaited, SizeIs(6)) << "the report of the poll, changes in four databases, the waker";
    EXPECT_THAT(awaited, Contains(waker.fd()));
    pollfd woken{waker.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&woken, 1, 0), 0) << "the next look waits again";
}

}  // namespace
}  // namespace petrel::test
