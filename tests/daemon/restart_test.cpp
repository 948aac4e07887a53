// Restart safety. An agent is killed at every point between a decision and its completion, and while it loads, reloads
// and stops. The next agent leaves no queue mitigated without a reason and releases none that is still in a storm;
// statistics continue, and the history has each event once. The switch is a file that outlives the agents. Most agents
// are simulated; some are real processes, killed by the kernel or out of disk.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "codec/agent_config_reader.hpp"
#include "codec/checkpoint_json.hpp"
#include "daemon/runners.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/file_journal.hpp"
#include "runtime/state_file.hpp"
#include "storming_port.hpp"
#include "support/agent_process.hpp"
#include "support/shared_switch.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using test::AgentProcess;
using test::SharedSwitch;
using test::SimulatedAgent;
using testing::HasSubstr;
using testing::IsEmpty;
using watchdog::Treatment;

constexpr Duration kDetect = 100ms;
constexpr Duration kRestore = 300ms;

// The value of a key in a line of the history.
std::string value_of(const std::string& json, std::string_view key)
{
    const auto mark = fmt::format("\"{}\":", key);
    const auto at = json.find(mark);
    if (at == std::string::npos) {
        return {};
    }
    const auto rest = json.substr(at + mark.size());
    auto value = rest.substr(0, rest.find_first_of(",}"));
    std::erase(value, '"');
    return value;
}

// Agent: AgentProcess or SimulatedAgent.
template <class Agent>
class RestartOf : public testing::Test {
protected:
    using Life = std::unique_ptr<Agent>;
    static constexpr bool kSimulated = std::is_same_v<Agent, SimulatedAgent>;

    // `die_at`: a point of the service, "applied:2"; if empty, the agent does not die.
    Life live(const std::string& die_at = {}, std::vector<std::string> flags = {})
    {
        if constexpr (kSimulated) {
            return std::make_unique<SimulatedAgent>(time, SimulatedAgent::Options{.folder = folder.path(),
                                                                                  .config = config(kDetect),
                                                                                  .arguments = std::move(flags),
                                                                                  .die_at = die_at});
        } else {
            return std::make_unique<AgentProcess>(
                AgentProcess::Options{.folder = folder.path(),
                                      .config = config(kDetect),
                                      .program = PETREL_BIN_DIR "/petrel-test-agent",
                                      .arguments = std::move(flags),
                                      .environment = {{"TEST_AGENT_DIE_AT", die_at}}});
        }
    }

