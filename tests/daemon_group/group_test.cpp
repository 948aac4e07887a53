// Real agents report to three real managers that share a log in a real cluster of NATS. The managers die one after the
// other while they lead: each manager has each event of the agent's history once, and an order takes effect once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "runtime/state_file.hpp"
#include "support/agent_process.hpp"
#include "support/manager_process.hpp"
#include "support/nats_cluster.hpp"
#include "support/shared_switch.hpp"
#include "support/subprocess.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::ManagerProcess;

constexpr std::uint16_t kOnePort = 1;

class GroupOfManagers : public testing::Test {
protected:
    // Each manager dies at its point.
    void start_managers(const std::vector<std::string>& die_at)
    {
        for (std::size_t i = 0; i != die_at.size(); ++i) {
            managers.push_back(std::make_unique<ManagerProcess>(
                folder / fmt::format("m{}", i), std::vector<std::string>{"--nats", nats.urls()}, die_at[i]));
            urls += (i == 0 ? "" : ",") + managers.back()->url();
        }
    }

    void start_agent()
    {
        std::filesystem::remove(folder / "state/starts");  // the next start is not delayed
        agent = std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = folder.path(),
            .config = fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n[[policy]]\npreset = \"sonic\"\n"
                                  "detect_ms = 100\nrestore_ms = 300\npoll_ms = 100\n",
                                  (folder / "switch").string()),
            .program = PETREL_BIN_DIR "/petrel-test-agent",
            .arguments = {"--name", "tor-17", "--manager-url", urls}});
    }

    void storm()
    {
        sw.storm(kOnePort);
        ASSERT_NE(agent->wait_for("storm_detected"), "");
        sw.calm(kOnePort);
        ASSERT_NE(agent->wait_for("storm_restored"), "");
    }

    ManagerProcess& leader() const
    {
        for (;;) {
            for (const auto& manager : managers) {
                if (manager->get("/metrics").find("\npetrel_manager_leader 1") != std::string::npos) {
                    return *manager;
                }
            }
        }
    }

    std::size_t events_with(const std::string& text) const
    {
        const auto events = agent->control({"events", "--json"}).out;
        std::size_t count = 0;
        for (auto at = events.find(text); at != events.npos; at = events.find(text, at + 1)) {
            ++count;
        }
        return count;
    }

    // Of an agent that has ended. The managers are killed to read their files.
    void expect_each_event_once_everywhere()
    {
        const auto state = runtime::StateFile::open(folder / "state/sw.state", "sw", 100'000);
        ASSERT_TRUE(state);
        std::vector<std::uint64_t> kept;
        std::ranges::transform((*state)->events(), std::back_inserter(kept), &runtime::StoredEvent::seq);
        for (const auto& manager : managers) {
            manager->wait_for_events(kept.size());
            manager->kill();
            EXPECT_EQ(manager->stored("sw"), kept);
        }
    }

    test::TemporaryFolder folder;
    test::NatsCluster nats;
    test::SharedSwitch sw{folder / "switch"};
    std::vector<std::unique_ptr<ManagerProcess>> managers;
    std::string urls;
    std::unique_ptr<AgentProcess> agent;
};

TEST_F(GroupOfManagers, EachEventArrivesOnceAlthoughAllManagersDieAsLeaders)
{
    start_managers({"entry_appended:3", "batch_stored:3", "report_answered:3"});
    start_agent();
    const auto one_lives = [&] {
        return std::ranges::any_of(managers, [](const auto& manager) { return !manager->has_died(); });
    };
    while (one_lives()) {
        storm();
    }
    for (const auto& manager : managers) {
        manager->wait();
        manager->start();
    }
    storm();
    while (agent->control({"status"}).out.find(": connected for") == std::string::npos) {
    }
    agent->stop();
    expect_each_event_once_everywhere();
}

TEST_F(GroupOfManagers, AnOrderTakesEffectOnceAlthoughItsManagerDies)
{
    start_managers({"", "", ""});
    start_agent();
    ASSERT_NE(agent->wait_for("manager_connected"), "");
    agent->kill();
    auto order = std::async(std::launch::async, [&] {
        return test::run(
            {.program = PETREL_BIN_DIR "/petrel",
             .arguments = {"--manager", urls, "red-switch", "on", "--agent", "tor-17", "--within", "300"}});
    });
    auto& first = leader();
    while (first.get("/api/v1/commands").find("red-switch on") == std::string::npos) {
    }
    first.kill();
    EXPECT_NE(&leader(), &first);
    start_agent();
    const auto ended = order.get();
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(kOnePort) == watchdog::Treatment::drop; }));
    first.start();
    leader().kill();
    while (leader().get("/api/v1/commands").find(R"("state":"done")") ==
           std::string::npos) {  // no answer while it dies
    }
    EXPECT_EQ(events_with("red_switch_on by"), 1U);
    agent->stop();
}

}  // namespace
}  // namespace petrel::daemon
