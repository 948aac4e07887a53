// pfc_stat_history while SONiC's scripts are out: from syncd's counters, through Redis, to the fields that pfcstat
// shows.
#include <gmock/gmock.h>

#include "device_sonic/on_switch.hpp"
#include "sonic_tools/tools.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using testing::ContainsRegex;

constexpr auto kTotal = "RX_PAUSE_DURATION_US";
constexpr auto kLength = "RECENT_PAUSE_TIME_US";
constexpr auto kBegan = "RECENT_PAUSE_TIMESTAMP";

class SonicHistory : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        begin({.pause_time = false});
    }

    void begin(SonicSwitch::Setup setup)
    {
        on_.emplace(std::move(setup));
        on_->clock_.step_wall(1'700'000'000s);
    }

    SonicSwitch& sonic() { return *on_->sonic_; }

    void keep_history(const std::string& port)
    {
        sonic().set(Db::config, "PFC_WD|" + port, "pfc_stat_history", "enable");
        sonic().watch(port);
    }

    void start()
    {
        on_->start(OnSwitch::policy(5s));
        quiet(2);
    }

    void pauses(int polls, const std::string& queue = kQueue)
    {
        for (int i = 0; i != polls; ++i) {
            sonic().queue(queue).paused = true;
            sonic().queue(queue).rx += 100;
            sonic().queue(queue).pause_us += 150'000;
            on_->poll();
        }
        sonic().queue(queue).paused = false;
    }

    void quiet(int polls)
    {
        for (int i = 0; i != polls; ++i) {
            on_->poll();
        }
    }

    std::string shown(const std::string& field, const std::string& port = "Ethernet0") const
    {
        return on_->sonic_->get(Db::counters, "COUNTERS:" + SonicSwitch::port_oid(port),
                                "EST_PORT_STAT_PFC_3_" + field);
    }

    // Within 100 us: the test's wall clock loses a little with each step.
    void expect_began(Duration since_start) const
    {
        EXPECT_NEAR(std::stod(shown(kBegan)), 1.7e15 + static_cast<double>(whole_us(since_start)), 100);
    }

    std::optional<OnSwitch> on_;
};

TEST_F(SonicHistory, IsKeptForConfiguredPortsOnly)
{
    keep_history("Ethernet0");
    start();
    EXPECT_EQ(shown(kTotal), "");
    pauses(1, "Ethernet4:3");
    pauses(2);
    EXPECT_EQ(shown(kTotal), "400000");
    EXPECT_EQ(shown(kLength), "400000");
    expect_began(600ms);  // the time of the last poll that saw no pause
    quiet(2);
    pauses(1);
    EXPECT_EQ(shown(kTotal), "600000");
    EXPECT_EQ(shown(kLength), "200000");
    expect_began(1400ms);
    EXPECT_EQ(shown(kTotal, "Ethernet4"), "");
    EXPECT_EQ(shown(kLength, "Ethernet4"), "");
}

TEST_F(SonicHistory, TheTotalComesFromTheDeviceIfItHasOne)
{
    begin({});
    keep_history("Ethernet0");
    start();
    pauses(2);
    EXPECT_EQ(shown(kTotal), "");
    EXPECT_EQ(shown(kLength), "300000");
    expect_began(450ms);
}

TEST_F(SonicHistory, BeginsAndEndsWithTheSetting)
{
    start();
    pauses(2);
    keep_history("Ethernet0");
    quiet(6);
    pauses(1);
    EXPECT_EQ(shown(kTotal), "200000");
    sonic().set(Db::config, "PFC_WD|Ethernet0", "pfc_stat_history", "disable");
    sonic().watch("Ethernet0");
    quiet(6);
    pauses(3);
    EXPECT_EQ(shown(kTotal), "200000");
}