    std::string config(Duration detect) const
    {
        return fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n"
                           "[[policy]]\npreset = \"sonic\"\ndetect_ms = {}\nrestore_ms = {}\npoll_ms = 100\n",
                           (folder / "switch").string(), whole_ms(detect), whole_ms(kRestore));
    }

    std::filesystem::path state_of(std::string_view kind) const
    {
        return folder.path() / "state" / fmt::format("sw.{}", kind);
    }

    // Removes the record of past starts, so that the agent does not delay the next one.
    void forget_starts() const { std::filesystem::remove(folder.path() / "state" / "starts"); }

    // Waits until the agent has made this many further looks, however fast the machine is.
    void let_pass(std::uint64_t looks)
    {
        const auto enough = sw.looks() + looks;
        ASSERT_TRUE(sw.wait_until([&] { return sw.looks() >= enough; }));
    }

    void wait_for_treatment(Treatment treatment, std::uint16_t port = kPort)
    {
        ASSERT_TRUE(sw.wait_until([&] { return sw.in_force(port) == treatment; }));
    }

    watchdog::Inventory inventory()
    {
        test::SharedSwitchDriver driver;
        return (*driver.open({"sw", "shared:" + (folder / "switch").string(), {}}, DeviceId{}, time.clock(), {}))
            ->inventory();
    }

    std::size_t journaled()
    {
        const auto journal = runtime::FileJournal::open_file(state_of("journal"), "sw", inventory());
        EXPECT_TRUE(journal);
        return journal ? (*journal)->active()->size() : 0;
    }

    std::vector<runtime::StoredEvent> history() const
    {
        const auto state = runtime::StateFile::open(state_of("state"), "sw", 100'000);
        EXPECT_TRUE(state);
        return {(*state)->events().begin(), (*state)->events().end()};
    }

    // ---- invariants of the files that a dead agent left and of all writes to the switch

    void expect_laws()
    {
        expect_each_event_once();
        expect_statistics_go_on();
        for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
            expect_reasons(port);
        }
    }

    void expect_each_event_once() const
    {
        const auto events = history();
        std::map<std::string, int> closed;
        for (std::size_t i = 0; i < events.size(); ++i) {
            ASSERT_EQ(events[i].seq, i + 1) << events[i].json;
            ASSERT_EQ(value_of(events[i].json, "seq"), std::to_string(i + 1));
            const auto kind = value_of(events[i].json, "event");
            if (kind == "storm_restored" || kind == "storm_released") {
                EXPECT_EQ(++closed[value_of(events[i].json, "cause")], 1) << "closed twice: " << events[i].json;
            }
        }
    }

    // An event is in the memory before the log shows it: a killed agent loses no event that an operator has read, and
    // its sequence number is not used again.
    void expect_memory_has_what_log_shows(const Agent& life) const
    {
        const auto events = history();
        std::istringstream log{life.log_text()};
        for (std::string line; std::getline(log, line);) {
            const auto at = line.find("[seq=");
            if (at == std::string::npos) {
                continue;
            }
            const auto seq = std::stoull(line.substr(at + 5));
            ASSERT_LE(seq, events.size()) << line;
            EXPECT_THAT(line, HasSubstr(" " + value_of(events[seq - 1].json, "event") + " "));
        }
    }

    // The statistics equal the counts of events in the history, because one write stores both.
    void expect_statistics_go_on()
    {
        const auto state = runtime::StateFile::open(state_of("state"), "sw", 100'000);
        ASSERT_TRUE(state) << state.error().what;
        EXPECT_EQ((*state)->damage(), "");
        if (!(*state)->remembered()) {
            return;
        }
        const auto has = inventory();
        const auto memory = codec::read_checkpoint((*state)->remembered()->checkpoint, "memory", has);
        ASSERT_TRUE(memory);
        EXPECT_EQ(memory->next_seq, (*state)->last_seq() + 1);
        for (const auto& row : memory->rows) {
            const auto port = has.ports.at(row.target.port.index).name;
            const auto reported = [&](std::string_view kind) {
                return static_cast<std::uint64_t>(std::ranges::count_if((*state)->events(), [&](const auto& event) {
                    return value_of(event.json, "event") == kind && value_of(event.json, "port") == port;
                }));
            };
            EXPECT_EQ(row.stats.detected, reported("storm_detected"));
            EXPECT_EQ(row.stats.restored, reported("storm_restored"));
            auto& before = stats_[port];
            EXPECT_GE(row.stats.tx_drop, before.tx_drop);
            EXPECT_GE(row.stats.in_storm, before.in_storm);
            EXPECT_GE(row.stats.longest_pause, before.longest_pause);
            before = row.stats;
        }
    }

    // A queue is treated only after T0 of pause, and not again for a storm that it was released from. It is released
    // only after T1 of quiet since that storm, unless an agent was ordered to stop and restore.
    void expect_reasons(std::uint16_t port)
    {
        bool treated = false;
        SharedSwitch::Stretch storm;
        Instant over;  // all storms before this time have ended
        for (const auto& write : sw.writes(port)) {
            const bool treats = SharedSwitch::treatment_in(write.value) != Treatment::none;
            SCOPED_TRACE(fmt::format("port {}, at {} us", port, whole_us(write.at)));
            if (treats && !treated) {
                storm = sw.last_pause(port, write.at);
                EXPECT_GE(storm.to - storm.from, kDetect) << "treated without a reason";
                EXPECT_GT(storm.to, over) << "treated for a storm that was over";
            }
            if (!treats && treated && !stopped_in_storm_) {
                const auto quiet = sw.last_quiet(port, write.at);
                EXPECT_GT(quiet.from, storm.from) << "released before its storm has ended";
                EXPECT_GE(quiet.to - quiet.from, kRestore) << "released before T1 of quiet";
                over = quiet.from;
            }
            treated = treats;
        }
    }

    void expect_all_as_before()
    {
        for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
            EXPECT_EQ(sw.configuration(port), SharedSwitch::kConfigured + port);
        }
        EXPECT_EQ(journaled(), 0U);
    }

    // The storm continues: the next agent mitigates the queue and does not release it. Then the storm ends, and the
    // agent restores everything.
    void expect_next_life_in_storm_puts_all_right(std::vector<std::string> flags = {})
    {
        const auto next = live({}, std::move(flags));
        wait_for_treatment(Treatment::drop);
        let_pass(8);
        EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
        sw.calm(kPort);
        wait_for_treatment(Treatment::none);
        EXPECT_NE(next->wait_for("storm_restored"), "") << next->log_text();
        EXPECT_EQ(next->stop(), 0) << next->log_text();
        expect_laws();
        expect_all_as_before();
    }

    // An agent with one queue in a storm, its mitigation confirmed.
    Life live_in_storm(const std::string& die_at = {}, std::vector<std::string> flags = {})
    {
        auto life = live(die_at, std::move(flags));
        EXPECT_NE(life->wait_for("agent_ready"), "") << life->log_text();
        sw.storm(kPort);
        wait_for_treatment(Treatment::drop);
        let_pass(2);
        return life;
    }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sw{folder / "switch", kSimulated ? &time : nullptr};
    bool stopped_in_storm_{};

