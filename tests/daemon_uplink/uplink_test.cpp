// Real agents report to a real HTTP server that stands in for the manager and misbehaves, and to the real manager. All
// are killed at the worst moments: the manager has each event of the agent's history afterwards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "daemon/sample_spool.hpp"
#include "runtime/state_file.hpp"
#include "runtime/state_folder.hpp"
#include "support/agent_process.hpp"
#include "support/manager_process.hpp"
#include "support/manager_stand_in.hpp"
#include "support/shared_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::ManagerStandIn;
using test::SharedSwitch;
using testing::HasSubstr;

constexpr std::uint16_t kPort = 1;
constexpr std::uint16_t kOtherPort = 2;

class UplinkFixture : public testing::Test {
protected:
    std::unique_ptr<AgentProcess> live(const std::string& url, const std::string& die_at,
                                       std::vector<std::string> flags)
    {
        std::filesystem::remove(folder / "state/starts");  // the next start is not delayed
        flags.insert(flags.end(), {"--name", "tor-17", "--manager-url", url});
        return std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = folder.path(),
            .config = fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n[[policy]]\n"
                                  "preset = \"sonic\"\ndetect_ms = 100\nrestore_ms = 300\n"
                                  "poll_ms = 100\n",
                                  (folder / "switch").string()),
            .program = PETREL_BIN_DIR "/petrel-test-agent",
            .arguments = std::move(flags),
            .environment = {{"TEST_AGENT_DIE_AT", die_at}}});
    }

    // One storm, from its begin to the restored queue: two events.
    void storm(AgentProcess& agent, std::uint16_t port = kPort)
    {
        sw.storm(port);
        ASSERT_NE(agent.wait_for("storm_detected"), "");
        sw.calm(port);
        ASSERT_NE(agent.wait_for("storm_restored"), "");
    }

    // Storms come and go until the process is dead, so that it reaches every point.
    void storm_until_dead(AgentProcess& agent)
    {
        for (bool lives = true; lives;) {
            sw.storm(kPort);
            lives = !agent.wait_for("storm_detected").empty();
            sw.calm(kPort);
            lives = lives && !agent.wait_for("storm_restored").empty();
        }
        EXPECT_EQ(agent.wait(), -1);
    }

    std::vector<runtime::StoredEvent> history() const
    {
        const auto state = runtime::StateFile::open(folder / "state/sw.state", "sw", 100'000);
        return {(*state)->events().begin(), (*state)->events().end()};
    }

    test::TemporaryFolder folder;
    SharedSwitch sw{folder / "switch"};
};

class UplinkProcessTest : public UplinkFixture {
protected:
    std::unique_ptr<AgentProcess> live(const std::string& die_at = {}, std::vector<std::string> flags = {})
    {
        return UplinkFixture::live(manager.url(), die_at, std::move(flags));
    }

    // Of an agent that has ended.
    void expect_manager_has_the_history() const
    {
        const auto stored = manager.events();
        std::vector<std::uint64_t> numbers;
        for (const auto& line : stored) {
            const auto at = line.find("\"seq\": ");
            numbers.push_back(std::stoull(line.substr(at + 7)));
        }
        std::ranges::sort(numbers);
        const auto kept = history();
        ASSERT_EQ(numbers.size(), kept.size());
        for (std::size_t i = 0; i != kept.size(); ++i) {
            EXPECT_EQ(numbers[i], kept[i].seq);
        }
    }

    ManagerStandIn manager{folder / "manager"};
};