TEST_F(SonicHistory, IsWrittenOnlyWithAPause)
{
    keep_history("Ethernet0");
    start();
    pauses(1);
    sonic().set(Db::counters, "COUNTERS:" + SonicSwitch::port_oid("Ethernet0"),
                "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIME_US", "mine");
    quiet(3);
    EXPECT_EQ(shown(kLength), "mine");
    pauses(1);
    EXPECT_EQ(shown(kLength), "200000");
}

TEST_F(SonicHistory, AnExtraLookIsNoNewPause)
{
    keep_history("Ethernet0");
    start();
    watchdog::Intake intake{on_->device_->inventory(), on_->device_->capabilities()};
    const auto row = Slot{0};
    for (int i = 0; i != 3; ++i) {
        on_->clock_.advance(200ms);
        sonic().queue(kQueue).paused = true;
        sonic().poll(on_->clock_.now().mono);
        ASSERT_TRUE(on_->device_->look({&row, 1}, intake));
        ASSERT_TRUE(on_->device_->look({}, intake));
    }
    EXPECT_EQ(shown(kLength), "600000");
}

TEST_F(SonicHistory, GoesOnAfterARestart)
{
    keep_history("Ethernet0");
    start();
    pauses(2);
    on_->device_.reset();
    start();
    pauses(1);
    EXPECT_EQ(shown(kTotal), "600000");
    EXPECT_EQ(shown(kLength), "200000");
}

TEST_F(SonicHistory, DoesNotCompareAcrossALinkFlap)
{
    keep_history("Ethernet0");
    start();
    pauses(1);
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "oper_status", "down");
    pauses(3);
    sonic().set(Db::appl, "PORT_TABLE:Ethernet0", "oper_status", "up");
    pauses(2);
    EXPECT_EQ(shown(kTotal), "400000") << "counters before and after the flap are not compared";
    EXPECT_EQ(shown(kLength), "200000");
}

// The agent writes the history to keys that it also watches to find syncd's polls, if syncd writes no time stamp.
TEST_F(SonicHistory, ItsWritesAreNoPoll)
{
    begin({.stamps = false, .pause_time = false});
    keep_history("Ethernet0");
    keep_history("Ethernet4");
    start();
    quiet(2);
    pauses(3);
    EXPECT_EQ(shown(kTotal), "600000");
    on_->runner_->run_until(on_->clock_.now().mono + 3s);
    EXPECT_EQ(shown(kTotal), "600000") << "syncd stands still";
    EXPECT_EQ(on_->event_count(watchdog::EventKind::storm_detected), 0);
}

TEST_F(SonicHistory, AnInvalidCounterIsIgnored)
{
    begin({.pause_time = false, .transitions = false});  // the state alone proves a pause
    keep_history("Ethernet0");
    keep_history("Ethernet4");
    redis::Pipeline spoil;
    spoil.add({"HSET", "COUNTERS_PORT_NAME_MAP", "Ethernet4", "oid:spoiled"});
    spoil.add({"SET", "COUNTERS:oid:spoiled", "not a hash"});
    ASSERT_TRUE(on_->server_.connect(2)->run(spoil));
    start();
    pauses(2, "Ethernet4:3");
    pauses(2);
    EXPECT_EQ(shown(kTotal), "400000");
    EXPECT_EQ(on_->runner_->agent().counters().looks_failed, 0U);
}

TEST_F(SonicHistory, ShowsInPfcstat)
{
    keep_history("Ethernet0");
    start();
    pauses(2);
    const TemporaryFolder cache;
    sonic_tools::Surroundings around;
    around.open_store = [&](const auto&) -> Result<std::unique_ptr<sonic::Store>> {
        return std::make_unique<sonic::RedisStore>(sonic::at_one_address(on_->server_.address()), 60s);
    };
    around.cache = cache.path();
    const std::vector<std::string> arguments{"--history"};
    const auto ended = sonic_tools::run_tool("pfcstat", "pfcstat", arguments, around);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, ContainsRegex("Ethernet0 +PFC3 +0 +400,000 +400,000 +11/1[45]/2023, ..:..:20"));
}

}  // namespace
}  // namespace petrel::test