private:
    std::map<std::string, watchdog::QueueStats> stats_;
};

using Restart = RestartOf<SimulatedAgent>;
using RestartOfAProcess = RestartOf<AgentProcess>;

// ---- between the decision to mitigate and its completion

class RestartWhileMitigating : public RestartOfAProcess, public testing::WithParamInterface<const char*> {};

TEST_P(RestartWhileMitigating, TheNextStartReconciles)
{
    {
        const auto life = live(GetParam());
        ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
        sw.storm(kPort);
        ASSERT_EQ(life->wait(), -1) << "the agent should have been killed";
    }
    expect_laws();
    EXPECT_LE(journaled(), 1U);
    EXPECT_TRUE(sw.in_force(kPort) == Treatment::none || journaled() == 1U) << "in force without a journal entry";
    expect_next_life_in_storm_puts_all_right();
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, RestartWhileMitigating,
                         testing::Values("state_written:1", "before_prepare:1", "prepared:1", "journaled:1",
                                         "applied:1", "read_back:1"));

// ---- between the decision to restore and its completion

class RestartWhileRestoring : public Restart, public testing::WithParamInterface<const char*> {};

TEST_P(RestartWhileRestoring, TheNextStartReconciles)
{
    {
        const auto life = live_in_storm(GetParam());
        sw.calm(kPort);
        ASSERT_EQ(life->wait(), -1) << "the agent should have been killed";
    }
    expect_laws();
    EXPECT_TRUE(sw.in_force(kPort) == Treatment::none || journaled() == 1U) << "in force without a journal entry";
    {
        const auto next = live();
        EXPECT_NE(next->wait_for("storm_restored"), "") << next->log_text();
        EXPECT_EQ(sw.in_force(kPort), Treatment::none);
        EXPECT_EQ(next->stop(), 0);
    }
    expect_laws();
    expect_all_as_before();
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, RestartWhileRestoring,
                         testing::Values("before_prepare:2", "prepared:2", "applied:2", "read_back:2", "closed:1"));

TEST_F(Restart, CommandsInTheMemoryAreNotRepeated)
{
    {
        const auto life = live_in_storm("state_written:2");
        sw.calm(kPort);
        ASSERT_EQ(life->wait(), -1);
    }
    expect_laws();
    expect_all_as_before();
    const auto before = history();
    const auto writes = sw.writes(kPort).size();
    {
        const auto next = live();
        ASSERT_NE(next->wait_for("agent_ready"), "");
        let_pass(5);
        EXPECT_EQ(next->stop(), 0);
    }
    EXPECT_EQ(sw.writes(kPort).size(), writes);
    ASSERT_GE(history().size(), before.size());
    for (std::size_t i = before.size(); i < history().size(); ++i) {
        EXPECT_EQ(value_of(history()[i].json, "event"), "order_taken") << "only the order to stop may follow";
    }
    expect_laws();
}

// ---- while the agent loads

TEST_F(Restart, KilledWhileItLoads)
{
    live_in_storm()->kill();
    expect_laws();
    ASSERT_EQ(live("loaded")->wait(), -1);
    expect_laws();
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    expect_next_life_in_storm_puts_all_right();
}