TEST_F(UplinkProcessTest, events_and_the_state_of_the_device_reach_the_manager)
{
    const auto agent = live();
    ASSERT_NE(agent->wait_for("manager_connected"), "");
    storm(*agent);
    manager.wait_for_events(2);
    const auto status = agent->control({"status"});
    EXPECT_THAT(status.out, HasSubstr(fmt::format("manager {}: connected for", manager.url())));
    EXPECT_THAT(agent->control({"status", "--json"}).out, HasSubstr(R"("manager":{"url":"http://127.0.0.1:)"));
    const auto metrics = agent->metrics();
    EXPECT_THAT(metrics, HasSubstr("petrel_manager_connected 1"));
    EXPECT_THAT(metrics, HasSubstr("petrel_manager_events_forgotten_total 0"));
    agent->stop();
    expect_manager_has_the_history();
    EXPECT_THAT(manager.requests().front(), HasSubstr("/api/v1/agents/tor-17/reports"));
    EXPECT_THAT(manager.devices(), HasSubstr(R"("port": "Ethernet1")"));
    EXPECT_THAT(manager.devices(), HasSubstr(R"("configured": "drop", "programmed": "drop", "observed": "none")"));
}

TEST_F(UplinkProcessTest, events_wait_while_the_manager_is_dead)
{
    const auto agent = live();
    ASSERT_NE(agent->wait_for("manager_connected"), "");
    manager.kill();
    storm(*agent);
    ASSERT_NE(agent->nth_line("manager_lost"), "");
    const auto status = agent->control({"status"}).out;
    EXPECT_THAT(status, HasSubstr("has not answered for"));
    EXPECT_THAT(status, HasSubstr("2 events wait for it"));
    manager.start();
    ASSERT_NE(agent->nth_line("manager_connected", 2), "");
    manager.wait_for_events(2);
    agent->stop();
    expect_manager_has_the_history();
}

TEST_F(UplinkProcessTest, answers_and_requests_that_are_lost_lose_no_event)
{
    const auto agent = live();
    ASSERT_NE(agent->wait_for("manager_connected"), "");
    manager.order("drop_answers 1");
    storm(*agent);
    ASSERT_NE(agent->nth_line("manager_connected", 2), "");
    manager.order("drop_requests 1");
    storm(*agent);
    ASSERT_NE(agent->nth_line("manager_connected", 3), "");
    manager.wait_for_events(4);
    agent->stop();
    expect_manager_has_the_history();
}

TEST_F(UplinkProcessTest, a_manager_that_never_answers_does_not_delay_the_watch)
{
    manager.order("hold");
    const auto agent = live();
    manager.wait_for_request();
    storm(*agent);
    manager.order("go");
    ASSERT_NE(agent->wait_for("manager_connected"), "");
    manager.wait_for_events(2);
    agent->stop();
    expect_manager_has_the_history();
}

TEST_F(UplinkProcessTest, a_refusal_is_shown_with_its_reason)
{
    manager.order("status 401");
    const auto agent = live();
    const auto line = agent->wait_for("manager_lost");
    EXPECT_THAT(line, HasSubstr("it answers with status 401 (refused: as the test wants it)"));
    agent->stop();
}

TEST_F(UplinkProcessTest, a_history_that_was_too_short_is_a_gap_that_is_reported)
{
    manager.order("status 503");
    const auto agent = live({}, {"--history-events", "2"});
    ASSERT_NE(agent->wait_for("manager_lost"), "");
    storm(*agent);
    storm(*agent);
    manager.order("status 200");
    EXPECT_THAT(agent->wait_for("manager_gap"), HasSubstr("events 1 to 2 were forgotten"));
    manager.wait_for_events(2);
    EXPECT_THAT(agent->control({"status"}).out,
                HasSubstr("2 events never reached the manager, last: sw, numbers 1 to 2"));
    agent->stop();
    EXPECT_THAT(manager.events().front(), HasSubstr("\"seq\": 3"));
    EXPECT_THAT(manager.events(),
                testing::Contains(HasSubstr(R"("seq": 2, "event": "events_forgotten", "device": "sw", "first": 1)")));
}

TEST_F(UplinkProcessTest, the_manager_has_each_event_after_the_agent_was_killed_anywhere)
{
    for (const auto* point : {"report_sent:1", "report_sent:2", "report_sent:3", "report_stored:1", "report_stored:2",
                              "report_stored:3", "acknowledged_saves:1", "acknowledged_saves:2", "state_written:2"}) {
        SCOPED_TRACE(point);
        const auto dies = live(point);
        storm_until_dead(*dies);
        const auto agent = live();
        ASSERT_NE(agent->wait_for("manager_connected"), "");
        storm(*agent, kOtherPort);
        agent->stop();
        expect_manager_has_the_history();
    }
}

TEST_F(UplinkProcessTest, a_manager_that_was_replaced_gets_the_history_again)
{
    const auto first = live();
    ASSERT_NE(first->wait_for("manager_connected"), "");
    storm(*first);
    manager.wait_for_events(2);
    manager.kill();
    std::filesystem::remove(folder / "manager/events.jsonl");
    manager.start();
    storm(*first);
    manager.wait_for_events(4);
    first->stop();
    expect_manager_has_the_history();
}

class SampleSpoolTest : public testing::Test {
protected:
    static std::vector<std::string> take_all(SampleSpool& spool)
    {
        std::vector<std::string> lines;
        while (auto line = spool.next()) {
            lines.push_back(*line);
            spool.sent();
        }
        return lines;
    }

    test::TemporaryFolder folder;
    runtime::StateFolder files{runtime::StateFolder::of(folder / "x").value()};
};

TEST_F(SampleSpoolTest, lines_come_in_their_order_and_again_until_they_are_sent)
{
    SampleSpool spool{files};
    EXPECT_TRUE(spool.empty());
    for (const auto* line : {"one", "two", "three"}) {
        EXPECT_EQ(spool.append(line), false);
    }
    EXPECT_FALSE(spool.empty());
    EXPECT_EQ(spool.next(), "one");
    EXPECT_EQ(spool.next(), "one") << "it was not sent";
    EXPECT_THAT(take_all(spool), testing::ElementsAre("one", "two", "three"));
    EXPECT_TRUE(spool.empty());
    EXPECT_EQ(spool.append("four"), false);
    EXPECT_THAT(take_all(spool), testing::ElementsAre("four"));
}

TEST_F(SampleSpoolTest, they_survive_the_process_also_with_a_line_that_was_not_finished)
{
    {
        SampleSpool spool{files};
        ASSERT_TRUE(spool.append("one"));
        ASSERT_TRUE(spool.append("two"));
    }
    std::ofstream{folder / "manager.samples", std::ios::app} << "half a li";
    SampleSpool spool{files};
    EXPECT_FALSE(spool.empty());
    ASSERT_TRUE(spool.append("three"));
    EXPECT_THAT(take_all(spool), testing::ElementsAre("one", "two", "three"));
}

TEST_F(SampleSpoolTest, the_oldest_go_when_it_is_full)
{
    SampleSpool spool{files, 100};
    const std::string text(19, 'x');
    std::vector<bool> dropped;
    for (char c = 'a'; c != 'i'; ++c) {
        dropped.push_back(spool.append(c + text).value());
    }
    EXPECT_THAT(dropped, testing::ElementsAre(false, false, false, false, true, false, true, false));
    std::string begins;
    for (const auto& line : take_all(spool)) {
        begins += line.front();
    }
    EXPECT_EQ(begins, "efgh");
}

class RealManagerTest : public UplinkFixture {
protected:
    std::unique_ptr<AgentProcess> live(const std::string& die_at = {})
    {
        return UplinkFixture::live(manager.url(), die_at, {});
    }

    static std::size_t number_of_events(const AgentProcess& agent)
    {
        const auto lines = agent.control({"events", "--json", "--last", "10000"}).out;
        return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
    }

    // A stop sends the last events only if the manager answers.
    static void stop(AgentProcess& agent)
    {
        while (agent.control({"status"}).out.find(": connected for") == std::string::npos) {
        }
        agent.stop();
    }

    // Of an agent that has ended. The manager is killed to read its file.
    void expect_each_event_once()
    {
        manager.kill();
        auto stored = manager.stored("sw");
        std::ranges::sort(stored);
        std::vector<std::uint64_t> kept;
        for (const auto& event : history()) {
            kept.push_back(event.seq);
        }
        EXPECT_EQ(stored, kept);
        manager.start();
    }

    test::ManagerProcess manager{folder / "manager"};
};

TEST_F(RealManagerTest, each_event_arrives_once_when_the_agent_is_killed_anywhere)
{
    for (const auto* point : {"report_sent:2", "report_sent:3", "report_stored:1", "report_stored:2",
                              "acknowledged_saves:1", "state_written:2"}) {
        SCOPED_TRACE(point);
        const auto dies = live(point);
        storm_until_dead(*dies);
        const auto agent = live();
        ASSERT_NE(agent->wait_for("manager_connected"), "");
        storm(*agent, kOtherPort);
        manager.wait_for_events(number_of_events(*agent));
        stop(*agent);
        expect_each_event_once();
    }
}

TEST_F(RealManagerTest, each_event_arrives_once_when_the_manager_is_killed_anywhere)
{
    const auto agent = live();
    for (const auto* point : {"report_taken:1", "report_taken:2", "batch_stored:1", "batch_stored:2",
                              "report_answered:1", "report_answered:2"}) {
        SCOPED_TRACE(point);
        manager.kill();
        manager.start(point);
        storm(*agent);
        manager.wait();
        manager.start();
        manager.wait_for_events(number_of_events(*agent));
    }
    stop(*agent);
    expect_each_event_once();
}

// The copy is older than what the manager acknowledged, and no request fails meanwhile.
TEST_F(RealManagerTest, a_manager_with_an_older_copy_of_its_file_gets_the_events_again)
{
    const auto agent = live();
    storm(*agent);
    manager.wait_for_events(2);
    manager.kill();
    const auto copy = folder / "copy";
    std::filesystem::copy(folder / "manager", copy);
    manager.start();
    storm(*agent);
    manager.wait_for_events(4);
    manager.kill();
    std::filesystem::remove_all(folder / "manager");
    std::filesystem::copy(copy, folder / "manager");
    manager.start();
    storm(*agent);
    manager.wait_for_events(6);
    stop(*agent);
    expect_each_event_once();
}

}  // namespace
}  // namespace petrel::daemon
