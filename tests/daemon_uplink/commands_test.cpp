// The commands of operators: `petrel --manager URL ...`, a real manager, and real agents on simulated switches. Agents
// and manager are killed at the worst moments: each order takes effect exactly once.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "http_client/client.hpp"
#include "support/agent_process.hpp"
#include "support/shared_switch.hpp"
#include "support/subprocess.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::SharedSwitch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using watchdog::Treatment;

constexpr std::uint16_t kOnePort = 1;

// `petrel manager` with its store in a folder.
class RealManager {
public:
    explicit RealManager(std::filesystem::path folder) : folder_(std::move(folder))
    {
        std::filesystem::create_directories(folder_);
        start();
    }
    ~RealManager() { kill(); }
    RealManager(const RealManager&) = delete;
    RealManager& operator=(const RealManager&) = delete;

    void start()
    {
        auto err = test::detail::make_pipe();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::dup2(err.write_end, STDERR_FILENO);
            const auto listen = fmt::format("127.0.0.1:{}", port_);
            const auto store = (folder_ / "manager.db").string();
            ::execl(PETREL_BIN_DIR "/petrel", "petrel", "manager", "--listen", listen.c_str(), "--store", store.c_str(),
                    static_cast<char*>(nullptr));
            ::_exit(127);
        }
        test::detail::close_end(err.write_end);
        std::string text;
        while (text.find("listens at port ") == text.npos || !text.ends_with('\n')) {
            ASSERT_TRUE(test::detail::read_some(err.read_end, text)) << text;
        }
        port_ = std::stoi(text.substr(text.find("port ") + 5));
        err_ = err.read_end;  // it may write to it until its end
    }
    void kill()
    {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
            test::detail::close_end(err_);
            pid_ = -1;
        }
    }
    std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

    std::string get(const std::string& path) const
    {
        const auto client = http_client::make_client({false, "127.0.0.1", static_cast<std::uint16_t>(port_), {}});
        const auto answer = client->send({.path = path, .within = std::chrono::seconds{60}});
        return answer ? answer->body : std::string{};
    }

    test::Ended petrel(std::vector<std::string> words) const
    {
        words.insert(words.begin(), {"--manager", url()});
        return test::run({.program = PETREL_BIN_DIR "/petrel", .arguments = std::move(words)});
    }

private:
    std::filesystem::path folder_;
    int port_{};
    int err_{-1};
    pid_t pid_{-1};
};

struct Switch {
    explicit Switch(const std::filesystem::path& in) : folder(in), device(folder / "switch") {}
    std::filesystem::path folder;
    SharedSwitch device;
    std::unique_ptr<AgentProcess> agent;

    std::size_t events_with(const std::string& text) const
    {
        const auto events = agent->control({"events", "--json"}).out;
        std::size_t count = 0;
        for (auto at = events.find(text); at != events.npos; at = events.find(text, at + 1)) {
            ++count;
        }
        return count;
    }
};

class FleetTest : public testing::Test {
protected:
    Switch& live(const std::string& name, const std::string& die_at = {})
    {
        const auto in = folder / name;
        std::filesystem::create_directories(in);
        auto& made = switches.try_emplace(name, in).first->second;
        std::filesystem::remove(in / "state/starts");  // the next start is not delayed
        made.agent = std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = in,
            .config = fmt::format("[[device]]\nname = \"{}\"\ndriver = \"shared:{}\"\n[[policy]]\npreset = \"sonic\"\n"
                                  "detect_ms = 100\nrestore_ms = 300\npoll_ms = 100\n",
                                  name, (in / "switch").string()),
            .program = PETREL_BIN_DIR "/petrel-test-agent",
            .arguments = {"--name", "on-" + name, "--manager-url", manager.url()},
            .environment = {{"TEST_AGENT_DIE_AT", die_at}}});
        for (const auto* line : {"agent_ready", "manager_connected"}) {  // in any order
            if (made.agent->log_text().find(line) == std::string::npos) {
                EXPECT_NE(made.agent->wait_for(line), "") << made.agent->log_text();
            }
        }
        return made;
    }

    static void expect_treated(const Switch& on, Treatment treatment)
    {
        EXPECT_TRUE(on.device.wait_until([&] { return on.device.in_force(kOnePort) == treatment; }));
    }

    test::TemporaryFolder folder;
    RealManager manager{folder / "manager"};
    std::map<std::string, Switch> switches;
};