// At start the agent sends the command for a treatment that it finds in force to the device once more.
class RestartWhileStarting : public Restart, public testing::WithParamInterface<const char*> {};

TEST_P(RestartWhileStarting, TheNextStartReconciles)
{
    live_in_storm()->kill();
    ASSERT_EQ(live(GetParam())->wait(), -1);
    expect_laws();
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    expect_next_life_in_storm_puts_all_right();
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, RestartWhileStarting,
                         testing::Values("before_prepare:1", "prepared:1", "applied:1", "read_back:1"));

// ---- while the agent reloads

class RestartWhileReloading : public Restart, public testing::WithParamInterface<const char*> {};

TEST_P(RestartWhileReloading, NothingIsReleased)
{
    {
        const auto life = live_in_storm(GetParam());
        life->write_config(config(kDetect * 2));
        life->signal(SIGHUP);
        ASSERT_EQ(life->wait(), -1) << life->log_text();
    }
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    expect_laws();
    expect_next_life_in_storm_puts_all_right();
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, RestartWhileReloading, testing::Values("reload_checked", "reloaded"));

// ---- while the agent stops

class RestartWhileStopping : public Restart, public testing::WithParamInterface<const char*> {};

TEST_P(RestartWhileStopping, AStormThatGoesOnIsContainedAgain)
{
    stopped_in_storm_ = true;
    {
        const auto life = live_in_storm(GetParam());
        life->signal(SIGTERM);
        ASSERT_EQ(life->wait(), -1) << life->log_text();
    }
    expect_laws();
    EXPECT_TRUE(sw.in_force(kPort) == Treatment::none || journaled() == 1U) << "in force without a journal entry";
    expect_next_life_in_storm_puts_all_right();
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, RestartWhileStopping,
                         testing::Values("stop_ordered", "before_prepare:2", "prepared:2", "applied:2", "read_back:2",
                                         "closed:1", "state_written:2", "stopped"));

TEST_F(Restart, AStopRestores)
{
    stopped_in_storm_ = true;
    EXPECT_EQ(live_in_storm()->stop(), 0);
    expect_all_as_before();
    expect_laws();
}

TEST_F(Restart, AHoldingStopLeavesTreatmentsToTheNextStart)
{
    const std::vector<std::string> hold{"--stop", "hold"};
    EXPECT_EQ(live_in_storm({}, hold)->stop(), 0);
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    EXPECT_EQ(journaled(), 1U);
    expect_laws();
    {
        const auto life = live("stop_ordered", hold);
        ASSERT_NE(life->wait_for("agent_ready"), "");
        let_pass(8);
        life->signal(SIGTERM);
        ASSERT_EQ(life->wait(), -1);
    }
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    expect_laws();
    expect_next_life_in_storm_puts_all_right(hold);
}

// ---- damaged files

class RestartWithABadMemory : public Restart, public testing::WithParamInterface<bool> {};

TEST_P(RestartWithABadMemory, JournalAndDeviceAreEnough)
{
    live_in_storm()->kill();
    auto text = *runtime::read_whole_file(state_of("state"));
    if (GetParam()) {
        text = "[agent]\nname = \"something else\"\n";
    } else {
        text[3] = static_cast<char>(text[3] ^ 4);
    }
    ASSERT_TRUE(runtime::write_atomically(state_of("state"), text));
    {
        const auto next = live();
        EXPECT_THAT(next->wait_for("state_damaged"), HasSubstr("set aside as")) << next->log_text();
        ASSERT_NE(next->wait_for("agent_ready"), "") << next->log_text();
        let_pass(8);
        EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
        next->kill();
    }
    expect_laws();
    expect_next_life_in_storm_puts_all_right();
}

INSTANTIATE_TEST_SUITE_P(Kinds, RestartWithABadMemory, testing::Bool());

TEST_F(Restart, AnUnfinishedRecordOfTheJournalIsLeftOut)
{
    live_in_storm()->kill();
    const auto text = *runtime::read_whole_file(state_of("journal"));
    ASSERT_TRUE(runtime::write_atomically(state_of("journal"), text + "\x01\x02\x03"));
    {
        const auto next = live();
        EXPECT_NE(next->wait_for("journal_tail_dropped"), "") << next->log_text();
        ASSERT_NE(next->wait_for("agent_ready"), "") << next->log_text();
        next->kill();
    }
    expect_laws();
    expect_next_life_in_storm_puts_all_right();
}

