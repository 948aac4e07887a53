// SONiC's own detection scripts: they are out while an agent watches, only one agent watches at a time, and whatever
// happens, the scripts are put back afterwards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "device/sonic/plugins.hpp"
#include "device_sonic/sonic_trouble.hpp"

namespace petrel::test {
namespace {

using device::sonic::Plugins;
using testing::Contains;
using testing::HasSubstr;

constexpr auto kPlugins = "QUEUE_PLUGIN_LIST";
constexpr auto kGroup = "FLEX_COUNTER_GROUP_TABLE:PFC_WD";
constexpr auto kKept = "PETREL_PFC_WD|plugins";
constexpr auto kMark = "PETREL_PFC_WD|detector";
constexpr auto kBoth = "sha-detect,sha-restore";
constexpr auto kNobody = "999999999";  // above the largest process id of the kernel

class SonicsOwnDetector : public SonicTrouble {
protected:
    void SetUp() override
    {
        SonicTrouble::SetUp();
        if (on_) {
            databases_ = sonic::at_one_address(on_->server_.address());
            store_.emplace(databases_, 60s);
        }
    }

    std::string kept() { return sonic().get(Db::state, kKept, kPlugins); }

    // The mark of the agent that watches: a string in STATE_DB, not a hash.
    std::string mark()
    {
        std::string text;
        redis::Pipeline get;
        get.add({"GET", kMark});
        EXPECT_TRUE(on_->server_.connect(static_cast<int>(Db::state))->run(get, [&](std::size_t, redis::View reply) {
            text = reply.text();
        }));
        return text;
    }

    void set_mark(const std::string& to) { run(Db::state, {"SET", kMark, to}); }
    void flush_state() { run(Db::state, {"FLUSHDB"}); }

    void run(Db database, const std::vector<std::string_view>& words)
    {
        redis::Pipeline pipeline;
        pipeline.add(words);
        ASSERT_TRUE(on_->server_.connect(static_cast<int>(database))->run(pipeline));
    }

    // The parts of the mark of an agent.
    struct Mark {
        std::string host;
        std::string pid;
        std::string since;
        std::string place;

        std::string text() const { return fmt::format("{} {} {} {} 0", host, pid, since, place); }
    };
    Mark parts()
    {
        std::istringstream text{mark()};
        Mark parts;
        text >> parts.host >> parts.pid >> parts.since >> parts.place;
        return parts;
    }

    // Leaves the databases as a process does that was killed while the scripts were out.
    void die_after_taking_out()
    {
        Plugins dead{*store_, databases_};
        ASSERT_TRUE(dead.claim());
        ASSERT_TRUE(dead.keep_out(true, {}).value());
        sonic().serve_requests();
        ASSERT_FALSE(sonic().has_plugins());
        auto mark = parts();
        mark.pid = kNobody;
        set_mark(mark.text());
    }

    void expect_back()
    {
        sonic().serve_requests();
        EXPECT_TRUE(sonic().has_plugins());
        EXPECT_EQ(sonic().get(Db::flex_counter, kGroup, kPlugins), kBoth);
        EXPECT_EQ(kept(), "");
        EXPECT_EQ(mark(), "");
    }