TEST_F(FleetTest, AnOrderTakesEffectOnTheChosenSwitchesAndIsInTheAudit)
{
    auto& one = live("sw1");
    auto& two = live("sw2");
    const auto dry = manager.petrel({"red-switch", "on", "--all-agents", "--canary", "1", "--dry-run"});
    EXPECT_EQ(dry.out, "wave 1: on-sw1\nwave 2: on-sw2\n") << dry.err;
    const auto on = manager.petrel({"red-switch", "on", "--agent", "on-sw2", "--note", "ticket 7"});
    EXPECT_EQ(on.exit_code, 0) << on.err;
    EXPECT_THAT(on.out, HasSubstr("on-sw2: sw2: the big red switch is on"));
    expect_treated(two, Treatment::drop);
    EXPECT_EQ(one.device.in_force(kOnePort), Treatment::none);
    EXPECT_EQ(two.events_with("red_switch_on by 127.0.0.1 (command "), 1U);
    EXPECT_EQ(two.events_with(": ticket 7"), 1U);

    const auto status = manager.petrel({"status"});
    EXPECT_EQ(status.exit_code, 0) << status.err;
    EXPECT_THAT(status.out, AllOf(HasSubstr("on-sw1"), HasSubstr("on-sw2")));
    EXPECT_THAT(manager.petrel({"queues", "--stormed"}).out, AllOf(HasSubstr("on-sw2:"), HasSubstr("mitigated")));

    const auto off = manager.petrel({"red-switch", "off", "--all-agents"});
    EXPECT_EQ(off.exit_code, 0) << off.err;
    expect_treated(two, Treatment::none);
    EXPECT_THAT(manager.petrel({"events"}).out, AllOf(HasSubstr("red_switch_on"), HasSubstr("red_switch_off")));
    EXPECT_THAT(manager.petrel({"events", "--agent", "on-sw1"}).out,
                AllOf(HasSubstr("  sw1  order_taken"), Not(HasSubstr("  sw2  "))));
    EXPECT_THAT(manager.petrel({"events", "--device", "sw2"}).out,
                AllOf(HasSubstr("  sw2  order_taken"), Not(HasSubstr("  sw1  "))));
    EXPECT_THAT(manager.petrel({"events", "--agent", "on-sw3"}).err, HasSubstr("no agent 'on-sw3'; the nearest is"));
    EXPECT_THAT(manager.petrel({"events", "--device", "sw3"}).err, HasSubstr("no device 'sw3'; the nearest is"));
    one.agent->stop();
    two.agent->stop();
}

TEST_F(FleetTest, AQueueNamesItsAgentAndAWrongOneIsRefused)
{
    auto& one = live("sw1");
    EXPECT_EQ(manager.petrel({"mitigate", "sw1:Ethernet1:3"}).exit_code, 0);
    expect_treated(one, Treatment::drop);
    EXPECT_THAT(manager.petrel({"explain", "sw1:Ethernet1:3"}).out, HasSubstr("mitigated"));
    EXPECT_EQ(manager.petrel({"release", "sw1:Ethernet1:3"}).exit_code, 0);
    expect_treated(one, Treatment::none);
    const auto wrong = manager.petrel({"mitigate", "sw1:Ethernet99:3"});
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_THAT(wrong.out, HasSubstr("no queue or port"));
    const auto none = manager.petrel({"release-all"});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_THAT(none.err, HasSubstr("which agents? An order needs --agent"));
    const auto unknown = manager.petrel({"mitigate", "sw7:Ethernet1:3"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("no device 'sw7'"));
    one.agent->stop();
}

TEST_F(FleetTest, TheFirstAlarmStopsARollOut)
{
    auto& one = live("sw1");
    auto& two = live("sw2");
    const auto failed = manager.petrel({"mitigate", "Ethernet99:3", "--all-agents", "--canary", "1"});
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.out, AllOf(HasSubstr("on-sw1: failed: "), HasSubstr("on-sw2: not sent")));
    EXPECT_THAT(failed.err, HasSubstr("stopped: on-sw1: the command failed"));

    auto order = std::async(std::launch::async, [&] {
        return manager.petrel({"clear", "Ethernet1:3", "--all-agents", "--canary", "1", "--watch", "600"});
    });
    EXPECT_NE(one.agent->wait_for("order_taken"), "");
    one.device.storm(kOnePort + 1);
    const auto stopped = order.get();
    EXPECT_EQ(stopped.exit_code, 1);
    EXPECT_THAT(stopped.err, HasSubstr("stopped: sw1:Ethernet2:3 is in error"));
    EXPECT_EQ(two.events_with("order_taken"), 0U);
    one.agent->stop();
    two.agent->stop();
}

TEST_F(FleetTest, EachOrderTakesEffectOnceAlthoughTheAgentIsKilled)
{
    for (const auto* point : {"commands_requested:2", "command_begun:1", "command_executed:1", "command_finished:1"}) {
        SCOPED_TRACE(point);
        {
            auto& dies = live("sw1", point);
            auto order = std::async(std::launch::async, [&] {
                return manager.petrel({"red-switch", "on", "--agent", "on-sw1", "--note", point});
            });
            EXPECT_EQ(dies.agent->wait(), -1);
            auto& after = live("sw1");
            const auto ended = order.get();
            EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
            EXPECT_EQ(after.events_with(fmt::format(": {}", point)), 1U);
            expect_treated(after, Treatment::drop);
            EXPECT_EQ(manager.petrel({"red-switch", "off", "--agent", "on-sw1"}).exit_code, 0);
            expect_treated(after, Treatment::none);
            after.agent->stop();
        }
    }
}

TEST_F(FleetTest, AnOrderSurvivesTheManager)
{
    auto& one = live("sw1");
    one.agent->kill();
    auto order = std::async(std::launch::async, [&] {
        return manager.petrel({"red-switch", "on", "--agent", "on-sw1", "--within", "300"});
    });
    // The client fails when the manager dies. The order is stored.
    while (manager.get("/api/v1/commands").find("red-switch on") == std::string::npos) {
    }
    manager.kill();
    EXPECT_EQ(order.get().exit_code, 3);
    manager.start();
    auto& after = live("sw1");
    expect_treated(after, Treatment::drop);
    EXPECT_EQ(after.events_with("red_switch_on by"), 1U);
    after.agent->stop();
}

}  // namespace
}  // namespace petrel::daemon