// Without a readable journal the agent does not have the overwritten values, so it cannot undo the treatment.
class RestartWithABadJournal : public Restart, public testing::WithParamInterface<bool> {};

TEST_P(RestartWithABadJournal, TheDeviceStaysUntouchedAndTheErrorIsReported)
{
    live_in_storm()->kill();
    auto text = *runtime::read_whole_file(state_of("journal"));
    if (GetParam()) {
        text = "[agent]\nname = \"something else\"\n";
    } else {
        text[12] = static_cast<char>(text[12] ^ 4);
    }
    ASSERT_TRUE(runtime::write_atomically(state_of("journal"), text));
    const auto writes = sw.writes(kPort).size();
    const auto next = live();
    EXPECT_THAT(next->wait_for("device_failing"), HasSubstr("sw.journal")) << next->log_text();
    EXPECT_THAT(next->control({"status"}).out, HasSubstr("sw.journal"));
    EXPECT_EQ(sw.writes(kPort).size(), writes);
    EXPECT_EQ(next->stop(), 3) << "the queue is still treated";
    EXPECT_EQ(*runtime::read_whole_file(state_of("journal")), text) << "evidence is not touched";
}

INSTANTIATE_TEST_SUITE_P(Kinds, RestartWithABadJournal, testing::Bool());

// ---- a disk that is full