    sonic::Databases databases_;
    std::optional<sonic::RedisStore> store_;
};

TEST_F(SonicsOwnDetector, NoScriptRunsThoughOrchagentPutsThemInAgain)
{
    start_and_storm();
    sonic().serve_requests();
    ASSERT_FALSE(sonic().has_plugins());
    sonic().orchagent_leaves();
    sonic().orchagent_comes(true);
    storms(1);  // syncd puts the scripts in, and runs them once before the agent requests their removal
    const auto runs = sonic().plugin_runs();
    storms(3);
    EXPECT_EQ(sonic().plugin_runs(), runs);
    EXPECT_FALSE(sonic().has_plugins());
    on_->device_.reset();
    expect_back();
    EXPECT_THAT(on_->notes_, testing::IsSupersetOf({HasSubstr("detector is off"), HasSubstr("detector is on again")}));
}

TEST_F(SonicsOwnDetector, TheNextProcessPutsBackScriptsOfADeadOne)
{
    die_after_taking_out();
    on_->start(OnSwitch::policy());
    quiet(2);
    EXPECT_FALSE(sonic().has_plugins());
    EXPECT_THAT(on_->notes_, Contains(HasSubstr("SONiC's own detector is off")));
    on_->device_.reset();
    expect_back();
}

TEST_F(SonicsOwnDetector, PutBackRestoresWhatADeadProcessTookOut)
{
    EXPECT_FALSE(Plugins(*store_, databases_).put_back().value()) << "no script was taken out";
    EXPECT_TRUE(sonic().has_plugins());
    die_after_taking_out();
    EXPECT_TRUE(Plugins(*store_, databases_).put_back().value());
    expect_back();
}

// If the agent cannot open the switch, it cannot watch. It puts the scripts back at once.
TEST_F(SonicsOwnDetector, IsPutBackIfTheSwitchCannotBeOpened)
{
    die_after_taking_out();
    sonic().reject("Ethernet0");
    sonic().reject("Ethernet4");
    const auto opened = on_->open();
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().what, HasSubstr("no queue has counters of PFC yet"));
    expect_back();
}

// The agent may close the device without restoring its queues.
TEST_F(SonicsOwnDetector, IsPutBackAtTheCloseDuringAStorm)
{
    start_and_storm();
    sonic().serve_requests();
    ASSERT_FALSE(sonic().has_plugins());
    ASSERT_TRUE(on_->device_->close());
    expect_back();
    EXPECT_EQ(status(), "stormed") << "SONiC's script ends the storm";
    on_->device_.reset();
    sonic().serve_requests();
    EXPECT_EQ(sonic().get(Db::flex_counter, kGroup, kPlugins), kBoth);
}

// ---- STATE_DB is flushed

TEST_F(SonicsOwnDetector, IsPutBackAfterAFlushOfStateDb)
{
    start_and_storm();
    sonic().serve_requests();
    flush_state();
    ASSERT_TRUE(on_->device_->close());
    expect_back();
}

TEST_F(SonicsOwnDetector, FlushedMarksAreWrittenAgain)
{
    start_and_storm();
    ASSERT_EQ(kept(), kBoth);
    flush_state();
    storms(6);  // more than a second
    EXPECT_EQ(kept(), kBoth);
    EXPECT_NE(mark(), "");
}

TEST_F(SonicsOwnDetector, ScriptsOfADeadProcessSurviveAFlush)
{
    die_after_taking_out();
    on_->start(OnSwitch::policy());
    quiet(1);
    flush_state();
    on_->device_.reset();
    expect_back();
}

// ---- syncd is behind

TEST_F(SonicsOwnDetector, IsTakenOutOnceSyncdHasCaughtUp)
{
    ASSERT_TRUE(on_->open());
    watchdog::Intake intake{on_->device_->inventory(), on_->device_->capabilities()};
    ASSERT_TRUE(on_->device_->look({}, intake));
    on_->clock_.advance(200ms);
    sonic().poll(on_->clock_.now().mono);
    for (const std::string_view word : {"QUEUE_STAT_COUNTER", R"(["POLL_INTERVAL","10000"])", "SSET"}) {
        run(Db::flex_counter, {"LPUSH", "FLEX_COUNTER_GROUP_TABLE_KEY_VALUE_OP_QUEUE", word});
    }
    ASSERT_TRUE(on_->device_->look({}, intake));
    EXPECT_TRUE(sonic().has_plugins());
    EXPECT_EQ(kept(), "") << "syncd may be about to carry out the request";
    sonic().serve_requests();
    ASSERT_TRUE(sonic().has_plugins());
    ASSERT_TRUE(on_->device_->look({}, intake));
    sonic().serve_requests();
    EXPECT_FALSE(sonic().has_plugins());
}

// Another program has taken the scripts out, or orchagent has never put them in: the agent cannot put them back.
TEST_F(SonicsOwnDetector, AGroupWithoutScriptsIsReported)
{
    Plugins other{*store_, databases_};
    ASSERT_TRUE(other.claim());
    ASSERT_TRUE(other.keep_out(true, {}).value());
    sonic().serve_requests();
    flush_state();
    on_->start(OnSwitch::policy());
    quiet(3);
    EXPECT_THAT(on_->notes_, testing::AllOf(Contains(HasSubstr("no detection scripts and none are kept")),
                                            testing::Not(Contains(HasSubstr("detector is off")))));
}

TEST_F(SonicsOwnDetector, SyncdGetsTheRequestOnce)
{
    Plugins plugins{*store_, databases_};
    ASSERT_TRUE(plugins.claim());
    EXPECT_TRUE(plugins.keep_out(true, {}).value());
    EXPECT_FALSE(plugins.keep_out(true, {}).value()) << "syncd has not handled the request yet";
    sonic().serve_requests();
    EXPECT_TRUE(plugins.keep_out(false, {}).value());
    EXPECT_FALSE(plugins.keep_out(false, {}).value()) << "nothing has changed";
    EXPECT_FALSE(sonic().has_plugins());
}

// ---- two agents

TEST_F(SonicsOwnDetector, ASecondAgentIsRefusedUntilTheFirstIsGone)
{
    start_and_storm();
    sonic().serve_requests();
    const auto second = [&] {
        return SonicDevice::open(databases_, kSonicId, on_->clock_, [](const auto&) {}, kPatient);
    };
    const auto refused = second();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::denied);
    EXPECT_THAT(refused.error().what,
                HasSubstr("another Petrel decides for this switch: process " + std::to_string(::getpid()) + " on "));
    sonic().serve_requests();
    EXPECT_FALSE(sonic().has_plugins()) << "the refused agent puts no script back";
    EXPECT_FALSE(Plugins(*store_, databases_).put_back().value());
    sonic().serve_requests();
    EXPECT_FALSE(sonic().has_plugins());
    on_->device_.reset();
    EXPECT_TRUE(second());
}