// full: no file of the agent can grow from now on. Otherwise: removes that limit.
void fill_disk(const AgentProcess& life, bool full)
{
    const rlimit limit{full ? 0 : RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(::prlimit(life.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
}

TEST_F(RestartOfAProcess, AFullDiskDelaysButLosesNothing)
{
    {
        const auto life = live();
        ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
        fill_disk(*life, true);
        sw.storm(kPort);
        EXPECT_NE(life->wait_for("state_not_written"), "") << life->log_text();
        EXPECT_NE(life->wait_for("mitigation_failed"), "") << life->log_text();
        let_pass(3);
        EXPECT_EQ(sw.in_force(kPort), Treatment::none) << "without a journal entry no treatment is applied";
        fill_disk(*life, false);
        wait_for_treatment(Treatment::drop);
        sw.calm(kPort);
        EXPECT_NE(life->wait_for("storm_restored"), "") << life->log_text();
        life->kill();
    }
    expect_laws();
    expect_all_as_before();
    const auto reported = history();
    ASSERT_FALSE(reported.empty());
    EXPECT_EQ(value_of(reported.front().json, "event"), "storm_detected") << "the write of the event was only delayed";
}

TEST_F(RestartOfAProcess, KilledWithAFullDisk)
{
    {
        const auto life = live_in_storm();
        fill_disk(*life, true);
        sw.calm(kPort);
        EXPECT_NE(life->wait_for("restore_failed"), "") << life->log_text();
        life->kill();
    }
    expect_laws();
    EXPECT_EQ(journaled(), 1U) << "a restore is complete only when the journal entry is closed";
    {
        const auto next = live();
        EXPECT_NE(next->wait_for("storm_restored"), "") << next->log_text();
        EXPECT_EQ(next->stop(), 0);
    }
    expect_laws();
    expect_all_as_before();
}

// ---- the callbacks of a runner's host

class ListeningHost final : public RunnerHost {
public:
    void log(const runner::LogLine&) override {}
    void event_written(const DeviceRunner& runner, const watchdog::Watchlist&, const watchdog::Event& event,
                       const std::string&) override
    {
        heard_.push_back(event.kind);
        EXPECT_EQ(std::ranges::count(runner.memory().events(), event.seq, &runtime::StoredEvent::seq), 1)
            << "the host receives event " << event.seq << ", and the memory does not have it";
    }
    void settled(const DeviceRunner&) override {}
    void state_written(const DeviceRunner&, const Result<void>& written) override { EXPECT_TRUE(written); }
    void name_kept(const std::filesystem::path&, const Result<bool>&) override {}

    std::vector<watchdog::EventKind> heard_;
};

TEST_F(Restart, AnEventIsStoredBeforeItIsPublished)
{
    const lab::CallAt call_at = [this](Instant when, std::function<void()> call) {
        time.call_at(when, std::move(call));
    };
    lab::TwinLoop loop{time.clock(), call_at};
    test::SharedSwitchDriver driver;
    ListeningHost host;
    constexpr std::array<codec::DriverKind, 1> drivers{{{"shared"}}};
    const auto policies = codec::read_agent_config(config(kDetect), "test.toml", {}, drivers).value().policies;
    std::filesystem::create_directories(folder.path() / "state");
    const auto runner =
        make_runner(loop, host,
                    {.entry = {"sw", "shared:" + (folder / "switch").string(), {}},
                     .id = {},
                     .driver = &driver,
                     .clock = &time.clock(),
                     .worker = std::make_unique<test::SimulatedWorker>(loop, call_at, runner::kMostJobs),
                     .state_dir = folder.path() / "state",
                     .history_events = 100,
                     .hang_after = 10s,
                     .fault_hook = {}},
                    std::make_shared<FilePolicies>(policies))
            .value();
    runner->start({});
    loop.turn();
    sw.storm(kPort);
    wait_for_treatment(Treatment::drop);
    sw.calm(kPort);
    ASSERT_TRUE(sw.wait_until([&] { return host.heard_.size() == 2; }));
    using enum watchdog::EventKind;
    EXPECT_THAT(host.heard_, testing::ElementsAre(storm_detected, storm_restored));
}

// ---- repeated restarts

// Every start sends one command to the device. If a supervisor restarts the agent in a loop, the agent delays its
// starts with back-off, so that the device is not flooded with writes.
TEST_F(Restart, RepeatedRestartsAreDelayed)
{
    live_in_storm()->kill();
    for (int start = 0; start < 5; ++start) {
        ASSERT_EQ(live("applied:1")->wait(), -1);
        expect_laws();
    }
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    const auto writes = sw.writes(kPort);
    ASSERT_EQ(writes.size(), 6U) << "one write for the storm, and one for each later start";
    EXPECT_GE(writes[3].at - writes[2].at, 1s);
    EXPECT_GE(writes[4].at - writes[3].at, 2s);
    EXPECT_GE(writes[5].at - writes[4].at, 4s);
}

// A few dozen agents, each killed at a random point, the n-th time it is reached, while storms begin and end at random.
TEST_F(Restart, AnyKillUnderAnyFault)
{
    const std::vector<std::string> points{"state_written", "before_prepare", "prepared", "journaled",
                                          "applied",       "read_back",      "closed",   "loaded"};
    std::mt19937 chance{20'240'601};
    const auto any = [&](std::size_t n) { return chance() % n; };
    int deaths = 0;
    for (int i = 0; i < 24; ++i) {
        SCOPED_TRACE(i);
        forget_starts();
        const auto life = live(fmt::format("{}:{}", points[any(points.size())], 1 + any(5)));
        for (auto turns = 1 + any(4); turns > 0 && !life->ended(); --turns) {
            const auto port = static_cast<std::uint16_t>(any(SharedSwitch::kPorts));
            sw.in_storm(port) ? sw.calm(port) : sw.storm(port);
            const auto seen = sw.looks() + 1 + any(8);
            ASSERT_TRUE(sw.wait_until([&] { return sw.looks() >= seen || life->ended(); }));
        }
        deaths += life->ended() ? 1 : 0;
        life->kill();
        expect_laws();
        expect_memory_has_what_log_shows(*life);
        for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
            EXPECT_TRUE(sw.in_force(port) == Treatment::none || journaled() > 0) << "in force without a journal entry";
        }
    }
    EXPECT_GT(deaths, 5) << "no process was killed: the test shows little";
    for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
        sw.calm(port);
    }
    forget_starts();
    const auto last = live();
    ASSERT_NE(last->wait_for("agent_ready"), "");
    ASSERT_TRUE(sw.wait_until([&] {
        std::uint16_t port = 0;
        while (port < SharedSwitch::kPorts && sw.in_force(port) == Treatment::none) {
            ++port;
        }
        return port == SharedSwitch::kPorts;
    }));
    EXPECT_EQ(last->stop(), 0);
    expect_laws();
    expect_all_as_before();
}

}  // namespace
}  // namespace petrel::daemon