// The process was suspended for so long that its mark has expired and another agent has taken the switch.
TEST_F(SonicsOwnDetector, AnAgentThatLostTheSwitchReportsItAndChangesNothing)
{
    ASSERT_TRUE(on_->open());
    watchdog::Intake intake{on_->device_->inventory(), on_->device_->capabilities()};
    ASSERT_TRUE(on_->device_->look({}, intake));
    on_->clock_.advance(200ms);
    sonic().poll(on_->clock_.now().mono);
    ASSERT_TRUE(on_->device_->look({}, intake));
    sonic().serve_requests();
    ASSERT_FALSE(sonic().has_plugins());
    set_mark("elsewhere 17 4711 boot/pid 1");
    on_->clock_.advance(1s);
    for (int i = 0; i != 2; ++i) {
        const auto looked = on_->device_->look({}, intake);
        ASSERT_FALSE(looked);
        EXPECT_THAT(looked.error().what, HasSubstr("another Petrel decides for this switch: process 17 on elsewhere"));
    }
    EXPECT_TRUE(on_->device_->close());
    sonic().serve_requests();
    EXPECT_FALSE(sonic().has_plugins());
    EXPECT_EQ(mark(), "elsewhere 17 4711 boot/pid 1");
}

TEST_F(SonicsOwnDetector, AnAgentThatRegainsTheSwitchContinues)
{
    ASSERT_TRUE(on_->open());
    watchdog::Intake intake{on_->device_->inventory(), on_->device_->capabilities()};
    set_mark("a mark without numbers");
    const auto looked = on_->device_->look({}, intake);
    ASSERT_FALSE(looked);
    EXPECT_THAT(looked.error().what, HasSubstr("a mark without numbers"));
    run(Db::state, {"DEL", kMark});
    EXPECT_TRUE(on_->device_->look({}, intake));
    on_->clock_.advance(200ms);
    sonic().poll(on_->clock_.now().mono);
    EXPECT_TRUE(on_->device_->look({}, intake));
    sonic().serve_requests();
    EXPECT_FALSE(sonic().has_plugins());
}

TEST_F(SonicsOwnDetector, AMarkExpires)
{
    ASSERT_TRUE(on_->open());
    std::int64_t left_ms = 0;
    redis::Pipeline get;
    get.add({"PTTL", kMark});
    ASSERT_TRUE(on_->server_.connect(static_cast<int>(Db::state))->run(get, [&](std::size_t, redis::View reply) {
        left_ms = reply.number();
    }));
    EXPECT_GT(left_ms, 0);
    EXPECT_LE(left_ms, 10'000);
}

// Another process may have the process id of a dead agent by now, and an id from another PID namespace proves nothing.
TEST_F(SonicsOwnDetector, WaitsUnlessTheOtherProcessIsCertainlyDead)
{
    ASSERT_TRUE(on_->open());
    const auto alive = parts();
    on_->device_.reset();
    const auto opens_beside = [&](const Mark& other) {
        set_mark(other.text());
        const bool opened = on_->open().has_value();
        on_->device_.reset();
        return opened;
    };
    EXPECT_FALSE(opens_beside(alive));
    EXPECT_TRUE(opens_beside({alive.host, kNobody, alive.since, alive.place}));
    EXPECT_FALSE(opens_beside({alive.host, kNobody, alive.since, "elsewhere"}));
    EXPECT_TRUE(opens_beside({alive.host, alive.pid, alive.since + "9", alive.place})) << "another has its number";
}

TEST_F(SonicsOwnDetector, AZombieProcessCountsAsDead)
{
    ASSERT_TRUE(on_->open());
    auto dead = parts();
    on_->device_.reset();
    const auto child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    std::ifstream file{fmt::format("/proc/{}/stat", child)};
    for (int i = 0; i != 22; ++i) {
        file >> dead.since;
    }
    dead.pid = std::to_string(child);
    set_mark(dead.text());
    EXPECT_TRUE(on_->open());
    ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace petrel::test
